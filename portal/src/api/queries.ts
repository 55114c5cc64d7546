import { QueryCache, QueryClient } from "@tanstack/react-query";
import { errorCodeOf } from "./refusal-error.ts";

/** `newQueries` creates the query client. A refusal is final and is not retried; a network failure is retried twice. */
export function newQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      // The session can expire while a page is open. A reload leads to the sign-in page and back.
      onError: (error, { queryKey: [name] }) => {
        if (errorCodeOf(error) === "NOT_SIGNED_IN" && name !== "me") globalThis.location.reload();
      },
    }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && errorCodeOf(error) === "UNREACHABLE",
        staleTime: 5_000,
      },
    },
  });
}
