import type { PersonKind, Role } from "../../../server/src/people/role.ts";

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
