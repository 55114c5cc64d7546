import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import { heldBy } from "./dispute-book.ts";
import { holdsMoney, stateAfter, type Dispute, type DisputeEvent, type DisputeTerms } from "./dispute.ts";
import type { DisputeAnswered } from "./effect.ts";
import type { Order } from "./order.ts";
import { newName, type Wallet } from "./wallet.ts";

export type NewDispute = Pick<
  DisputeTerms,
  "disputeType" | "amount" | "reasonCode" | "reasonMessage" | "source" | "defendable" | "dueTime"
>;

/** Opens a dispute about a paid order, or returns an error message. */
export function openDispute(wallet: Wallet, order: Order, asked: NewDispute): Dispute | string {
  const takenMinor = takenFrom(order);
  if (takenMinor === undefined || takenMinor === 0n)
    return `The order is ${order.state}, and nothing was paid.`;
  const { disputeType, amount } = asked;
  if (amount.currency !== order.amount.currency) return "The order is in another currency.";
  if (BigInt(amount.value) > takenMinor) return "This is more than was paid.";
  const leftMinor = takenMinor - order.refundedMinor - disputedOf(wallet, order);
  const heldMinor = holdsMoney(disputeType) ? least(BigInt(amount.value), leftMinor) : 0n;
  if (disputeType === "RDR" && heldMinor === 0n) return "There is nothing left to refund.";

  const { reference, paymentId, walletOrderId } = order;
  const walletDisputeId = newName("wd_");
  const named = { reference, paymentId, walletOrderId, walletDisputeId };
  const takenAmount = { currency: amount.currency, value: String(heldMinor) };
  wallet.record({
    kind: "dispute-opened",
    ...named,
    sequence: 1,
    dispute: { ...named, ...asked, heldMinor: String(heldMinor) },
    ...(disputeType === "RDR" && { takenAmount }),
  });
  return recorded(wallet, walletDisputeId);
}

export interface Happening {
  readonly event: DisputeEvent;
  readonly by: "control" | "gateway";
  readonly acceptReason?: string;
  /** The amount that the wallet takes after `judge-lost`, if it is lower than the held amount. */
  readonly takenAmount?: Amount;
  readonly answer?: DisputeAnswered;
}

/** Changes the dispute and returns its new state, or an error message. */
export function changeDispute(wallet: Wallet, dispute: Dispute, happening: Happening): Dispute | string {
  const { event, by, answer } = happening;
  const state = stateAfter(dispute, event);
  if (!state) return `A ${dispute.disputeType} that is ${dispute.state} takes no ${event}.`;
  const takenMinor = takenBy(dispute, happening);
  if (takenMinor > BigInt(dispute.heldMinor)) return "This is more than is held.";

  const { reference, paymentId, walletOrderId, walletDisputeId, amount } = dispute;
  const takenAmount = { currency: amount.currency, value: String(takenMinor) };
  const acceptReason = acceptReasonOf(happening);
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
  return recorded(wallet, walletDisputeId);
}

/** The sum that disputes block from being refunded, in minor units. */
export function disputedOf({ book }: Wallet, { walletOrderId }: Order): bigint {
  return book.disputesOfOrder(walletOrderId).reduce((sum, dispute) => sum + heldBy(dispute), 0n);
}

/** The amount that the buyer has paid, in minor units: all that was paid, or the captured part of a hold. */
export function takenFrom({ state, paidAmount, capturedMinor }: Order): bigint | undefined {
  if (state === "AUTHORIZED") return capturedMinor;
  return state === "PAID" && paidAmount ? BigInt(paidAmount.value) : undefined;
}

const judgedResults: { readonly [event in DisputeEvent]?: string } = {
  "judge-won": "ACCEPT_BY_CUSTOMER",
  "judge-lost": "ACCEPT_BY_MERCHANT",
  validate: "VALIDATE_SUCCESS",
  invalidate: "VALIDATE_FAIL",
};

function acceptReasonOf({ event, acceptReason }: Happening): string | undefined {
  if (event === "expire") return "TIMEOUT";
  return event === "accept" ? (acceptReason ?? "MANUAL_PROCESSING_ACCEPTED") : undefined;
}

function takenBy(dispute: Dispute, { event, takenAmount }: Happening): bigint {
  if (event === "judge-lost" && takenAmount) return BigInt(takenAmount.value);
  return event === "judge-lost" || event === "accept" || event === "expire" ? BigInt(dispute.heldMinor) : 0n;
}

function recorded({ book }: Wallet, walletDisputeId: string): Dispute {
  const dispute = book.dispute(walletDisputeId);
  assert(dispute, "a dispute that was recorded is in the book");
  return dispute;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
