import { parseExpiry } from "../core/request-time.ts";
import { isChanging, isUnchosen, type Payment, type SessionTimes } from "../payments/payment.ts";

/** A payment whose buyer chooses how to pay. */
export interface Session {
  readonly payment: Payment & { readonly session: SessionTimes };
  /** Only these are offered, in this order; undefined for all that can be used. */
  readonly types: readonly string[] | undefined;
  readonly regions: readonly string[] | undefined;
  readonly userRegion: string | undefined;
  /** Until when it can be paid, if the merchant said so. */
  readonly paymentExpiresAt: Date | undefined;
  /** What is bought, as the merchant told it. */
  readonly order: object;
  readonly customizedInfo: object | undefined;
}

/** Both the default and the maximum. */
const lifetimeMaxMs = 3600 * 1000;
const paymentLifetimeMs = 14 * 60 * 1000;
const paymentLifetimeMaxMs = 48 * 3600 * 1000;

export const expiryRules = {
  paymentSessionExpiryTime:
    "paymentSessionExpiryTime has to be in the future, and no more than an hour away.",
  paymentExpiryTime: "paymentExpiryTime has to be in the future, and no more than 48 hours away.",
};

/** Expiry of choosing and of paying, or the first field that is wrong. Choosing ends no later than paying. */
export function expiryOf(
  { now, aheadMs }: { readonly now: Date; readonly aheadMs: number },
  asked: { readonly paymentSessionExpiryTime?: string; readonly paymentExpiryTime?: string },
): { readonly choosing: Date; readonly paying: Date | undefined } | keyof typeof expiryRules {
  const { paymentSessionExpiryTime, paymentExpiryTime } = asked;
  const choosing =
    paymentSessionExpiryTime === undefined
      ? new Date(now.getTime() + lifetimeMaxMs)
      : timeWithin(now, parseExpiry(paymentSessionExpiryTime, now, aheadMs), lifetimeMaxMs);
  if (!choosing) return "paymentSessionExpiryTime";
  if (paymentExpiryTime === undefined) return { choosing, paying: undefined };
  const paying = timeWithin(now, parseExpiry(paymentExpiryTime, now, aheadMs), paymentLifetimeMaxMs);
  if (!paying) return "paymentExpiryTime";
  return { choosing: paying < choosing ? paying : choosing, paying };
}

/** Clock skew: a merchant whose clock is ahead may still ask for the maximum. */
const clockGraceMs = 60 * 1000;

function timeWithin(now: Date, askedMs: number | undefined, lifetimeMs: number): Date | undefined {
  const leftMs = askedMs === undefined ? 0 : askedMs - now.getTime();
  if (leftMs <= 0 || leftMs > lifetimeMs + clockGraceMs) return undefined;
  return new Date(now.getTime() + Math.min(leftMs, lifetimeMs));
}

/** Whether the buyer can still choose. */
export function canChoose(payment: Payment, now: Date): boolean {
  const { session, cancelRequestedAt } = payment;
  return isUnchosen(payment) && !cancelRequestedAt && session !== undefined && now < session.expiresAt;
}

/** Bounds what whoever holds the link can make wallets do. */
const changesMax = 10;

/** Whether the buyer can still take another wallet: as long as no money moves. */
export function canChange(payment: Payment, now: Date): boolean {
  const { session, status, order, expiresAt, cancelRequestedAt } = payment;
  if (!session || !order || status !== "PROCESSING" || cancelRequestedAt || isChanging(payment)) return false;
  const isInTime = now < session.expiresAt && (!expiresAt || now < expiresAt);
  return isInTime && session.leftOrders.length < changesMax;
}

/** Until when a payment can be paid whose buyer has just chosen. */
export function payableUntil({ paymentExpiresAt }: Session, now: Date): Date {
  return paymentExpiresAt ?? new Date(now.getTime() + paymentLifetimeMs);
}
