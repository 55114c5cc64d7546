import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import { blockedMinorOf } from "./dispute-projection.ts";
import { holdsMoney, stateAfter, type Dispute, type DisputeEvent, type DisputeTerms } from "./dispute.ts";
import type { DisputeAnswered } from "./effect.ts";
import type { Order } from "./order.ts";
import { newRandomId, type Wallet } from "./wallet.ts";

export type NewDispute = Pick<
  DisputeTerms,
  "disputeType" | "amount" | "reasonCode" | "reasonMessage" | "source" | "defendable" | "dueTime"
>;

/** Opens a dispute about a paid order, or returns an error message. */
export function openDispute(wallet: Wallet, order: Order, newDispute: NewDispute): Dispute | string {
  const takenMinor = paidMinorOf(order);
  if (takenMinor === undefined || takenMinor === 0n)
    return `The order is ${order.state}, and nothing was paid.`;
  const { disputeType, amount } = newDispute;
  if (amount.currency !== order.amount.currency) return "The order is in another currency.";
  if (BigInt(amount.value) > takenMinor) return "This is more than was paid.";
  const leftMinor = takenMinor - order.refundedMinor - disputedMinorOf(wallet, order);
  const heldMinor = holdsMoney(disputeType) ? least(BigInt(amount.value), leftMinor) : 0n;
  if (disputeType === "RDR" && heldMinor === 0n) return "There is nothing left to refund.";

  const { reference, paymentId, walletOrderId } = order;
  const walletDisputeId = newRandomId("wd_");
  const named = { reference, paymentId, walletOrderId, walletDisputeId };
  const takenAmount = { currency: amount.currency, value: String(heldMinor) };
  wallet.record({
    kind: "dispute-opened",
    ...named,
    sequence: 1,
    dispute: { ...named, ...newDispute, heldMinor: String(heldMinor) },
    ...(disputeType === "RDR" && { takenAmount }),
  });
  return findRecorded(wallet, walletDisputeId);
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

  const { reference, paymentId, walletOrderId, walletDisputeId, amount } = dispute;
  const takenAmount = { currency: amount.currency, value: String(takenMinor) };
  const acceptReason = acceptReasonOf(change);
  const judgedResult = judgedResults[event];
  wallet.record({
    kind: "dispute-changed",
    reference,
    paymentId,
    walletOrderId,
    walletDisputeId,
    sequence: dispute.sequence + 1,
    event,
    state,
    by,
    ...(takenMinor > 0n && { takenAmount }),
    ...(acceptReason && { acceptReason }),
    ...(judgedResult && { judgedResult }),
    ...(answer && { answer }),
  });
  return findRecorded(wallet, walletDisputeId);
}

/** The sum that disputes block from being refunded, in minor units. */
export function disputedMinorOf({ projection }: Wallet, { walletOrderId }: Order): bigint {
  return projection
    .disputesOfOrder(walletOrderId)
    .reduce((sum, dispute) => sum + blockedMinorOf(dispute), 0n);
}

/** The amount that the buyer has paid, in minor units: all that was paid, or the captured part of a hold. */
export function paidMinorOf({ state, paidAmount, capturedMinor }: Order): bigint | undefined {
  if (state === "AUTHORIZED") return capturedMinor;
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

function findRecorded({ projection }: Wallet, walletDisputeId: string): Dispute {
  const dispute = projection.dispute(walletDisputeId);
  assert(dispute, "a dispute that was recorded is in the projection");
  return dispute;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
