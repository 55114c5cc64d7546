import { blockedByDisputes, isOpen, takenByDisputes, noKnownState, type Range } from "./dispute-model.ts";
import {
  isInStore,
  mayBeRefused,
  discardImpossibleStatuses,
  addReachableStatuses,
  sum,
  type ModelPayment,
  type GatewayView,
} from "./merchant-model.ts";
import { notRejected, maxOf, type Certainty } from "./model-types.ts";

/**
 * Updates the model after each event: a response that fits some views discards the others, and the buyer's actions at
 * the provider have consequences.
 */
export function afterCancel(payment: ModelPayment, code: string, views: readonly GatewayView[]): void {
  const { order, possibleStatuses } = payment;
  afterMoveStarted(payment);
  const statuses = views.map(({ status }) => status);
  if (code === "SUCCESS") {
    payment.possibleStatuses = new Set(["CANCELLED"] as const);
    if (order !== "PAID" && order !== "DECLINED") payment.order = "CLOSED";
    return;
  }
  const wasOpen = possibleStatuses.has("PROCESSING");
  discardImpossibleStatuses(payment, statuses);
  const isUnknown = code === "UNKNOWN_EXCEPTION";
  if (isUnknown && statuses.includes("SUCCESS")) {
    payment.isReversing = combineCertainty(payment.isReversing, statuses, "SUCCESS");
    if (mayBeRefused(payment, payment.content?.amountMinor ?? 0n)) markReversalUncertain(payment);
  } else if (views.every(({ status }) => status === "SUCCESS")) afterNoReversal(payment, code, views);
  // Race: the gateway learned of the buyer's action while it requested the close of the order, so the provider may have
  // closed the order.
  if (order !== "PAID" && wasOpen && (isUnknown || order === "PENDING")) {
    const wanted = isUnknown ? statuses : ["PROCESSING", "PENDING"];
    payment.cancelWanted = combineCertainty(payment.cancelWanted, wanted, "PROCESSING");
  }
  if (order === "HELD" && wasOpen) payment.hasLapsed = "maybe";
  addReachableStatuses(payment);
}

/** The provider holds the disputed amount: a reversal may be refused, or may have succeeded before. */
export function markReversalUncertain(payment: ModelPayment): void {
  if (payment.isReversing === "no") return;
  payment.isReversing = "maybe";
  payment.isReversalRefused = "maybe";
}

/** The reversal was rejected, so nothing is being returned. */
function afterNoReversal(payment: ModelPayment, code: string, views: readonly GatewayView[]): void {
  payment.isReversing = "no";
  const mayHaveRefused = views.filter((view) => view.isReversalRefused || view.isReversing || isFree(view));
  if (code !== "PROCESS_FAIL" || mayHaveRefused.length === 0) payment.isReversalRefused = "no";
  else payment.isReversalRefused = mayHaveRefused.length === views.length ? "yes" : "maybe";
}

/** Returns true if, as far as the gateway knows, nothing blocks a reversal. */
function isFree({ refundedMinor, disputedMinor, captures }: GatewayView): boolean {
  return refundedMinor === 0n && disputedMinor === 0n && sum(captures) === 0n;
}

/** Returns "yes" only if no other status can give this response; otherwise "maybe". */
function combineCertainty(before: Certainty, statuses: readonly string[], status: string): Certainty {
  if (before === "yes") return "yes";
  return statuses.every((each) => each === status) ? "yes" : "maybe";
}

/** A capture or a refund was accepted, so no reversal was in progress. */
export function afterMove(payment: ModelPayment, views: readonly GatewayView[], isAccepted: boolean): void {
  if (isAccepted) afterMoveStarted(payment);
  discardImpossibleStatuses(
    payment,
    views.map(({ status }) => status),
  );
  if (isAccepted && views.every(({ isReversing }) => !isReversing)) payment.isReversing = "no";
}

/**
 * Widens the range of the frozen amount. A move in progress when the gateway learns of a dispute changes the amount
 * that it can freeze.
 */
function afterMoveStarted({ disputes, content }: ModelPayment): void {
  for (const dispute of disputes.filter(
    ({ knownStateIndex, type }) => knownStateIndex === noKnownState && type === "CHARGEBACK",
  )) {
    dispute.lowMinor = 0n;
    if (content?.isManual) dispute.highMinor = maxOf(dispute.highMinor, dispute.amountMinor);
  }
}

/** The provider accepted an action of the buyer or of its own clock. */
export function afterProviderAction(payment: ModelPayment, action: string): void {
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
      if (isInStore(payment)) break;
      payment.possibleStatuses = new Set([...payment.possibleStatuses, "PENDING"] as const);
      break;
    default:
      payment.order = "CLOSED";
      if (order === "HELD") payment.hasLapsed = "yes";
  }
  addReachableStatuses(payment);
}

/** The provider rejected an action of the buyer, because the gateway had closed the order. */
export function afterTooLate(payment: ModelPayment): void {
  payment.order = "CLOSED";
  addReachableStatuses(payment);
}

export function afterExpiry(payment: ModelPayment): void {
  // After the buyer has acted, the gateway never closes the order by time.
  if (payment.order === "HELD" || payment.order === "PENDING") return;
  payment.hasExpired = true;
  // The buyer of an expired session can no longer choose a method, so no provider will get the order.
  if (payment.order === "UNCHOSEN") payment.order = "CLOSED";
  addReachableStatuses(payment);
}

/** Final amounts of the payment, in minor units. */
export interface FinalAmounts {
  readonly paidMinor: bigint;
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
  /** Amounts that disputes took, and that open disputes hold. */
  readonly disputedMinor: bigint;
  readonly frozen: Range;
  /** The fee that stays with the operator. */
  readonly feeMinor: bigint;
}

export function finalAmountsOf(payment: ModelPayment, status: string, feeBasisPoints: bigint): FinalAmounts {
  const { content, order, captures, refunds, disputes } = payment;
  const open = disputes.filter(({ states }) => states().every(isOpen));
  const feeOf = (minor: bigint): bigint => (minor * feeBasisPoints) / 10_000n;
  const done = captures.filter(({ state }) => state === "SUCCESS");
  const paidMinor = order === "PAID" ? (content?.amountMinor ?? 0n) : 0n;
  const isReturned = status !== "SUCCESS";
  return {
    paidMinor,
    capturedMinor: sum(done),
    refundedMinor: sum(refunds, ["SUCCESS"]) + (isReturned ? paidMinor : 0n),
    disputedMinor: takenByDisputes(disputes),
    frozen: blockedByDisputes(open),
    feeMinor:
      (isReturned ? 0n : feeOf(paidMinor)) +
      done.reduce((fee, { amountMinor }) => fee + feeOf(amountMinor), 0n),
  };
}

/** The result codes that a view allows. */
export function allowedBy(code: string, goingAhead: readonly string[]): readonly string[] {
  return code === notRejected ? goingAhead : [code];
}
