import { useQuery } from "@tanstack/react-query";
import { whileActive } from "../api/idle-refresh.ts";
import { askView, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";

export type RecentCall = Views["recentCalls"]["response"]["calls"][number];

/**
 * `useRecentCalls` polls the sandbox gateway every second, which is cheap because it reads from memory. Live keeps no
 * recent requests.
 */
export function useRecentCalls(place: Place): readonly RecentCall[] {
  const { data } = useQuery({
    queryKey: ["recentCalls", place],
    queryFn: () => askView(place, "recentCalls", {}),
    enabled: place.environment === "sandbox",
    refetchInterval: whileActive(1_000),
  });
  return data?.calls ?? [];
}
