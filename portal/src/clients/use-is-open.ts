import { useQuery } from "@tanstack/react-query";
import { whileAttended } from "../api/attention.ts";
import { askView, type Place } from "../api/console.ts";
import { wordOf } from "../api/refused.ts";

const askAgain = whileAttended(5_000);

/**
 * Whether the environment knows the client: accounts gives an id, and its first key opens it. Undefined until we know. A gateway
 * that cannot be asked counts as open, and the page says what is wrong.
 */
export function useIsOpen(place: Place): boolean | undefined {
  const { data, isError } = useQuery({
    queryKey: ["is-open", place],
    queryFn: () => isOpen(place),
    // A client that was opened stays open.
    staleTime: ({ state }) => (state.data ? Infinity : 0),
    refetchInterval: ({ state }) => (state.data === false ? askAgain() : false),
    retry: false,
  });
  return data ?? (isError ? true : undefined);
}

/** By the view that every role may ask for. */
async function isOpen(place: Place): Promise<boolean> {
  try {
    await askView(place, "payments", { limit: 1 });
    return true;
  } catch (error) {
    if (wordOf(error) === "UNKNOWN_CLIENT") return false;
    throw error;
  }
}
