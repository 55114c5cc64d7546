import type { PersonKind, Role } from "../../../server/src/people/role.ts";
import type { Actor } from "../../../server/src/audit/audit.ts";
import type { Person } from "../people/person.ts";

/**
 * The method with which a session was authenticated. A session by link or by account recovery may only set up a
 * sign-in method. A developer is a person who can read the terminal of `tollgate dev`.
 */
export const methods = ["link", "recovery", "passkey", "password", "oidc", "developer"] as const;
export type Method = (typeof methods)[number];

export interface Session {
  readonly sessionId: string;
  readonly method: Method;
  readonly createdAt: Date;
  readonly seenAt: Date;
  readonly steppedUpAt: Date | undefined;
}

/** The organisation for which a person acts, with the current role. */
export interface ActiveMembership {
  readonly organisationId: string;
  readonly organisation: string;
  readonly kind: PersonKind;
  readonly role: Role;
  readonly liveSince: Date | undefined;
}

/** A person with a valid session. */
export interface Caller {
  readonly session: Session;
  readonly person: Person;
  readonly membership: ActiveMembership | undefined;
}

/** A caller who acts for an organisation. */
export interface MemberCaller extends Caller {
  readonly membership: ActiveMembership;
}

export const idleMs = 15 * 60_000;
export const sessionLifetimeMs = 8 * 3_600_000;
/** The last activity is stored at most this often, so a session can expire up to this much before `idleMs`. */
export const touchIntervalMs = 30_000;

export function isAlive({ createdAt, seenAt }: Session, nowMs: number): boolean {
  return nowMs - seenAt.getTime() < idleMs && nowMs - createdAt.getTime() < sessionLifetimeMs;
}

/** `authenticatedAt` returns the time of the last authentication. A developer has no credential and can move no money. */
export function authenticatedAt({ method, steppedUpAt }: Session, now: Date): Date | undefined {
  return method === "developer" ? now : steppedUpAt;
}

/** A developer at `tollgate dev` is the only person, so approval is not required. */
export function isDeveloper({ session }: Pick<Caller, "session">): boolean {
  return session.method === "developer";
}

/** `isSettingUp` returns whether the person is still setting up a sign-in method. */
export function isSettingUp({ method }: Pick<Session, "method">): boolean {
  return method === "link" || method === "recovery";
}

/**
 * `isAllowedForStaff` returns whether staff may use this method: a passkey, or the operator's identity provider, for whose
 * strength the operator is responsible. A password can be stolen by phishing.
 */
export function isAllowedForStaff(method: Method): boolean {
  return method === "passkey" || method === "oidc";
}

/** `mayAct` allows a developer to act for merchants and staff, on the developer's own computer. */
export function mayAct(method: Method, kind: PersonKind): boolean {
  return (
    isAllowedForStaff(method) || method === "developer" || (method === "password" && kind === "merchant")
  );
}

export function actorOf({ person, membership }: Pick<Caller, "person" | "membership">): Actor {
  return { kind: "person", name: person.personId, role: membership?.role ?? "none" };
}
