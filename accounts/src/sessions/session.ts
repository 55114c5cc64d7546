import type { PersonKind, Role } from "../../../server/src/people/role.ts";
import type { Actor } from "../../../server/src/audit/audit.ts";
import type { Person } from "../people/person.ts";

/**
 * How a person proved who it is. By a link, or because others vouch for it (recovery), it may set up how it signs in, and nothing
 * else. A developer is whoever reads
 * the terminal of `tollgate dev`.
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

/** The organisation for which a person acts at the moment, and its role there, as they are now. */
export interface Place {
  readonly organisationId: string;
  readonly organisation: string;
  readonly kind: PersonKind;
  readonly role: Role;
  readonly liveSince: Date | undefined;
}

/** Somebody with a session that holds. */
export interface Caller {
  readonly session: Session;
  readonly person: Person;
  readonly place: Place | undefined;
}

/** A caller that acts for an organisation. */
export interface MemberCaller extends Caller {
  readonly place: Place;
}

export const idleMs = 15 * 60_000;
export const lastsMs = 8 * 3_600_000;
/** A session is written at most so often, and therefore ends that much before `idleMs` at most. */
export const seenEveryMs = 30_000;

export function isAlive({ createdAt, seenAt }: Session, nowMs: number): boolean {
  return nowMs - seenAt.getTime() < idleMs && nowMs - createdAt.getTime() < lastsMs;
}

/** When a person last proved itself. A developer has nothing to prove it with, and moves no money. */
export function provenAt({ method, steppedUpAt }: Session, now: Date): Date | undefined {
  return method === "developer" ? now : steppedUpAt;
}

/** A developer at `tollgate dev` is alone, so approval is not required. */
export function isDeveloper({ session }: Pick<Caller, "session">): boolean {
  return session.method === "developer";
}

/** Whether the person is still setting up how it signs in. */
export function isSettingUp({ method }: Pick<Session, "method">): boolean {
  return method === "link" || method === "recovery";
}

/**
 * The provider's own people use passkeys, or its own identity provider, for whose strength it answers itself: a password can be given
 * away on a page that looks like ours.
 */
export function isStrong(method: Method): boolean {
  return method === "passkey" || method === "oidc";
}

/** A developer is both on a machine of its own. */
export function mayAct(method: Method, kind: PersonKind): boolean {
  return isStrong(method) || method === "developer" || (method === "password" && kind === "merchant");
}

export function actorOf({ person, place }: Pick<Caller, "person" | "place">): Actor {
  return { kind: "person", name: person.personId, role: place?.role ?? "none" };
}
