import { rightsOf, type PersonKind, type Right, type Role } from "../../../server/src/people/role.ts";

export interface Organisation {
  readonly organisationId: string;
  readonly kind: PersonKind;
  readonly name: string;
  /** When an operator let it into live. */
  readonly liveSince: Date | undefined;
}

export interface Membership {
  readonly organisationId: string;
  readonly personId: string;
  readonly role: Role;
}

/** The role that an organisation cannot be without: nobody else could bring it back. */
export const lastingRole = { merchant: "owner", staff: "staff-admin" } as const satisfies Readonly<
  Record<PersonKind, Role>
>;

/** Why somebody in this role may not hand out, or take away, that one. */
export function roleRefusal(actor: Role, kind: PersonKind, touched: Role): "NOT_ALLOWED" | undefined {
  const lasting = lastingRole[kind];
  return touched === lasting && actor !== lasting ? "NOT_ALLOWED" : undefined;
}

const environments = ["sandbox", "live"] as const;

/** Whether `after` has a permission, in any environment, that `before` lacks. A person who is no member has none. */
export function addsPermissions(before: Role | undefined, after: Role | undefined): boolean {
  if (after === undefined) return false;
  return environments.some((environment) => {
    const had: readonly Right[] = before === undefined ? [] : rightsOf(before, environment);
    return rightsOf(after, environment).some((right) => !had.includes(right));
  });
}

interface Raise {
  readonly actor: string;
  readonly right: "people.invite" | "people.change";
  readonly before: Role | undefined;
  readonly after: Role | undefined;
}

/**
 * Whether a change of roles needs approval: nobody raises permissions alone. A merchant with one person who could approve is the
 * exception, because there is no second one. Staff have none: the command line invites the second staff-admin.
 */
export function raiseNeedsApproval(
  kind: PersonKind,
  roles: ReadonlyMap<string, Role>,
  { actor, right, before, after }: Raise,
): boolean {
  if (!addsPermissions(before, after)) return false;
  if (kind === "staff") return true;
  return [...roles].some(([personId, role]) => personId !== actor && rightsOf(role, "live").includes(right));
}

export function countOtherStaffAdmins(roles: ReadonlyMap<string, Role>, personId: string): number {
  return [...roles].filter(([each, role]) => each !== personId && role === "staff-admin").length;
}

/** The sentence for a staff-admin who has no colleague who could approve; undefined when there is one. */
export function approvalDetail(kind: PersonKind, roles: ReadonlyMap<string, Role>): string | undefined {
  const admins = [...roles.values()].filter((role) => role === "staff-admin").length;
  return kind === "staff" && admins < 2
    ? "This needs the approval of a second staff-admin, and there is none. Invite one with `staff invite` at the command line of accounts."
    : undefined;
}
