import { useQueryClient } from "@tanstack/react-query";
import { requestAccounts } from "../api/request-accounts.ts";

/** `useSignOut` ends the session and reloads the page, so that no data stays in memory. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  return () => {
    const signOut = (): void => {
      queries.clear();
      globalThis.location.assign("/sign-in");
    };
    void requestAccounts("POST /accounts/sign-out", {}).then(signOut, signOut);
  };
}
