import { createHash, randomInt } from "node:crypto";
import { parseTime } from "./wire-time.ts";

/** A code that a buyer's wallet has shown. Only its hash is stored: a reader could pay with the code. */
export interface PaymentCode {
  readonly hash: string;
  readonly expiryTime: string;
  /** The buyer; only the newest code of a buyer is valid. */
  readonly buyer?: string;
  /** The buyer has to confirm before anything is paid. */
  readonly asks?: boolean;
  /** The payment is declined with this result code. */
  readonly declines?: string;
  /** Replay protection: a used or replaced code does not pay. */
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

/** Marks a payment code, its issuer and its use: 28, agreement 1, issuer 000, business 02. */
const prefix = "28100002";
const randomDigitCount = 16;

/** 24 digits, 16 of them random. */
export function newPaymentCode(): string {
  return prefix + Array.from({ length: randomDigitCount }, () => randomInt(10)).join("");
}
