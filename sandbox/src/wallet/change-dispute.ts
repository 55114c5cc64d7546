import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import { blockedMinorOf } from "./dispute-projection.ts";
import { holdsMoney, stateAfter, type Dispute, type DisputeEvent, type DisputeTerms } from "./dispute.ts";
import type { DisputeAnswered } from "./effect.ts";
import { claimedMinor, type Order } from "./order.ts";
import { newRandomId, type Wallet } from "./wallet.ts";

export type NewDispute = Pick<
  DisputeTerms,
  | "disputeType"
  | "amount"
  | "reasonCode"
  | "reasonMessage"
  | "source"
  | "defendable"
  | "wantedEvidence"
  | "dueTime"
> & {
  /** Set if the dispute arrives decided, as a returned payment does. */
  readonly judgedResult?: "ACCEPT_BY_MERCHANT";
};

/** Opens a dispute about a paid order, or returns an error message. */
export function openDispute(
  wallet: Wallet,
  order: Order,
  { judgedResult, ...newDispute }: NewDispute,
): Dispute | string {
  const takenMinor = paidMinorOf(order);
  if (takenMinor === undefined || takenMinor === 0n)
    return `The order is ${order.state}, and nothing was paid.`;
  const { disputeType, amount } = newDispute;
  if (amount.currency !== order.amount.currency) return "The order is in another currency.";
  if (BigInt(amount.value) > takenMinor) return "This is more than was paid.";
  const leftMinor = takenMinor - claimedMinor(order.refunds) - disputedMinorOf(wallet, order);
  const heldMinor = holdsMoney(disputeType) ? least(BigInt(amount.value), leftMinor) : 0n;
  const isDecided = disputeType === "RDR" || judgedResult !== undefined;
  if (isDecided && heldMinor === 0n) return "There is nothing left to refund.";

  const { reference, paymentId, providerOrderId } = order;
  const providerDisputeId = newRandomId("wd_");
  const named = { reference, paymentId, providerOrderId, providerDisputeId };
  const takenAmount = { currency: amount.currency, value: String(heldMinor) };
  wallet.record({
    kind: "dispute-opened",
    ...named,
    sequence: 1,
    dispute: { ...named, ...newDispute, heldMinor: String(heldMinor) },
    ...(isDecided && { takenAmount }),
    ...(judgedResult && { judgedResult }),
  });
  return findRecorded(wallet, providerDisputeId);
}

export interface DisputeChangeRequest {
  readonly event: DisputeEvent;
  readonly by: "control" | "gateway";
  readonly acceptReason?: string;
  /** The amount that the wallet takes after `judge-lost`, if it is lower than the held amount. */
  readonly takenAmount?: Amount;
  readonly answer?: DisputeAnswered;
}

/** Changes the dispute and returns its new state, or an error message. */
export function changeDispute(
  wallet: Wallet,
  dispute: Dispute,
  change: DisputeChangeRequest,
): Dispute | string {
  const { event, by, answer } = change;
  const state = stateAfter(dispute, event);
  if (!state) return `A ${dispute.disputeType} that is ${dispute.state} takes no ${event}.`;
  const takenMinor = takenMinorOf(dispute, change);
  if (takenMinor > BigInt(dispute.heldMinor)) return "This is more than is held.";

  const { reference, paymentId, providerOrderId, providerDisputeId, amount } = dispute;
  const takenAmount = { currency: amount.currency, value: String(takenMinor) };
  const acceptReason = acceptReasonOf(change);
  const judgedResult = judgedResults[event];
  wallet.record({
    kind: "dispute-changed",
    reference,
    paymentId,
    providerOrderId,
    providerDisputeId,
    sequence: dispute.sequence + 1,
    event,
    state,
    by,
    ...(takenMinor > 0n && { takenAmount }),
    ...(acceptReason && { acceptReason }),
    ...(judgedResult && { judgedResult }),
    ...(answer && { answer }),
  });
  return findRecorded(wallet, providerDisputeId);
}

/** The sum that disputes block from being refunded, in minor units. */
export function disputedMinorOf({ projection }: Wallet, { providerOrderId }: Order): bigint {
  return projection
    .disputesOfOrder(providerOrderId)
    .reduce((sum, dispute) => sum + blockedMinorOf(dispute), 0n);
}

/** The amount that the buyer has paid, in minor units: all that was paid, or the captured part of a hold. */
export function paidMinorOf({ state, paidAmount, captures }: Order): bigint | undefined {
  if (state === "AUTHORIZED" || state === "LAPSED") return captures.DONE;
  return state === "PAID" && paidAmount ? BigInt(paidAmount.value) : undefined;
}

const judgedResults: { readonly [event in DisputeEvent]?: string } = {
  "judge-won": "ACCEPT_BY_CUSTOMER",
  "judge-lost": "ACCEPT_BY_MERCHANT",
  validate: "VALIDATE_SUCCESS",
  invalidate: "VALIDATE_FAIL",
};

function acceptReasonOf({ event, acceptReason }: DisputeChangeRequest): string | undefined {
  if (event === "expire") return "TIMEOUT";
  return event === "accept" ? (acceptReason ?? "MANUAL_PROCESSING_ACCEPTED") : undefined;
}

function takenMinorOf(dispute: Dispute, { event, takenAmount }: DisputeChangeRequest): bigint {
  if (event === "judge-lost" && takenAmount) return BigInt(takenAmount.value);
  return event === "judge-lost" || event === "accept" || event === "expire" ? BigInt(dispute.heldMinor) : 0n;
}

function findRecorded({ projection }: Wallet, providerDisputeId: string): Dispute {
  const dispute = projection.dispute(providerDisputeId);
  assert(dispute, "a dispute that was recorded is in the projection");
  return dispute;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
