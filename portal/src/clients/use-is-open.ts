import { useQuery } from "@tanstack/react-query";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { errorCodeOf } from "../api/refusal-error.ts";

const refetchInterval = intervalWhileActive(5_000);

/**
 * `useIsOpen` returns true if the environment knows the client, and undefined while it is loading. Accounts assign the
 * client id, and its first key creates the client at the gateway. If the gateway does not respond, the client counts as
 * open, and the page shows the error.
 */
export function useIsOpen(scope: ClientScope): boolean | undefined {
  const { data, isError } = useQuery({
    queryKey: ["is-open", scope],
    queryFn: () => isOpen(scope),
    // An open client stays open, so the answer is never queried again.
    staleTime: ({ state }) => (state.data ? Infinity : 0),
    refetchInterval: ({ state }) => (state.data === false ? refetchInterval() : false),
    retry: false,
  });
  return data ?? (isError ? true : undefined);
}

/** `isOpen` queries the view `payments`, which every role may query. */
async function isOpen(scope: ClientScope): Promise<boolean> {
  try {
    await queryView(scope, "payments", { limit: 1 });
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "UNKNOWN_CLIENT") return false;
    throw error;
  }
}
