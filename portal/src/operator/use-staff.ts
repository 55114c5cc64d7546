import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { whileActive } from "../api/idle-refresh.ts";
import { askStaff, type StaffName } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";

/**
 * Refresh interval of the console's pages. While a page stays open, the audit log records its view at most once per ten
 * minutes.
 */
const refetchInterval = whileActive(10_000);

export function useStaff<Name extends StaffName>(
  environment: Environment,
  name: Name,
  request: Staff[Name]["request"],
): UseQueryResult<Staff[Name]["response"]> {
  return useQuery({
    queryKey: ["staff", environment, name, request],
    queryFn: () => askStaff(environment, name, request),
    refetchInterval,
  });
}
