import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { whileAttended } from "../api/attention.ts";
import { askStaff, type StaffName } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";

/** Pages of the console renew themselves; the audit has a look that goes on once in ten minutes. */
const refetchInterval = whileAttended(10_000);

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
