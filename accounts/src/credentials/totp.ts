import { createHmac, timingSafeEqual } from "node:crypto";
import { toBase32 } from "../base32.ts";

/** Time-based one-time passwords (TOTP, RFC 6238) as authenticator apps make them: SHA-1, 30 seconds, six digits. */
const stepSeconds = 30;
const digits = 6;

export const secretBytes = 20;

/** `totpAt` returns the code of one time step. */
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
 * `stepOf` returns the time step of a code, or undefined. The steps before and after the current one are accepted
 * too, because of clock skew. The comparison is in constant time.
 */
export function stepOf(secret: Uint8Array, code: string, now: Date): number | undefined {
  const typedCode = Buffer.from(code.padEnd(digits).slice(0, digits));
  const current = stepAt(now);
  const matchingSteps = [current - 1, current, current + 1].filter((step) =>
    timingSafeEqual(Buffer.from(totpAt(secret, step)), typedCode),
  );
  return code.length === digits ? matchingSteps.at(-1) : undefined;
}

/** `otpUri` returns the URI that an authenticator app reads from a QR code. */
export function otpUri(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
