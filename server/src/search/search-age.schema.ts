import { Type } from "typebox";

/** Each list and chart that comes from the search tables says how late they are. */
export const SearchAge = Type.Integer({
  minimum: 0,
  description: "All that happened up to so many seconds ago is taken into account.",
});
