import {
  permissionsOf,
  type PersonKind,
  type Permission,
  type Role,
} from "../../../server/src/people/role.ts";

export interface Organisation {
  readonly organisationId: string;
  readonly kind: PersonKind;
  readonly name: string;
  /** The time at which an operator approved the organisation for live. */
  readonly liveSince: Date | undefined;
}

export interface Membership {
  readonly organisationId: string;
  readonly personId: string;
  readonly role: Role;
}

/** The role that every organisation needs at least once, because no other role can restore it. */
export const requiredRole = { merchant: "owner", staff: "staff-admin" } as const satisfies Readonly<
  Record<PersonKind, Role>
>;

/** `roleRefusal` returns the reason why a person with this role may not grant or remove that role. */
export function roleRefusal(actor: Role, kind: PersonKind, affectedRole: Role): "NOT_ALLOWED" | undefined {
  const required = requiredRole[kind];
  return affectedRole === required && actor !== required ? "NOT_ALLOWED" : undefined;
}

const environments = ["sandbox", "live"] as const;

/**
 * `addsPermissions` returns true if `after` has a permission, in any environment, that `before` lacks. A person who
 * is not a member has none.
 */
export function addsPermissions(before: Role | undefined, after: Role | undefined): boolean {
  if (after === undefined) return false;
  return environments.some((environment) => {
    const previous: readonly Permission[] = before === undefined ? [] : permissionsOf(before, environment);
    return permissionsOf(after, environment).some((permission) => !previous.includes(permission));
  });
}

interface RoleChange {
  readonly actor: string;
  readonly permission: "people.invite" | "people.change";
  readonly before: Role | undefined;
  readonly after: Role | undefined;
}

/**
 * `roleChangeNeedsApproval` returns whether a change of roles needs approval: one person alone cannot add permissions.
 * Exception: a merchant with only one person who could approve. Staff have no exception: the command line invites the
 * second staff-admin.
 */
export function roleChangeNeedsApproval(
  kind: PersonKind,
  roles: ReadonlyMap<string, Role>,
  { actor, permission, before, after }: RoleChange,
): boolean {
  if (!addsPermissions(before, after)) return false;
  if (kind === "staff") return true;
  return [...roles].some(
    ([personId, role]) => personId !== actor && permissionsOf(role, "live").includes(permission),
  );
}

export function countOtherStaffAdmins(roles: ReadonlyMap<string, Role>, personId: string): number {
  return [...roles].filter(([each, role]) => each !== personId && role === "staff-admin").length;
}

/**
 * `missingApproverDetail` returns the message for a staff-admin without a colleague who could approve, or undefined if there
 * is one.
 */
export function missingApproverDetail(
  kind: PersonKind,
  roles: ReadonlyMap<string, Role>,
): string | undefined {
  const admins = [...roles.values()].filter((role) => role === "staff-admin").length;
  return kind === "staff" && admins < 2
    ? "This requires the approval of another staff-admin, and there is none. Invite one with `staff invite` at the command line of accounts."
    : undefined;
}
