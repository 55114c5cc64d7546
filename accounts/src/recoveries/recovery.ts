import { sha256 } from "../../../server/src/core/digest.ts";
import { toBase32 } from "../credentials/totp.ts";

/** Somebody who has lost all that it signs in with comes back: others vouch for it. */
export interface Recovery {
  readonly recoveryId: string;
  readonly personId: string;
  /** Whose people vouch; undefined when the operator does. */
  readonly organisationId: string | undefined;
  readonly askedBy: string;
  readonly confirmedBy: string | undefined;
  readonly reason: string;
  readonly askedAt: Date;
  readonly readyAt: Date | undefined;
  readonly expiresAt: Date;
}

const hourMs = 3_600_000;
/** Two people have to be found on the same day. */
export const vouchedLastsMs = 24 * hourMs;
/** Everybody who is told has a day to object. */
export const operatorWaitsMs = 24 * hourMs;
export const operatorLastsMs = operatorWaitsMs + 48 * hourMs;

export const codeBytes = 10;

/** In groups, as one reads it out over the telephone. */
export function codeText(random: Uint8Array): string {
  return (toBase32(random).match(/.{4}/g) ?? []).join("-");
}

/** However it was typed. */
export function codeHash(typed: string): Buffer {
  return sha256(typed.toUpperCase().replaceAll(/[^A-Z2-7]/g, ""));
}
