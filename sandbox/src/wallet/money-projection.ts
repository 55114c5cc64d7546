import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import type { Capture } from "./capture.ts";
import type { Line } from "./effect.ts";
import type { Refund } from "./refund.ts";
import { wholeSeconds } from "./wire-time.ts";

/** A movement of money, as the settlement file lists it. */
export interface Movement {
  readonly kind: "payment" | "capture" | "refund" | "chargeback";
  readonly reference: string;
  /** The reference of the capture, refund or dispute; for a payment, the order's reference again. */
  readonly operationReference: string;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly at: string;
}

/** The wallet's captures and refunds, derived only from the lines of its journal. */
export interface MoneyProjection {
  apply(line: Line): void;
  /** Returns the newest capture with this reference; a wallet with the fault not-idempotent may have several. */
  capture(captureReference: string): Capture | undefined;
  /** The newest with this reference. */
  refund(refundReference: string): Refund | undefined;
  refundById(walletRefundId: string): Refund | undefined;
  pendingRefunds(): readonly Refund[];
  /** Oldest first. */
  movements(): readonly Movement[];
}

export function newMoneyProjection(): MoneyProjection {
  const captures = new Map<string, Capture>();
  const refunds = new Map<string, Refund>();
  const refundIdsByReference = new Map<string, string>();
  const pending = new Map<string, Refund>();
  const movements: Movement[] = [];

  function storeRefund(refund: Refund): void {
    const { walletRefundId, refundReference, state } = refund;
    if (!refunds.has(walletRefundId)) refundIdsByReference.set(refundReference, walletRefundId);
    refunds.set(walletRefundId, refund);
    if (state === "PROCESSING") pending.set(walletRefundId, refund);
    else pending.delete(walletRefundId);
  }

  function apply(line: Line): void {
    const started = startedRefund(line);
    if (started) storeRefund(started);
    if (line.kind === "refunded") storeRefund(completedRefund(line));
    if (line.kind === "captured") captures.set(line.captureReference, captureOf(line));
    const movement = movementOf(line);
    if (movement) movements.push(movement);
  }

  const refundById = (id: string | undefined): Refund | undefined =>
    id === undefined ? undefined : refunds.get(id);
  return {
    apply,
    capture: (captureReference) => captures.get(captureReference),
    refund: (refundReference) => refundById(refundIdsByReference.get(refundReference)),
    refundById,
    pendingRefunds: () => [...pending.values()],
    movements: () => movements,
  };
}

/** Returns the pending refund that a call started; undefined if the line contains none. */
export function startedRefund(line: Line): Refund | undefined {
  if (line.kind !== "refund" || !line.refund) return undefined;
  const { reference, refundReference, amount } = line;
  assert(reference && refundReference && amount, "a started refund has its terms");
  return { ...line.refund, reference, refundReference, amount, state: "PROCESSING" };
}

function completedRefund(line: Line & { readonly kind: "refunded" }): Refund {
  const { reference, paymentId, walletOrderId, refundReference, walletRefundId, amount } = line;
  const named = { reference, paymentId, walletOrderId, refundReference, walletRefundId };
  return { ...named, amount, state: "DONE", refundTime: wholeSeconds(line.at) };
}

function captureOf(line: Line & { readonly kind: "captured" }): Capture {
  const { reference, paymentId, captureReference, walletCaptureId, amount } = line;
  const captureTime = wholeSeconds(line.at);
  return { reference, paymentId, captureReference, walletCaptureId, amount, captureTime };
}

function movementOf(line: Line): Movement | undefined {
  if (line.kind === "dispute-opened" || line.kind === "dispute-changed") {
    const { reference, walletDisputeId: operationReference, paymentId, takenAmount: amount, at } = line;
    return amount && { kind: "chargeback", reference, operationReference, paymentId, amount, at };
  }
  if (line.kind !== "paid" && line.kind !== "captured" && line.kind !== "refunded") return undefined;
  const { reference, paymentId, amount, at } = line;
  const named = { reference, paymentId, amount, at };
  switch (line.kind) {
    case "paid":
      return { ...named, kind: "payment", operationReference: reference, amount: line.paidAmount ?? amount };
    case "captured":
      return { ...named, kind: "capture", operationReference: line.captureReference };
    case "refunded":
      return { ...named, kind: "refund", operationReference: line.refundReference };
  }
}
