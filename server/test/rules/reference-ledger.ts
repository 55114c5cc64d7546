import assert from "node:assert/strict";
import { captureRefusal } from "../../src/captures/capture.ts";
import { mayBecome } from "../../src/core/lifecycle.ts";
import {
  blockedMinorChange,
  decideDispute,
  disputableMinor,
  openDispute,
  resolveRdr,
} from "../../src/disputes/decide-dispute.ts";
import { disputeLifecycle, type Dispute } from "../../src/disputes/dispute.ts";
import {
  feeOfRefund,
  feeTermsOf,
  noRefundFee,
  writeFeeTerms,
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
export interface PaperMove {
  readonly minor: bigint;
  readonly isLast: boolean;
  state: "under way" | "done" | "refused";
}

/**
 * An in-memory model of one payment and its moves: the rules of the gateway decide, and the effects are posted to a
 * small ledger. The model has no database, no provider and no clock: the caller passes the time.
 */
interface PaperRefund extends PaperMove {
  readonly fee: RefundFee;
}

export interface Paper {
  payment: Payment;
  now: Date;
  readonly terms: ConnectorTerms;
  readonly captures: PaperMove[];
  readonly refunds: PaperRefund[];
  readonly reversals: (PaperMove & { readonly isCancel: boolean })[];
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
): Paper {
  const payment = examplePayment({ captureMode, feeBasisPoints, feeTerms: rule && writeFeeTerms(rule) });
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
export function report(paper: Paper, order: OrderReport): void {
  const decision = decidePayment(paper.payment, order, paper.now);
  if (decision.kind === "moved") {
    const { effect, ...change } = decision.change;
    move(paper, change);
    if (effect) {
      post(paper, effect);
      paper.takenMinor += change.paidAmount?.minor ?? 0n;
    }
  }
  // As in the gateway, a second report of the same success finds the existing reversal.
  if (decision.kind === "late success" && !paper.reversals.some(({ isCancel }) => !isCancel)) {
    if (decision.effect) {
      post(paper, decision.effect);
      paper.takenMinor += decision.paid.minor;
    }
    paper.reversals.push({ minor: decision.paid.minor, isLast: false, isCancel: false, state: "under way" });
  }
}

function move(paper: Paper, change: Omit<PaymentChange, "effect">): void {
  const { status, resultCode, ...more } = change;
  assert.ok(mayBecome(paymentLifecycle, paper.payment.status, status), `${paper.payment.status} → ${status}`);
  const { sequence } = paper.payment;
  paper.payment = { ...paper.payment, ...more, status, resultCode, sequence: sequence + 1 };
  // The full amount of a payment with automatic capture counts as captured.
  if (status === "SUCCESS" && paper.payment.captureMode === "AUTOMATIC" && more.paidAmount)
    paper.payment = { ...paper.payment, capturedMinor: more.paidAmount.minor };
}

export function askCancel(paper: Paper): void {
  const { payment, now, terms } = paper;
  if (payment.status === "PROCESSING" || payment.status === "PENDING") {
    paper.payment = { ...payment, cancelRequestedAt: payment.cancelRequestedAt ?? now };
    return;
  }
  const isKnown = paper.reversals.some(({ isCancel }) => isCancel);
  if (payment.status !== "SUCCESS" || isKnown || cancelRefusal(payment, terms, now)) return;
  const minor = payment.captureMode === "MANUAL" ? 0n : (payment.paidAmount?.minor ?? 0n);
  paper.reversals.push({ minor, isLast: false, isCancel: true, state: "under way" });
  paper.payment = { ...payment, cancelRequestedAt: now };
}

export function endReversal(paper: Paper, nth: number, isDone: boolean): void {
  const open = paper.reversals.filter(({ state }) => state === "under way");
  const reversal = open[nth % open.length];
  if (!reversal) return;
  const { clientId, captureMode } = paper.payment;
  reversal.state = isDone ? "done" : "refused";
  if (!isDone && reversal.isCancel) paper.payment = { ...paper.payment, cancelRequestedAt: undefined };
  if (!isDone) return;
  if (reversal.isCancel)
    move(paper, { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", cancelledAt: paper.now });
  if (captureMode === "MANUAL") return;
  const amount = { currency, minor: reversal.minor };
  post(
    paper,
    reversal.isCancel
      ? cancelEffect(clientId, "w", amount, feeTermsOf(paper.payment))
      : reversalEffect("w", amount),
  );
  paper.returnedMinor += reversal.minor;
}

export function askCapture(paper: Paper, minor: bigint, isLast: boolean): void {
  const hadLast = paper.captures.some((each) => each.isLast && each.state !== "refused");
  const amount = { currency, minor };
  if (captureRefusal({ payment: paper.payment, hadLast }, () => paper.terms, amount, paper.now)) return;
  paper.captures.push({ minor, isLast, state: "under way" });
  paper.payment = { ...paper.payment, capturedMinor: paper.payment.capturedMinor + minor };
}

export function endCapture(paper: Paper, nth: number, isDone: boolean): void {
  const capture = nthOpen(paper.captures, nth);
  if (!capture) return;
  const { clientId } = paper.payment;
  capture.state = isDone ? "done" : "refused";
  if (isDone) {
    const { payment, takenMinor } = paper;
    const sums = { terms: feeTermsOf(payment), takenBeforeMinor: payment.feeTerms ? takenMinor : 0n };
    post(paper, captureEffect(clientId, "w", { currency, minor: capture.minor }, sums));
    paper.takenMinor += capture.minor;
  } else {
    paper.payment = { ...paper.payment, capturedMinor: paper.payment.capturedMinor - capture.minor };
  }
}

/** The amount that was really taken: a capture in progress may still fail. */
function capturedMinor({ payment, captures }: Paper): bigint {
  return payment.captureMode === "AUTOMATIC" ? payment.capturedMinor : sum(captures, "done");
}

export function askRefund(paper: Paper, minor: bigint): void {
  const { payment, terms, now } = paper;
  const amount = { currency, minor };
  if (refundRefusal({ payment, amount, capturedMinor: capturedMinor(paper), termsOf: () => terms, now }))
    return;
  const sums = {
    takenMinor: capturedMinor(paper),
    refundedMinor: payment.refundedMinor + minor,
    returned: returnedFees(paper.refunds),
  };
  const fee = payment.feeTerms === undefined ? noRefundFee : feeOfRefund(feeTermsOf(payment), sums);
  paper.refunds.push({ minor, fee, isLast: false, state: "under way" });
  paper.payment = { ...payment, refundedMinor: payment.refundedMinor + minor };
}

export function endRefund(paper: Paper, nth: number, isDone: boolean): void {
  const refund = nthOpen(paper.refunds, nth);
  if (!refund) return;
  const { clientId, refundedMinor } = paper.payment;
  refund.state = isDone ? "done" : "refused";
  if (isDone) {
    post(paper, refundEffect(clientId, "w", { currency, minor: refund.minor }, refund.fee));
    paper.returnedMinor += refund.minor;
  } else {
    paper.payment = { ...paper.payment, refundedMinor: refundedMinor - refund.minor };
  }
}

/** The provider reports the state of a dispute, true or not; the gateway must limit it to the paid amount. */
export function reportDispute(paper: Paper, told: DisputeReport): void {
  const { payment, now } = paper;
  const { paidAmount } = payment;
  const leftMinor = disputableMinor(payment, capturedMinor(paper));
  const index = paper.disputes.findIndex(({ walletDisputeId }) => walletDisputeId === told.walletDisputeId);
  const known = paper.disputes[index];
  if (known) {
    const decision = decideDispute(known, told, leftMinor);
    if (decision.kind !== "changed") return;
    assert.ok(
      known.status === decision.dispute.status ||
        mayBecome(disputeLifecycle, known.status, decision.dispute.status),
      `${known.status} → ${decision.dispute.status}`,
    );
    paper.disputes[index] = decision.dispute;
    settleDispute(paper, known, decision.dispute);
    return;
  }
  if (told.amount.currency !== paidAmount?.currency || told.amount.minor > paidAmount.minor) return;
  const opened = openDispute(told, {
    disputeId: told.walletDisputeId,
    payment,
    connector: "w",
    leftMinor,
    isGivenBack: payment.refundedMinor >= capturedMinor(paper),
    now,
  });
  const dispute = told.state === "RESOLVED" ? resolveRdr(opened, told, leftMinor) : opened;
  if (!dispute || (told.state !== "OPEN" && told.state !== "RESOLVED")) return;
  paper.disputes.push(dispute);
  settleDispute(paper, undefined, dispute);
}

function settleDispute(paper: Paper, before: Dispute | undefined, after: Dispute): void {
  const { clientId, disputedMinor } = paper.payment;
  paper.payment = { ...paper.payment, disputedMinor: disputedMinor + blockedMinorChange(before, after) };
  const frozen = { currency, minor: before?.frozenMinor ?? 0n };
  const debited = { currency, minor: after.debitedMinor };
  if (!before && after.frozenMinor > 0n)
    post(paper, disputeFreezeEffect(clientId, { currency, minor: after.frozenMinor }));
  if (after.debitedMinor > 0n && !before?.debitedMinor) {
    post(paper, disputeDebitEffect(clientId, "w", { frozen, debited }));
    paper.returnedMinor += after.debitedMinor;
  } else if (frozen.minor > 0n && after.frozenMinor === 0n) {
    post(paper, disputeReleaseEffect(clientId, frozen));
  }
}

function post({ accounts }: Paper, { transfers }: Effect): void {
  for (const { debit, credit, amount } of transfers) {
    assert.ok(amount.minor > 0n);
    accounts.set(debit, (accounts.get(debit) ?? 0n) + amount.minor);
    accounts.set(credit, (accounts.get(credit) ?? 0n) - amount.minor);
  }
}

/** The part of the fee that refunds returned, with those in progress. */
export function returnedFees(refunds: readonly PaperRefund[]): Fee {
  const counted = refunds.filter(({ state }) => state !== "refused").map(({ fee }) => fee.returned);
  return {
    feeMinor: counted.reduce((total, { feeMinor }) => total + feeMinor, 0n),
    taxMinor: counted.reduce((total, { taxMinor }) => total + taxMinor, 0n),
  };
}

function nthOpen<Move extends PaperMove>(moves: readonly Move[], nth: number): Move | undefined {
  const open = moves.filter(({ state }) => state === "under way");
  return open[nth % Math.max(open.length, 1)];
}

export function sum(moves: readonly PaperMove[], ...states: PaperMove["state"][]): bigint {
  return moves.filter(({ state }) => states.includes(state)).reduce((total, { minor }) => total + minor, 0n);
}
