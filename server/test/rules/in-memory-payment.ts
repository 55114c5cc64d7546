import assert from "node:assert/strict";
import { checkCapture } from "../../src/captures/capture.ts";
import { canTransition } from "../../src/core/lifecycle.ts";
import {
  blockedMinorChange,
  decideDispute,
  disputableMinor,
  openDispute,
  resolveAtOnce,
} from "../../src/disputes/decide-dispute.ts";
import { disputeLifecycle, type Dispute } from "../../src/disputes/dispute.ts";
import {
  calculateRefundFee,
  paymentFeeTerms,
  noRefundFee,
  formatFeeTerms,
  type Fee,
  type FeeTerms,
  type RefundFee,
} from "../../src/ledger/fee.ts";
import {
  cancelEffect,
  captureEffect,
  disputeDebitEffect,
  disputeFreezeEffect,
  disputeReleaseEffect,
  refundEffect,
  reversalEffect,
  type Effect,
} from "../../src/ledger/transfer.ts";
import { cancelRefusal } from "../../src/payments/cancellation.ts";
import { paymentLifecycle, type Payment } from "../../src/payments/payment.ts";
import { decidePayment, type PaymentChange } from "../../src/payments/decide-payment.ts";
import { examplePayment } from "../examples/example-payment.ts";
import { refundRefusal } from "../../src/refunds/refund.ts";
import { defaultTerms, type ConnectorTerms } from "../../src/providers/connector.ts";
import type { DisputeReport, OrderReport } from "../../src/providers/provider.ts";

/** A capture, refund or reversal in progress or ended. */
export interface InMemoryMove {
  readonly minor: bigint;
  readonly isLast: boolean;
  state: "under way" | "done" | "refused";
}

/**
 * An in-memory model of one payment and its moves: the rules of the gateway decide, and the effects are posted to a
 * small ledger. The model has no database, no provider and no clock: the caller passes the time.
 */
interface InMemoryRefund extends InMemoryMove {
  readonly fee: RefundFee;
}

export interface InMemoryPayment {
  payment: Payment;
  now: Date;
  readonly terms: ConnectorTerms;
  readonly captures: InMemoryMove[];
  readonly refunds: InMemoryRefund[];
  readonly reversals: (InMemoryMove & { readonly isCancel: boolean })[];
  readonly disputes: Dispute[];
  readonly accounts: Map<string, bigint>;
  /** The amount that the provider has taken from the buyer; `returnedMinor` is the amount that it has returned. */
  takenMinor: bigint;
  returnedMinor: bigint;
}

const currency = "EUR";
const feeBasisPoints = 130;

/** Creates a payment. Without a fee rule, the merchant's own rate applies. */
export function newInMemoryPayment(
  captureMode: Payment["captureMode"],
  terms: Partial<ConnectorTerms>,
  rule: FeeTerms | undefined,
): InMemoryPayment {
  const payment = examplePayment({ captureMode, feeBasisPoints, feeTerms: rule && formatFeeTerms(rule) });
  return {
    payment,
    now: payment.createdAt,
    terms: { ...defaultTerms, ...terms },
    captures: [],
    refunds: [],
    reversals: [],
    disputes: [],
    accounts: new Map(),
    takenMinor: 0n,
    returnedMinor: 0n,
  };
}

/** The provider reports the state of the order. */
export function reportOrder(model: InMemoryPayment, order: OrderReport): void {
  const decision = decidePayment(model.payment, order, model.now);
  if (decision.kind === "moved") {
    const { effect, ...change } = decision.change;
    applyChange(model, change);
    if (effect) {
      post(model, effect);
      model.takenMinor += change.paidAmount?.minor ?? 0n;
    }
  }
  // As in the gateway, a second report of the same success finds the existing reversal.
  if (decision.kind === "late success" && !model.reversals.some(({ isCancel }) => !isCancel)) {
    if (decision.effect) {
      post(model, decision.effect);
      model.takenMinor += decision.paidAmount.minor;
    }
    model.reversals.push({
      minor: decision.paidAmount.minor,
      isLast: false,
      isCancel: false,
      state: "under way",
    });
  }
}

