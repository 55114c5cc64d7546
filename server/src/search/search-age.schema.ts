import { Type } from "typebox";

/** How many seconds the search tables lag behind. Each list and chart from these tables returns it. */
export const SearchAge = Type.Integer({
  minimum: 0,
  description: "Events up to this many seconds ago are included.",
});
