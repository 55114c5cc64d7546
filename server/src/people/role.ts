/** Roles of a merchant's people and of the operator's staff. */
export const merchantRoles = ["owner", "admin", "developer", "finance", "support", "reader"] as const;
export const staffRoles = ["staff-admin", "staff-operator", "staff-finance", "staff-support"] as const;

export type MerchantRole = (typeof merchantRoles)[number];
export type StaffRole = (typeof staffRoles)[number];
export type Role = MerchantRole | StaffRole;
export type PersonKind = "merchant" | "staff";

/**
 * The roles with a permission, by environment. In the sandbox developers may do what in live only roles with
 * financial responsibility may do.
 */
interface Grant {
  readonly sandbox: readonly Role[];
  readonly live: readonly Role[];
  /** Whether a re-authentication within `stepUpSecondsMax` is required. */
  readonly stepUp: boolean;
}

export const stepUpSecondsMax = 300;

const ownersAndAdmins = ["owner", "admin"] as const;
const technicalRoles = [...ownersAndAdmins, "developer"] as const;
const financeRoles = [...ownersAndAdmins, "finance"] as const;
const merchants = merchantRoles;
const staff = staffRoles;
const operationsRoles = ["staff-admin", "staff-operator"] as const;

/**
 * The access control table: permissions and roles. Every route of the console and of the accounts service names one
 * permission; no other code checks roles.
 */
export const permissions = {
  "payments.read": inAllEnvironments([...merchants, ...staff]),
  "payments.refund": { sandbox: [...technicalRoles, "finance"], live: financeRoles, stepUp: true },
  "payments.cancel": {
    sandbox: [...technicalRoles, "support"],
    live: [...ownersAndAdmins, "support"],
    stepUp: false,
  },
  "payments.capture": { sandbox: [...technicalRoles, "finance"], live: financeRoles, stepUp: true },
  "disputes.read": inAllEnvironments([...merchants, ...staff]),
  // Accepting a dispute returns the money, so it is as sensitive as a refund.
  "disputes.accept": { sandbox: [...technicalRoles, "finance"], live: financeRoles, stepUp: true },
  "disputes.answer": inAllEnvironments([...ownersAndAdmins, "developer", "finance", "support"]),
  "balance.read": inAllEnvironments([
    ...ownersAndAdmins,
    "developer",
    "finance",
    "reader",
    "staff-admin",
    "staff-finance",
  ]),
  "stores.read": inAllEnvironments([...merchants, ...staff]),
  "notifications.read": inAllEnvironments([...technicalRoles, "support", "reader", ...staff]),
  "notifications.resend": inAllEnvironments([...technicalRoles, "support"]),
  "calls.read": inAllEnvironments([...technicalRoles, "support", ...operationsRoles, "staff-support"]),
  "keys.read": inAllEnvironments([...technicalRoles, "reader", ...operationsRoles, "staff-support"]),
  "keys.change": { sandbox: technicalRoles, live: ownersAndAdmins, stepUp: true },
  "endpoints.change": { sandbox: technicalRoles, live: ownersAndAdmins, stepUp: true },
  "brand.change": { sandbox: technicalRoles, live: ownersAndAdmins, stepUp: true },
  "clients.open": { sandbox: technicalRoles, live: ownersAndAdmins, stepUp: true },
  // The permission to describe the business and to submit documents. Only the owner can request the review.
  "live.prepare": inAllEnvironments(ownersAndAdmins),
  // The clock, faults and test webhooks exist only in the sandbox.
  "sandbox.steer": { sandbox: technicalRoles, live: [], stepUp: false },
  "live.ask": inAllEnvironments(["owner"], { stepUp: true }),
  "people.read": inAllEnvironments([...ownersAndAdmins, "reader", "staff-admin"]),
  "people.invite": inAllEnvironments([...ownersAndAdmins, "staff-admin"], { stepUp: true }),
  "people.change": inAllEnvironments([...ownersAndAdmins, "staff-admin"], { stepUp: true }),
  // Account recovery for people of any organisation. The affected people are notified and have a day to object.
  "people.recover": inAllEnvironments(["staff-admin", "staff-operator"], { stepUp: true }),
  "organisation.change": inAllEnvironments(["owner"], { stepUp: true }),
  "audit.read": inAllEnvironments([...ownersAndAdmins, "staff-admin", "staff-operator"]),
  "merchants.read": inAllEnvironments(staff),
  "merchants.review": inAllEnvironments(["staff-admin", "staff-operator"], { stepUp: true }),
  "merchants.change": inAllEnvironments(["staff-admin", "staff-operator"], { stepUp: true }),
  "providers.read": inAllEnvironments(staff),
  "providers.change": inAllEnvironments(["staff-admin", "staff-operator"], { stepUp: true }),
  "open-records.read": inAllEnvironments(staff),
  "jobs.retry": inAllEnvironments(operationsRoles),
  "breaks.read": inAllEnvironments(["staff-admin", "staff-operator", "staff-finance"]),
  "breaks.close": inAllEnvironments(["staff-admin", "staff-finance"], { stepUp: true }),
  // A write-off gives up money, so in live it always needs another person's approval, see approval-rules.ts.
  "breaks.write-off": inAllEnvironments(["staff-admin", "staff-finance"], { stepUp: true }),
  "announcements.write": inAllEnvironments(operationsRoles),
} as const satisfies Readonly<Record<string, Grant>>;

export type Permission = keyof typeof permissions;

function inAllEnvironments<Granted extends Role>(
  roles: readonly Granted[],
  { stepUp = false }: { readonly stepUp?: boolean } = {},
): { readonly sandbox: readonly Granted[]; readonly live: readonly Granted[]; readonly stepUp: boolean } {
  return { sandbox: roles, live: roles, stepUp };
}

export function isRole(value: unknown): value is Role {
  return [...merchantRoles, ...staffRoles].some((role) => role === value);
}

export function personKindOf(role: Role): PersonKind {
  return staffRoles.some((staffRole) => staffRole === role) ? "staff" : "merchant";
}

/** Returns all permissions of a role in an environment, in table order. */
export function permissionsOf(role: Role, environment: "sandbox" | "live"): readonly Permission[] {
  return (Object.keys(permissions) as Permission[]).filter((permission) =>
    grantOf(permission)[environment].includes(role),
  );
}

export interface PermissionSubject {
  readonly role: Role;
  /** Time of the last re-authentication, in seconds since 1970. */
  readonly stepUpAt?: number | undefined;
}

/** The decision about a permission. "step up" means allowed after re-authentication. */
export type PermissionDecision = "allowed" | "step up" | "denied";

export function decidePermission(
  { role, stepUpAt = -Infinity }: PermissionSubject,
  permission: Permission,
  context: { readonly environment: "sandbox" | "live"; readonly nowMs: number },
): PermissionDecision {
  const grant = grantOf(permission);
  if (!grant[context.environment].includes(role)) return "denied";
  const ageMs = context.nowMs - stepUpAt * 1000;
  return !grant.stepUp || ageMs <= stepUpSecondsMax * 1000 ? "allowed" : "step up";
}

function grantOf(permission: Permission): Grant {
  return permissions[permission];
}
