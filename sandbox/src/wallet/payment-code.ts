import { createHash, randomInt } from "node:crypto";
import { parseTime } from "./wire-time.ts";

/**
 * A payment code that was issued to a buyer. Only its hash is stored, because a reader of the code could pay with it.
 */
export interface PaymentCode {
  readonly hash: string;
  readonly expiryTime: string;
  /** The buyer to whom the code was issued. Only the newest code of a buyer is valid. */
  readonly buyer?: string;
  /** Whether the buyer must confirm the payment. */
  readonly asks?: boolean;
  /** The result code with which the payment is declined. */
  readonly declines?: string;
  /** Replay protection: a used or replaced code does not pay. */
  readonly state: "FRESH" | "USED" | "REPLACED";
}

/** The wallet's verdict on the code of an order. The order uses up the code unless the code is rejected. */
export type CodeVerdict =
  | { readonly kind: "refused" | "declined"; readonly resultCode: string }
  | { readonly kind: "approved" }
  | { readonly kind: "asks" };

export function isPaymentCode(value: unknown): value is string {
  return typeof value === "string" && /^\d{16,32}$/.test(value);
}

/** Checks in order of precedence. */
export function verdictOn(code: PaymentCode | undefined, nowMs: number): CodeVerdict {
  if (code?.state !== "FRESH") return { kind: "refused", resultCode: "INVALID_CODE" };
  if (nowMs >= (parseTime(code.expiryTime) ?? 0)) return { kind: "refused", resultCode: "EXPIRED_CODE" };
  if (code.declines !== undefined) return { kind: "declined", resultCode: code.declines };
  return { kind: code.asks ? "asks" : "approved" };
}

export function hashOfCode(paymentCode: string): string {
  return createHash("sha256").update(paymentCode).digest("hex");
}

/** The prefix of a payment code: 28, agreement 1, issuer 000, business 02. */
const prefix = "28100002";
const randomDigitCount = 16;

/** 24 digits, 16 of them random. */
export function newPaymentCode(): string {
  return prefix + Array.from({ length: randomDigitCount }, () => randomInt(10)).join("");
}
