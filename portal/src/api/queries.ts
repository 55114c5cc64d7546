import { QueryCache, QueryClient } from "@tanstack/react-query";
import { wordOf } from "./refused.ts";

/** A refusal is an answer: asking again would not change it. What was not reachable is asked again twice. */
export function newQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      // A session ends while a page is open: loading the page anew leads to the sign-in, and back to it.
      onError: (error, { queryKey: [name] }) => {
        if (wordOf(error) === "NOT_SIGNED_IN" && name !== "me") globalThis.location.reload();
      },
    }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && wordOf(error) === "UNREACHABLE",
        staleTime: 5_000,
      },
    },
  });
}
