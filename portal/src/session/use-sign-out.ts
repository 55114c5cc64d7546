import { useQueryClient } from "@tanstack/react-query";
import { ask } from "../api/accounts.ts";

/** `useSignOut` ends the session and reloads the page, so that no data stays in memory. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  return () => {
    const leave = (): void => {
      queries.clear();
      globalThis.location.assign("/sign-in");
    };
    void ask("POST /accounts/sign-out", {}).then(leave, leave);
  };
}