function applyChange(model: InMemoryPayment, change: Omit<PaymentChange, "effect">): void {
  const { status, resultCode, ...more } = change;
  assert.ok(
    canTransition(paymentLifecycle, model.payment.status, status),
    `${model.payment.status} → ${status}`,
  );
  const { sequence } = model.payment;
  model.payment = { ...model.payment, ...more, status, resultCode, sequence: sequence + 1 };
  // The full amount of a payment with automatic capture counts as captured.
  if (status === "SUCCESS" && model.payment.captureMode === "AUTOMATIC" && more.paidAmount)
    model.payment = { ...model.payment, capturedMinor: more.paidAmount.minor };
}

export function requestCancel(model: InMemoryPayment): void {
  const { payment, now, terms } = model;
  if (payment.status === "PROCESSING" || payment.status === "PENDING") {
    model.payment = { ...payment, cancelRequestedAt: payment.cancelRequestedAt ?? now };
    return;
  }
  const isKnown = model.reversals.some(({ isCancel }) => isCancel);
  if (payment.status !== "SUCCESS" || isKnown || cancelRefusal(payment, terms, now)) return;
  const minor = payment.captureMode === "MANUAL" ? 0n : (payment.paidAmount?.minor ?? 0n);
  model.reversals.push({ minor, isLast: false, isCancel: true, state: "under way" });
  model.payment = { ...payment, cancelRequestedAt: now };
}

