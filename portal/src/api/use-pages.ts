import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import type { Views } from "../generated/console.ts";
import { whileAttended } from "./attention.ts";
import { askView, type Place } from "./console.ts";

/** Views that come page by page: all whose answer says where the next one begins. */
type PagedView = {
  [Name in keyof Views]: "nextCursor" extends keyof Views[Name]["response"] ? Name : never;
}[keyof Views];
type Filter<Name extends PagedView> = Omit<Views[Name]["request"], "cursor">;

/** How often the newest are looked for while a list is open. */
const refetchInterval = whileAttended(5_000);

/** A list of the console, page by page, that renews itself unless it is said otherwise. */
export function usePages<Name extends PagedView>(
  place: Place,
  name: Name,
  filter: Filter<Name>,
  isRenewed = true,
): UseInfiniteQueryResult<InfiniteData<Views[Name]["response"]>> {
  return useInfiniteQuery({
    queryKey: [name, place, filter],
    queryFn: ({ pageParam }) => askView(place, name, { ...filter, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }: Views[Name]["response"]) => nextCursor,
    ...(isRenewed && { refetchInterval }),
  });
}
