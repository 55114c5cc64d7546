import { useQuery } from "@tanstack/react-query";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { useMe } from "../session/me.ts";

export type SavedView = Routes["GET /accounts/saved-views"]["response"]["savedViews"][number];

/** `useSavedViews` returns the person's saved views in this organisation. The layout does not wait for them. */
export function useSavedViews(): readonly SavedView[] {
  const { organisationId } = useMe();
  const saved = useQuery({
    queryKey: ["saved-views", organisationId],
    queryFn: () => requestAccounts("GET /accounts/saved-views", {}),
    enabled: organisationId !== undefined,
    staleTime: 60_000,
  });
  return saved.data?.savedViews ?? [];
}
