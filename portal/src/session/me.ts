import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { Permission } from "../../../server/src/people/role.ts";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Environment } from "../api/environments.ts";
import type { Routes } from "../generated/accounts.ts";

export type Me = Routes["GET /accounts/me"]["response"];

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => requestAccounts("GET /accounts/me", {}),
  staleTime: 30_000,
});

/** `useMe` returns the person who is signed in. Pages inside the shell always have one. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/**
 * `useCan` returns whether the person's role has a permission in an environment. Accounts read it from the shared
 * table of permissions.
 */
export function useCan(environment: Environment): (permission: Permission) => boolean {
  const { permissions } = useMe();
  return (permission) => permissions[environment].includes(permission);
}

export function findOrganisation({
  organisations,
  organisationId,
}: Me): Me["organisations"][number] | undefined {
  return organisations.find((each) => each.organisationId === organisationId);
}
