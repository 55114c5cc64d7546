import { parseExpiry } from "../core/request-time.ts";
import {
  isMethodChangeRequested,
  isMethodUnchosen,
  type Payment,
  type SessionTimes,
} from "../payments/payment.ts";

/** A session: a payment whose buyer chooses the payment method. */
export interface Session {
  readonly payment: Payment & { readonly session: SessionTimes };
  /** The session offers only these payment methods, in this order; undefined for all usable methods. */
  readonly types: readonly string[] | undefined;
  readonly regions: readonly string[] | undefined;
  readonly userRegion: string | undefined;
  /** Until when the payment can be paid, if the merchant set it. */
  readonly paymentExpiresAt: Date | undefined;
  /** The order as the merchant sent it. */
  readonly order: object;
  readonly customizedInfo: object | undefined;
}

/** Lifetime of a session: both the default and the maximum. */
const lifetimeMaxMs = 3600 * 1000;
const paymentLifetimeMs = 14 * 60 * 1000;
const paymentLifetimeMaxMs = 48 * 3600 * 1000;

export const expiryRules = {
  paymentSessionExpiryTime: "paymentSessionExpiryTime must be in the future, and at most one hour ahead.",
  paymentExpiryTime: "paymentExpiryTime must be in the future, and at most 48 hours ahead.",
};

/**
 * `sessionExpiryOf` returns until when the buyer can choose and pay, or the first invalid field of the request. The
 * time to choose ends no later than the time to pay.
 */
export function sessionExpiryOf(
  { now, aheadMs }: { readonly now: Date; readonly aheadMs: number },
  request: { readonly paymentSessionExpiryTime?: string; readonly paymentExpiryTime?: string },
): { readonly chooseUntil: Date; readonly payUntil: Date | undefined } | keyof typeof expiryRules {
  const { paymentSessionExpiryTime, paymentExpiryTime } = request;
  const chooseUntil =
    paymentSessionExpiryTime === undefined
      ? new Date(now.getTime() + lifetimeMaxMs)
      : timeWithin(now, parseExpiry(paymentSessionExpiryTime, now, aheadMs), lifetimeMaxMs);
  if (!chooseUntil) return "paymentSessionExpiryTime";
  if (paymentExpiryTime === undefined) return { chooseUntil, payUntil: undefined };
  const payUntil = timeWithin(now, parseExpiry(paymentExpiryTime, now, aheadMs), paymentLifetimeMaxMs);
  if (!payUntil) return "paymentExpiryTime";
  return { chooseUntil: payUntil < chooseUntil ? payUntil : chooseUntil, payUntil };
}

/** Clock skew: a merchant whose clock is ahead may still request the maximum. */
const clockGraceMs = 60 * 1000;

function timeWithin(now: Date, requestedMs: number | undefined, lifetimeMs: number): Date | undefined {
  const leftMs = requestedMs === undefined ? 0 : requestedMs - now.getTime();
  if (leftMs <= 0 || leftMs > lifetimeMs + clockGraceMs) return undefined;
  return new Date(now.getTime() + Math.min(leftMs, lifetimeMs));
}

/** `canChoose` returns whether the buyer can still choose a payment method. */
export function canChoose(payment: Payment, now: Date): boolean {
  const { session, cancelRequestedAt } = payment;
  return isMethodUnchosen(payment) && !cancelRequestedAt && session !== undefined && now < session.expiresAt;
}

/**
 * Maximum number of changes of one session. The maximum limits how many orders a person with the link can create at
 * providers.
 */
const changesMax = 10;

/**
 * `canChange` returns whether the buyer can still change to another payment method, which is possible until money
 * moves.
 */
export function canChange(payment: Payment, now: Date): boolean {
  const { session, status, order, expiresAt, cancelRequestedAt } = payment;
  if (!session || !order || status !== "PROCESSING" || cancelRequestedAt || isMethodChangeRequested(payment))
    return false;
  const isInTime = now < session.expiresAt && (!expiresAt || now < expiresAt);
  return isInTime && session.abandonedOrders.length < changesMax;
}

/** `payableUntil` returns until when a payment can be paid after the buyer's choice. */
export function payableUntil({ paymentExpiresAt }: Session, now: Date): Date {
  return paymentExpiresAt ?? new Date(now.getTime() + paymentLifetimeMs);
}
