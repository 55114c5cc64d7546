import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryStaff, type StaffName } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";

/**
 * Refresh interval of the console's pages. While a page stays open, the audit log records its view at most once per ten
 * minutes.
 */
const refetchInterval = intervalWhileActive(10_000);

export function useStaff<Name extends StaffName>(
  environment: Environment,
  name: Name,
  request: Staff[Name]["request"],
): UseQueryResult<Staff[Name]["response"]> {
  return useQuery({
    queryKey: ["staff", environment, name, request],
    queryFn: () => queryStaff(environment, name, request),
    refetchInterval,
  });
}
