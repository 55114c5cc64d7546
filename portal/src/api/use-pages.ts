import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import type { Views } from "../generated/console.ts";
import { intervalWhileActive } from "./idle-refresh.ts";
import { queryView, type ClientScope } from "./console-requests.ts";

/** Paged views: their responses contain the cursor of the next page. */
type PagedView = {
  [Name in keyof Views]: "nextCursor" extends keyof Views[Name]["response"] ? Name : never;
}[keyof Views];
type Filter<Name extends PagedView> = Omit<Views[Name]["request"], "cursor">;

/** Refresh interval of the first page while a list is open. */
const refetchInterval = intervalWhileActive(5_000);

/** `usePages` loads a list of the console page by page and refreshes it, unless refreshing is disabled. */
export function usePages<Name extends PagedView>(
  scope: ClientScope,
  name: Name,
  filter: Filter<Name>,
  isRenewed = true,
): UseInfiniteQueryResult<InfiniteData<Views[Name]["response"]>> {
  return useInfiniteQuery({
    queryKey: [name, scope, filter],
    queryFn: ({ pageParam }) =>
      queryView(scope, name, { ...filter, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }: Views[Name]["response"]) => nextCursor,
    ...(isRenewed && { refetchInterval }),
  });
}
