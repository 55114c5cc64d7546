import { createHash, randomInt } from "node:crypto";
import { parseTime } from "./wire-time.ts";

/** A code that a buyer's wallet has shown. The code itself is nowhere kept: who reads it could pay with it. */
export interface PaymentCode {
  readonly hash: string;
  readonly expiryTime: string;
  /** Whose it is; of one buyer only the newest is good. */
  readonly buyer?: string;
  /** The buyer has to confirm before anything is paid. */
  readonly asks?: boolean;
  /** The buyer is refused, with this result code. */
  readonly declines?: string;
  /** One that is used up, or that a newer one has replaced, pays nothing any more. */
  readonly state: "FRESH" | "USED" | "REPLACED";
}

/** What the wallet makes of a code that came with an order. All but a refused code are used up by the order. */
export type CodeVerdict =
  | { readonly kind: "refused" | "declined"; readonly resultCode: string }
  | { readonly kind: "approved" }
  | { readonly kind: "asks" };

export function isPaymentCode(value: unknown): value is string {
  return typeof value === "string" && /^\d{16,32}$/.test(value);
}

/** In the order in which the wallet looks. */
export function verdictOn(code: PaymentCode | undefined, nowMs: number): CodeVerdict {
  if (code?.state !== "FRESH") return { kind: "refused", resultCode: "INVALID_CODE" };
  if (nowMs >= (parseTime(code.expiryTime) ?? 0)) return { kind: "refused", resultCode: "EXPIRED_CODE" };
  if (code.declines !== undefined) return { kind: "declined", resultCode: code.declines };
  return { kind: code.asks ? "asks" : "approved" };
}

export function hashOfCode(paymentCode: string): string {
  return createHash("sha256").update(paymentCode).digest("hex");
}

/** Says that a payment code follows, who issued it, and that it pays: 28, agreement 1, issuer 000, business 02. */
const prefix = "28100002";
const randomDigitCount = 16;

/** 24 digits that nobody can guess. */
export function newPaymentCode(): string {
  return prefix + Array.from({ length: randomDigitCount }, () => randomInt(10)).join("");
}
