import { useQuery } from "@tanstack/react-query";
import { whileActive } from "../api/idle-refresh.ts";
import { askView, type Place } from "../api/console.ts";
import { wordOf } from "../api/refusal-error.ts";

const askAgain = whileActive(5_000);

/**
 * `useIsOpen` returns true if the environment knows the client, and undefined while it is loading. Accounts assign the
 * client id, and its first key creates the client at the gateway. If the gateway does not respond, the client counts as
 * open, and the page shows the error.
 */
export function useIsOpen(place: Place): boolean | undefined {
  const { data, isError } = useQuery({
    queryKey: ["is-open", place],
    queryFn: () => isOpen(place),
    // An open client stays open, so the answer is never queried again.
    staleTime: ({ state }) => (state.data ? Infinity : 0),
    refetchInterval: ({ state }) => (state.data === false ? askAgain() : false),
    retry: false,
  });
  return data ?? (isError ? true : undefined);
}

/** `isOpen` queries the view `payments`, which every role may query. */
async function isOpen(place: Place): Promise<boolean> {
  try {
    await askView(place, "payments", { limit: 1 });
    return true;
  } catch (error) {
    if (wordOf(error) === "UNKNOWN_CLIENT") return false;
    throw error;
  }
}
