import { merchantRoles, staffRoles, type Role } from "../../../server/src/people/role.ts";
import { findOrganisation, useMe } from "../session/me.ts";

interface AssignableRoles {
  readonly isStaff: boolean;
  readonly roles: readonly Role[];
  /** The preselected role: the one with the fewest permissions. */
  readonly defaultRole: Role;
}

/** `useAssignableRoles` returns the roles of this organisation: a merchant's roles, or those of staff. */
export function useAssignableRoles(): AssignableRoles {
  const isStaff = findOrganisation(useMe())?.kind === "staff";
  return isStaff
    ? { isStaff, roles: staffRoles, defaultRole: "staff-support" }
    : { isStaff, roles: merchantRoles, defaultRole: "reader" };
}
