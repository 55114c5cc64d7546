import { sha256 } from "../../../server/src/core/digest.ts";
import { toBase32 } from "../base32.ts";
import type { Organisation } from "../organisations/organisation.ts";

/**
 * Account recovery of a person who has lost all credentials: two other people vouch, and the person gets a code by
 * email.
 */
export interface Recovery {
  readonly recoveryId: string;
  readonly personId: string;
  /** The organisation whose people vouch; undefined if the operator's staff vouch for a merchant's member. */
  readonly organisationId: string | undefined;
  /** The person who vouched first; undefined if the command line started the recovery. */
  readonly requestedBy: string | undefined;
  readonly requestedByCommand: string | undefined;
  readonly confirmedBy: string | undefined;
  readonly reason: string;
  readonly requestedAt: Date;
  readonly readyAt: Date | undefined;
  readonly expiresAt: Date;
}

const hourMs = 3_600_000;
/** Both people must vouch within one day. */
export const vouchLifetimeMs = 24 * hourMs;
/**
 * A recovery by staff or by the command line takes effect after one day, in which the person and the owners can stop
 * it.
 */
export const staffWaitMs = 24 * hourMs;
export const staffRecoveryLifetimeMs = staffWaitMs + 48 * hourMs;

/** Number of other staff-admins that the recovery of a staff member needs. */
export const staffAdminsNeeded = 2;

/**
 * `canVouch` returns whether members of this organisation (or, with undefined, the operator's staff) can vouch for a
 * person. Only staff-admins vouch for staff. An organisation vouches only for people who are members of no other
 * organisation; otherwise it would get access to their data elsewhere.
 */
export function canVouch(
  organisations: readonly Pick<Organisation, "organisationId" | "kind">[],
  organisationId: string | undefined,
): boolean {
  const staff = organisations.find(({ kind }) => kind === "staff");
  if (staff) return staff.organisationId === organisationId;
  return (
    organisationId === undefined ||
    (organisations.length === 1 && organisations[0]?.organisationId === organisationId)
  );
}

export const codeBytes = 10;

/** `formatRecoveryCode` formats the code in groups of four, which are easy to type. */
export function formatRecoveryCode(random: Uint8Array): string {
  return (toBase32(random).match(/.{4}/g) ?? []).join("-");
}

/** `hashRecoveryCode` normalises the typed code before it is hashed. */
export function hashRecoveryCode(typed: string): Buffer {
  return sha256(typed.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""));
}