export function endReversal(model: InMemoryPayment, nth: number, isDone: boolean): void {
  const open = model.reversals.filter(({ state }) => state === "under way");
  const reversal = open[nth % open.length];
  if (!reversal) return;
  const { clientId, captureMode } = model.payment;
  reversal.state = isDone ? "done" : "refused";
  if (!isDone && reversal.isCancel) model.payment = { ...model.payment, cancelRequestedAt: undefined };
  if (!isDone) return;
  if (reversal.isCancel)
    applyChange(model, { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", cancelledAt: model.now });
  if (captureMode === "MANUAL") return;
  const amount = { currency, minor: reversal.minor };
  post(
    model,
    reversal.isCancel
      ? cancelEffect(clientId, "w", amount, paymentFeeTerms(model.payment))
      : reversalEffect("w", amount),
  );
  model.returnedMinor += reversal.minor;
}

export function requestCapture(model: InMemoryPayment, minor: bigint, isLast: boolean): void {
  const hasLastCapture = model.captures.some((each) => each.isLast && each.state !== "refused");
  const amount = { currency, minor };
  if (checkCapture({ payment: model.payment, hasLastCapture }, () => model.terms, amount, model.now)) return;
  model.captures.push({ minor, isLast, state: "under way" });
  model.payment = { ...model.payment, capturedMinor: model.payment.capturedMinor + minor };
}

export function endCapture(model: InMemoryPayment, nth: number, isDone: boolean): void {
  const capture = nthOpen(model.captures, nth);
  if (!capture) return;
  const { clientId } = model.payment;
  capture.state = isDone ? "done" : "refused";
  if (isDone) {
    const { payment, takenMinor } = model;
    const sums = { terms: paymentFeeTerms(payment), capturedBeforeMinor: payment.feeTerms ? takenMinor : 0n };
    post(model, captureEffect(clientId, "w", { currency, minor: capture.minor }, sums));
    model.takenMinor += capture.minor;
  } else {
    model.payment = { ...model.payment, capturedMinor: model.payment.capturedMinor - capture.minor };
  }
}

/** The amount that was really taken: a capture in progress may still fail. */
function capturedMinor({ payment, captures }: InMemoryPayment): bigint {
  return payment.captureMode === "AUTOMATIC" ? payment.capturedMinor : sum(captures, "done");
}

export function requestRefund(model: InMemoryPayment, minor: bigint): void {
  const { payment, terms, now } = model;
  const amount = { currency, minor };
  if (refundRefusal({ payment, amount, capturedMinor: capturedMinor(model), termsOf: () => terms, now }))
    return;
  const sums = {
    capturedMinor: capturedMinor(model),
    refundedMinor: payment.refundedMinor + minor,
    returned: returnedFees(model.refunds),
  };
  const fee =
    payment.feeTerms === undefined ? noRefundFee : calculateRefundFee(paymentFeeTerms(payment), sums);
  model.refunds.push({ minor, fee, isLast: false, state: "under way" });
  model.payment = { ...payment, refundedMinor: payment.refundedMinor + minor };
}

export function endRefund(model: InMemoryPayment, nth: number, isDone: boolean): void {
  const refund = nthOpen(model.refunds, nth);
  if (!refund) return;
  const { clientId, refundedMinor } = model.payment;
  refund.state = isDone ? "done" : "refused";
  if (isDone) {
    post(model, refundEffect(clientId, "w", { currency, minor: refund.minor }, refund.fee));
    model.returnedMinor += refund.minor;
  } else {
    model.payment = { ...model.payment, refundedMinor: refundedMinor - refund.minor };
  }
}

/** The provider reports the state of a dispute, true or not; the gateway must limit it to the paid amount. */
export function reportDispute(model: InMemoryPayment, report: DisputeReport): void {
  const { payment, now } = model;
  const { paidAmount } = payment;
  const leftMinor = disputableMinor(payment, capturedMinor(model));
  const index = model.disputes.findIndex(
    ({ providerDisputeId }) => providerDisputeId === report.providerDisputeId,
  );
  const existing = model.disputes[index];
  if (existing) {
    const decision = decideDispute(existing, report, leftMinor);
    if (decision.kind !== "changed") return;
    assert.ok(
      existing.status === decision.dispute.status ||
        canTransition(disputeLifecycle, existing.status, decision.dispute.status),
      `${existing.status} → ${decision.dispute.status}`,
    );
    model.disputes[index] = decision.dispute;
    settleDispute(model, existing, decision.dispute);
    return;
  }
  if (report.amount.currency !== paidAmount?.currency || report.amount.minor > paidAmount.minor) return;
  const opened = openDispute(report, {
    disputeId: report.providerDisputeId,
    payment,
    connector: "w",
    remainingMinor: leftMinor,
    isFullyReturned: payment.refundedMinor >= capturedMinor(model),
    now,
  });
  const dispute = report.state === "RESOLVED" ? resolveAtOnce(opened, report, leftMinor) : opened;
  if (!dispute || (report.state !== "OPEN" && report.state !== "RESOLVED")) return;
  model.disputes.push(dispute);
  settleDispute(model, undefined, dispute);
}

function settleDispute(model: InMemoryPayment, before: Dispute | undefined, after: Dispute): void {
  const { clientId, disputedMinor } = model.payment;
  model.payment = { ...model.payment, disputedMinor: disputedMinor + blockedMinorChange(before, after) };
  const frozen = { currency, minor: before?.frozenMinor ?? 0n };
  const debited = { currency, minor: after.debitedMinor };
  if (!before && after.frozenMinor > 0n)
    post(model, disputeFreezeEffect(clientId, { currency, minor: after.frozenMinor }));
  if (after.debitedMinor > 0n && !before?.debitedMinor) {
    post(model, disputeDebitEffect(clientId, "w", { frozen, debited }));
    model.returnedMinor += after.debitedMinor;
  } else if (frozen.minor > 0n && after.frozenMinor === 0n) {
    post(model, disputeReleaseEffect(clientId, frozen));
  }
}

function post({ accounts }: InMemoryPayment, { transfers }: Effect): void {
  for (const { debit, credit, amount } of transfers) {
    assert.ok(amount.minor > 0n);
    accounts.set(debit, (accounts.get(debit) ?? 0n) + amount.minor);
    accounts.set(credit, (accounts.get(credit) ?? 0n) - amount.minor);
  }
}

/** The part of the fee that refunds returned, with those in progress. */
export function returnedFees(refunds: readonly InMemoryRefund[]): Fee {
  const counted = refunds.filter(({ state }) => state !== "refused").map(({ fee }) => fee.returned);
  return {
    feeMinor: counted.reduce((total, { feeMinor }) => total + feeMinor, 0n),
    taxMinor: counted.reduce((total, { taxMinor }) => total + taxMinor, 0n),
  };
}

function nthOpen<Move extends InMemoryMove>(moves: readonly Move[], nth: number): Move | undefined {
  const open = moves.filter(({ state }) => state === "under way");
  return open[nth % Math.max(open.length, 1)];
}

export function sum(moves: readonly InMemoryMove[], ...states: InMemoryMove["state"][]): bigint {
  return moves.filter(({ state }) => states.includes(state)).reduce((total, { minor }) => total + minor, 0n);
}
