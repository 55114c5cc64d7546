import { useQuery } from "@tanstack/react-query";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";

export type RecentCall = Views["recentCalls"]["response"]["calls"][number];

/**
 * `useRecentCalls` polls the sandbox gateway every second, which is cheap because it reads from memory. Live keeps no
 * recent requests.
 */
export function useRecentCalls(scope: ClientScope): readonly RecentCall[] {
  const { data } = useQuery({
    queryKey: ["recentCalls", scope],
    queryFn: () => queryView(scope, "recentCalls", {}),
    enabled: scope.environment === "sandbox",
    refetchInterval: intervalWhileActive(1_000),
  });
  return data?.calls ?? [];
}
