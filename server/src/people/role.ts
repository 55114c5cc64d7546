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

const leads = ["owner", "admin"] as const;
const builders = [...leads, "developer"] as const;
const treasurers = [...leads, "finance"] as const;
const merchants = merchantRoles;
const staff = staffRoles;
const caretakers = ["staff-admin", "staff-operator"] as const;

/**
 * The access control table: permissions and roles. Every route of the console and of the accounts service names one
 * permission; no other code checks roles.
 */
export const permissions = {
  "payments.read": everywhere([...merchants, ...staff]),
  "payments.refund": { sandbox: [...builders, "finance"], live: treasurers, stepUp: true },
  "payments.cancel": { sandbox: [...builders, "support"], live: [...leads, "support"], stepUp: false },
  "payments.capture": { sandbox: [...builders, "finance"], live: treasurers, stepUp: true },
  "disputes.read": everywhere([...merchants, ...staff]),
  // Accepting a dispute returns the money, so it is as sensitive as a refund.
  "disputes.accept": { sandbox: [...builders, "finance"], live: treasurers, stepUp: true },
  "disputes.answer": everywhere([...leads, "developer", "finance", "support"]),
  "balance.read": everywhere([...leads, "developer", "finance", "reader", "staff-admin", "staff-finance"]),
  "stores.read": everywhere([...merchants, ...staff]),
  "notifications.read": everywhere([...builders, "support", "reader", ...staff]),
  "notifications.resend": everywhere([...builders, "support"]),
  "calls.read": everywhere([...builders, "support", ...caretakers, "staff-support"]),
  "keys.read": everywhere([...builders, "reader", ...caretakers, "staff-support"]),
  "keys.change": { sandbox: builders, live: leads, stepUp: true },
  "endpoints.change": { sandbox: builders, live: leads, stepUp: true },
  "brand.change": { sandbox: builders, live: leads, stepUp: true },
  "clients.open": { sandbox: builders, live: leads, stepUp: true },
  // The permission to describe the business and to submit documents. Only the owner can request the review.
  "live.prepare": everywhere(leads),
  // The clock, faults and test webhooks exist only in the sandbox.
  "sandbox.steer": { sandbox: builders, live: [], stepUp: false },
  "live.ask": everywhere(["owner"], { stepUp: true }),
  "people.read": everywhere([...leads, "reader", "staff-admin"]),
  "people.invite": everywhere([...leads, "staff-admin"], { stepUp: true }),
  "people.change": everywhere([...leads, "staff-admin"], { stepUp: true }),
  // Account recovery for people of any organisation. The affected people are notified and have a day to object.
  "people.recover": everywhere(["staff-admin", "staff-operator"], { stepUp: true }),
  "organisation.change": everywhere(["owner"], { stepUp: true }),
  "audit.read": everywhere([...leads, "staff-admin", "staff-operator"]),
  "merchants.read": everywhere(staff),
  "merchants.review": everywhere(["staff-admin", "staff-operator"], { stepUp: true }),
  "merchants.change": everywhere(["staff-admin", "staff-operator"], { stepUp: true }),
  "providers.read": everywhere(staff),
  "providers.change": everywhere(["staff-admin", "staff-operator"], { stepUp: true }),
  "open-records.read": everywhere(staff),
  "jobs.retry": everywhere(caretakers),
  "breaks.read": everywhere(["staff-admin", "staff-operator", "staff-finance"]),
  "breaks.close": everywhere(["staff-admin", "staff-finance"], { stepUp: true }),
  // A write-off gives up money, so in live it always needs another person's approval, see approval-rules.ts.
  "breaks.write-off": everywhere(["staff-admin", "staff-finance"], { stepUp: true }),
  "announcements.write": everywhere(caretakers),
} as const satisfies Readonly<Record<string, Grant>>;

export type Permission = keyof typeof permissions;

function everywhere<Granted extends Role>(
  roles: readonly Granted[],
  { stepUp = false }: { readonly stepUp?: boolean } = {},
): { readonly sandbox: readonly Granted[]; readonly live: readonly Granted[]; readonly stepUp: boolean } {
  return { sandbox: roles, live: roles, stepUp };
}

export function isRole(word: unknown): word is Role {
  return [...merchantRoles, ...staffRoles].some((role) => role === word);
}

export function kindOfRole(role: Role): PersonKind {
  return staffRoles.some((each) => each === role) ? "staff" : "merchant";
}

/** Returns all permissions of a role in an environment, in table order. */
export function permissionsOf(role: Role, environment: "sandbox" | "live"): readonly Permission[] {
  return (Object.keys(permissions) as Permission[]).filter((permission) =>
    grantOf(permission)[environment].includes(role),
  );
}

export interface Asking {
  readonly role: Role;
  /** Time of the last re-authentication, in seconds since 1970. */
  readonly stepUpAt?: number | undefined;
}

/** The decision about a permission. "step up" means allowed after re-authentication. */
export type Verdict = "allowed" | "step up" | "denied";

export function decidePermission(
  { role, stepUpAt = -Infinity }: Asking,
  permission: Permission,
  where: { readonly environment: "sandbox" | "live"; readonly nowMs: number },
): Verdict {
  const grant = grantOf(permission);
  if (!grant[where.environment].includes(role)) return "denied";
  const ageMs = where.nowMs - stepUpAt * 1000;
  return !grant.stepUp || ageMs <= stepUpSecondsMax * 1000 ? "allowed" : "step up";
}

function grantOf(permission: Permission): Grant {
  return permissions[permission];
}
