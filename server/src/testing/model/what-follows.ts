import {
  goesAhead,
  narrow,
  spread,
  sum,
  type ModelPayment,
  type Perhaps,
  type View,
} from "./merchant-model.ts";

/**
 * What the model takes from what happened: an answer that fits some views rules out the others, and the buyer's
 * deeds at the wallet lead somewhere.
 */
export function afterCancel(payment: ModelPayment, code: string, views: readonly View[]): void {
  const { order, may } = payment;
  const statuses = views.map(({ status }) => status);
  if (code === "SUCCESS") {
    payment.may = new Set(["CANCELLED"] as const);
    if (order === "OPEN" || order === "PENDING" || order === "HELD") payment.order = "CLOSED";
    return;
  }
  const wasOpen = may.has("PROCESSING");
  narrow(payment, statuses);
  const isUnknown = code === "UNKNOWN_EXCEPTION";
  if (isUnknown && statuses.includes("SUCCESS"))
    payment.isReversing = surer(payment.isReversing, statuses, "SUCCESS");
  // What the buyer did was told to the gateway while it asked the wallet to close: the wallet may have closed it.
  if (order !== "PAID" && wasOpen && (isUnknown || order === "PENDING")) {
    const wanted = isUnknown ? statuses : ["PROCESSING", "PENDING"];
    payment.cancelWanted = surer(payment.cancelWanted, wanted, "PROCESSING");
  }
  if (order === "HELD" && wasOpen) payment.hasLapsed = "maybe";
  spread(payment);
}

/** Certain only if nothing else can have given the answer. */
function surer(before: Perhaps, statuses: readonly string[], status: string): Perhaps {
  if (before === "yes") return "yes";
  return statuses.every((each) => each === status) ? "yes" : "maybe";
}

/** A capture or a refund was taken on, so the money was not on its way back. */
export function afterMove(payment: ModelPayment, views: readonly View[], isTaken: boolean): void {
  narrow(
    payment,
    views.map(({ status }) => status),
  );
  if (isTaken && views.every(({ isReversing }) => !isReversing)) payment.isReversing = "no";
}

/** The wallet did what the buyer, or the wallet's own clock, wanted. */
export function afterDeed(payment: ModelPayment, action: string): void {
  const { order, content, cancelWanted, hasExpired } = payment;
  const isClosing = cancelWanted !== "no" || hasExpired;
  switch (action) {
    case "approve":
      payment.order = content?.isManual ? "HELD" : "PAID";
      if (payment.order === "PAID") payment.cancelWanted = "no";
      else payment.wasHeld = true;
      if (payment.order === "HELD" && isClosing) payment.hasLapsed = "maybe";
      break;
    case "decline":
      payment.order = "DECLINED";
      payment.failure = "USER_BALANCE_NOT_ENOUGH";
      break;
    case "pend":
      payment.order = "PENDING";
      payment.may = new Set([...payment.may, "PENDING"] as const);
      break;
    default:
      payment.order = "CLOSED";
      if (order === "HELD") payment.hasLapsed = "yes";
  }
  spread(payment);
}

/** The wallet refused what the buyer could have done, had the gateway not closed the order. */
export function afterTooLate(payment: ModelPayment): void {
  payment.order = "CLOSED";
  spread(payment);
}

export function afterExpiry(payment: ModelPayment): void {
  payment.hasExpired = true;
  if (payment.order === "HELD") payment.hasLapsed = "maybe";
  spread(payment);
}

/** What the payment has moved at the end, in minor units. */
export interface Moved {
  readonly paidMinor: bigint;
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
  /** The fee that stays with the provider. */
  readonly feeMinor: bigint;
}

export function movedBy(payment: ModelPayment, status: string, feeBasisPoints: bigint): Moved {
  const { content, order, captures, refunds } = payment;
  const feeOf = (minor: bigint): bigint => (minor * feeBasisPoints) / 10_000n;
  const done = captures.filter(({ state }) => state === "SUCCESS");
  const paidMinor = order === "PAID" ? (content?.amountMinor ?? 0n) : 0n;
  const isGivenBack = status !== "SUCCESS";
  return {
    paidMinor,
    capturedMinor: sum(done),
    refundedMinor: sum(refunds, ["SUCCESS"]) + (isGivenBack ? paidMinor : 0n),
    feeMinor:
      (isGivenBack ? 0n : feeOf(paidMinor)) +
      done.reduce((fee, { amountMinor }) => fee + feeOf(amountMinor), 0n),
  };
}

/** The codes that a view allows. */
export function allowedBy(code: string, goingAhead: readonly string[]): readonly string[] {
  return code === goesAhead ? goingAhead : [code];
}
