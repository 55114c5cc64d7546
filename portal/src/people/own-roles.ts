import { merchantRoles, staffRoles, type Role } from "../../../server/src/people/role.ts";
import { organisationOf, useMe } from "../session/me.ts";

interface OwnRoles {
  readonly isStaff: boolean;
  readonly roles: readonly Role[];
  /** The role that can do the least harm. */
  readonly usual: Role;
}

/** The roles that people of this organisation can have: a merchant's, or those of staff. */
export function useOwnRoles(): OwnRoles {
  const isStaff = organisationOf(useMe())?.kind === "staff";
  return isStaff
    ? { isStaff, roles: staffRoles, usual: "staff-support" }
    : { isStaff, roles: merchantRoles, usual: "reader" };
}
