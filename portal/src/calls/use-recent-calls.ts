import { useQuery } from "@tanstack/react-query";
import { whileAttended } from "../api/attention.ts";
import { askView, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";

export type RecentCall = Views["recentCalls"]["response"]["calls"][number];

/** The sandbox's gateway answers it from memory, so it is asked every second. Live remembers none. */
export function useRecentCalls(place: Place): readonly RecentCall[] {
  const { data } = useQuery({
    queryKey: ["recentCalls", place],
    queryFn: () => askView(place, "recentCalls", {}),
    enabled: place.environment === "sandbox",
    refetchInterval: whileAttended(1_000),
  });
  return data?.calls ?? [];
}
