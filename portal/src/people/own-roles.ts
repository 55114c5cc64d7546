import { merchantRoles, staffRoles, type Role } from "../../../server/src/people/role.ts";
import { organisationOf, useMe } from "../session/me.ts";

interface OwnRoles {
  readonly isStaff: boolean;
  readonly roles: readonly Role[];
  /** The preselected role: the one with the fewest permissions. */
  readonly usual: Role;
}

/** `useOwnRoles` returns the roles of this organisation: a merchant's roles, or those of staff. */
export function useOwnRoles(): OwnRoles {
  const isStaff = organisationOf(useMe())?.kind === "staff";
  return isStaff
    ? { isStaff, roles: staffRoles, usual: "staff-support" }
    : { isStaff, roles: merchantRoles, usual: "reader" };
}
