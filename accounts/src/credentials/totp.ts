import { createHmac, timingSafeEqual } from "node:crypto";

/** Time-based one-time passwords (TOTP, RFC 6238) as authenticator apps make them: SHA-1, 30 seconds, six digits. */
const stepSeconds = 30;
const digits = 6;

export const secretBytes = 20;

/** The code of one time step. */
export function totpAt(secret: Uint8Array, step: number, digitCount = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digitCount).padStart(digitCount, "0");
}

export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / stepSeconds);
}

/**
 * The time step to which a code belongs, or undefined. One step to either side counts, because telephones are
 * slow or fast; which of the three fits is compared in constant time.
 */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | undefined {
  const given = Buffer.from(code.padEnd(digits).slice(0, digits));
  const current = stepAt(now);
  const fitting = [current - 1, current, current + 1].filter((step) =>
    timingSafeEqual(Buffer.from(totpAt(secret, step)), given),
  );
  return code.length === digits ? fitting.at(-1) : undefined;
}

/** What an authenticator app reads as a QR code. */
export function otpUri(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

/** Base32 (RFC 4648) without padding, which people can type. */
export function toBase32(bytes: Uint8Array): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}
