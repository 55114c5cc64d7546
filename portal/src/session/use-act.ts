import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { useStepUp } from "./step-up-context.ts";

/** `useAct` runs a change, with re-authentication if needed, and then reloads all queries. */
export function useAct<Request = void, Answer = unknown>(
  work: (request: Request) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
): UseMutationResult<Answer, Error, Request> {
  const attempt = useStepUp();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: Request) => attempt(() => work(request)),
    onSuccess: async (answer) => {
      await queries.invalidateQueries();
      onDone?.(answer);
    },
  });
}
