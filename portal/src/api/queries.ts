import { QueryClient } from "@tanstack/react-query";
import { wordOf } from "./refused.ts";

/** A refusal is an answer: asking again would not change it. What was not reachable is asked again twice. */
export function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && wordOf(error) === "UNREACHABLE",
        staleTime: 5_000,
      },
    },
  });
}
