import { sha256 } from "../../../server/src/core/digest.ts";
import { toBase32 } from "../credentials/totp.ts";
import type { Organisation } from "../organisations/organisation.ts";

/** Account recovery of a person who has lost all credentials: two other people vouch, and the person gets a code by email. */
export interface Recovery {
  readonly recoveryId: string;
  readonly personId: string;
  /** Whose people vouch; undefined when the provider's staff vouch for a merchant's person. */
  readonly organisationId: string | undefined;
  /** The person who vouched first; undefined when the command line started it. */
  readonly askedBy: string | undefined;
  readonly commandBy: string | undefined;
  readonly confirmedBy: string | undefined;
  readonly reason: string;
  readonly askedAt: Date;
  readonly readyAt: Date | undefined;
  readonly expiresAt: Date;
}

const hourMs = 3_600_000;
/** Two people have to be found on the same day. */
export const vouchedLastsMs = 24 * hourMs;
/** Recovery by staff, or by the command line, takes effect after a day, in which the person and the owners can stop it. */
export const staffWaitMs = 24 * hourMs;
export const staffLastsMs = staffWaitMs + 48 * hourMs;

/** Other staff-admins that the recovery of a staff person needs. */
export const staffAdminsNeeded = 2;

/**
 * Whether the people of this organisation, or with undefined the provider's staff, can vouch for a person. Staff-admins alone vouch
 * for staff. An organisation vouches for people who work for it alone: otherwise it would get at what they see elsewhere.
 */
export function canVouch(
  own: readonly Pick<Organisation, "organisationId" | "kind">[],
  organisationId: string | undefined,
): boolean {
  const staff = own.find(({ kind }) => kind === "staff");
  if (staff) return staff.organisationId === organisationId;
  return organisationId === undefined || (own.length === 1 && own[0]?.organisationId === organisationId);
}

export const codeBytes = 10;

/** In groups of four, so that it is easy to type. */
export function codeText(random: Uint8Array): string {
  return (toBase32(random).match(/.{4}/g) ?? []).join("-");
}

/** However it was typed. */
export function codeHash(typed: string): Buffer {
  return sha256(typed.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""));
}
