import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calculateFee, paymentFeeTerms, type Fee } from "../../src/ledger/fee.ts";
import { frozenAccount, payableAccount, receivableAccount } from "../../src/ledger/transfer.ts";
import { disputeTypes } from "../../src/providers/dispute-values.ts";
import type { DisputeReport, OrderReport } from "../../src/providers/provider.ts";
import { arbitraryFeeTerms } from "../examples/arbitrary-fee-terms.ts";
import {
  requestCancel,
  requestCapture,
  requestRefund,
  endCapture,
  endRefund,
  endReversal,
  newInMemoryPayment,
  reportOrder,
  reportDispute,
  returnedFees,
  sum,
  type InMemoryPayment,
} from "./in-memory-payment.ts";

/**
 * Random sequences of all actions on a payment, against the rules alone. Merchants request too much; providers repeat
 * reports, send them late, contradict themselves, or take money that they are not entitled to. After every accepted action, no
 * more money has moved than was paid.
 */
const { TOLLGATE_RULES_RUNS: runs = "20000", TOLLGATE_RULES_SEED: seed } = process.env;
const stepsMax = 60;

type Step = (model: InMemoryPayment) => void;

const paidMinor = 1_250n;
const eur = (minor: bigint): { currency: string; minor: bigint } => ({ currency: "EUR", minor });
const someMinor = fc.oneof(
  fc.bigInt({ min: 1n, max: paidMinor }),
  fc.constantFrom(paidMinor, paidMinor + 1n, paidMinor / 2n, 1n),
);

const orderSteps = fc
  .constantFrom(
    "OPEN",
    "PENDING",
    "PAID",
    "PAID",
    "AUTHORIZED",
    "AUTHORIZED",
    "DECLINED",
    "CLOSED",
    "NOT_FOUND",
  )
  .chain((state) => fc.tuple(fc.constant(state), fc.constantFrom(paidMinor, paidMinor, paidMinor, 1n)))
  .map(([state, minor]): Step => {
    const orderReport = (at: Date): OrderReport => {
      switch (state) {
        case "PAID":
        case "AUTHORIZED":
          return { state, amount: eur(paidMinor), paidAmount: eur(minor), paidAt: at };
        case "OPEN":
          return { state, nextAction: undefined };
        case "DECLINED":
          return { state, resultCode: "RISK_REJECT" };
        case "PENDING":
        case "CLOSED":
        case "NOT_FOUND":
          return { state };
      }
    };
    return (model) => reportOrder(model, orderReport(model.now));
  });

const timeSteps = fc.constantFrom(60, 3_600, 86_400, 40 * 86_400).map((seconds): Step => (model) => {
  model.now = new Date(model.now.getTime() + seconds * 1_000);
});

const moveEnd = fc.tuple(fc.nat({ max: 5 }), fc.constantFrom(true, true, false));

const moveSteps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(someMinor, fc.boolean()).map(
    ([minor, isLast]): Step =>
      (model) =>
        requestCapture(model, minor, isLast),
  ),
  moveEnd.map(
    ([nth, isDone]): Step =>
      (model) =>
        endCapture(model, nth, isDone),
  ),
  someMinor.map(
    (minor): Step =>
      (model) =>
        requestRefund(model, minor),
  ),
  moveEnd.map(
    ([nth, isDone]): Step =>
      (model) =>
        endRefund(model, nth, isDone),
  ),
  fc.constant<Step>(requestCancel),
  moveEnd.map(
    ([nth, isDone]): Step =>
      (model) =>
        endReversal(model, nth, isDone),
  ),
);

const disputeSteps: fc.Arbitrary<Step> = fc
  .record({
    providerDisputeId: fc.constantFrom("a", "b", "c"),
    type: fc.constantFrom("CHARGEBACK", "CHARGEBACK", ...disputeTypes),
    state: fc.constantFrom("OPEN", "OPEN", "DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED", "RESOLVED"),
    sequence: fc.integer({ min: 1, max: 6 }),
    minor: someMinor,
    taken: fc.option(someMinor, { nil: undefined }),
    judgedResult: fc.constantFrom("ACCEPT_BY_CUSTOMER", "ACCEPT_BY_MERCHANT", "VALIDATE_FAIL", undefined),
  })
  .map(({ minor, taken, ...report }): Step => (model) => {
    const amount = eur(
      model.disputes.find((each) => each.providerDisputeId === report.providerDisputeId)?.amount.minor ??
        minor,
    );
    const disputeReport: DisputeReport = {
      ...report,
      amount,
      takenAmount: taken === undefined ? undefined : eur(taken),
      reference: "r",
      reasonCode: "4853",
      reasonMessage: "Not received.",
      source: "Scheme",
      defendable: true,
      wantedEvidence: [],
      createdAt: model.now,
      changedAt: model.now,
      dueAt: undefined,
      acceptReason: undefined,
      refused: false,
    };
    reportDispute(model, disputeReport);
  });

/** Counts how far the sequences came: a rule that rejects everything would keep every invariant. */
const tally = { steps: 0, paid: 0, captured: 0, refunded: 0, cancelled: 0, late: 0, disputed: 0, lost: 0 };

test(`in ${runs} random sequences, accepted actions move no more money than was paid`, (t) => {
  const property = fc.property(
    fc.constantFrom("AUTOMATIC" as const, "MANUAL" as const),
    fc.record({
      refunds: fc.constantFrom("MANY" as const, "MANY" as const, "ONCE" as const, "FULL" as const),
      captures: fc.constantFrom("MANY" as const, "ONE" as const),
      cancelPaid: fc.constantFrom("DAY" as const, "WEEK" as const),
    }),
    fc.array(fc.oneof(orderSteps, moveSteps, moveSteps, disputeSteps, timeSteps), {
      maxLength: stepsMax,
      size: "max",
    }),
    // Three of four sequences begin with a paid payment. Otherwise most sequences would end before the buyer has paid.
    fc.constantFrom(true, true, true, false),
    fc.option(arbitraryFeeTerms, { nil: undefined }),
    (captureMode, terms, steps, isPaidFirst, rule) => {
      const model = newInMemoryPayment(captureMode, terms, rule);
      const state = captureMode === "MANUAL" ? "AUTHORIZED" : "PAID";
      const paid = { amount: eur(paidMinor), paidAmount: eur(paidMinor), paidAt: model.now };
      if (isPaidFirst) reportOrder(model, { state, ...paid });
      for (const step of steps) {
        step(model);
        assertInvariants(model);
        assertFeeInvariants(model);
      }
      count(model, steps.length);
    },
  );
  fc.assert(property, { numRuns: Number(runs), ...(seed !== undefined && { seed: Number(seed) }) });
  t.diagnostic(JSON.stringify(tally));
  for (const [what, times] of Object.entries(tally)) assert.ok(times > 0, `Nothing was ever ${what}.`);
});

/**
 * With a fee rule, the taken amount pays the fee on its sum, in one or several captures, and the returned fee is at
 * most the paid fee.
 */
function assertFeeInvariants({ payment, takenMinor, refunds, accounts }: InMemoryPayment): void {
  if (payment.feeTerms === undefined) return;
  const isTaken = payment.status === "SUCCESS";
  const due = calculateFee(paymentFeeTerms(payment), isTaken ? takenMinor : 0n);
  const returned = returnedFees(refunds);
  assert.ok(!isTaken || (returned.feeMinor <= due.feeMinor && returned.taxMinor <= due.taxMinor));
  const done = refunds.filter(({ state }) => state === "done").map(({ fee }) => fee);
  const feeDifference = (part: keyof Fee): bigint =>
    done.reduce((total, { returned: back, charged }) => total + charged[part] - back[part], 0n);
  assert.equal(accounts.get("fee revenue") ?? 0n, -(due.feeMinor + feeDifference("feeMinor")));
  assert.equal(accounts.get("tax payable") ?? 0n, -(due.taxMinor + feeDifference("taxMinor")));
}

/** Invariants after every step. */
function assertInvariants(model: InMemoryPayment): void {
  const { payment, takenMinor, returnedMinor, refunds, disputes: all, accounts } = model;
  const { clientId } = payment;
  const account = (name: string): bigint => accounts.get(name) ?? 0n;
  const frozenMinor = all.reduce((total, each) => total + each.frozenMinor, 0n);

  assert.ok(takenMinor <= paidMinor, "More was taken than the buyer agreed to.");
  assert.ok(returnedMinor <= takenMinor, "More went back than was taken.");
  const promisedMinor = returnedMinor + sum(refunds, "under way") + frozenMinor;
  assert.ok(promisedMinor <= takenMinor, "More is on its way back, or held back, than was taken.");
  assert.ok(
    payment.refundedMinor + payment.disputedMinor <= payment.capturedMinor || payment.capturedMinor === 0n,
  );
  assert.equal(account(receivableAccount("w")), takenMinor - returnedMinor);
  assert.equal(account(frozenAccount(clientId)), -frozenMinor);
  assert.equal(
    [...accounts.values()].reduce((total, each) => total + each, 0n),
    0n,
  );
  // Everything that is not frozen and not in fee, tax or suspense accounts belongs to the merchant.
  const others = account("fee revenue") + account("tax payable") + account("suspense");
  assert.equal(account(payableAccount(clientId)), -(takenMinor - returnedMinor - frozenMinor) - others);
  if (payment.status === "FAIL" || payment.status === "CANCELLED")
    assert.equal(account(payableAccount(clientId)) + account(frozenAccount(clientId)), 0n);
}

function count(
  { payment, captures, refunds, reversals, disputes: all }: InMemoryPayment,
  steps: number,
): void {
  tally.steps += steps;
  if (payment.paidAt) tally.paid += 1;
  if (sum(captures, "done") > 0n) tally.captured += 1;
  if (sum(refunds, "done") > 0n) tally.refunded += 1;
  if (payment.status === "CANCELLED" && payment.paidAt) tally.cancelled += 1;
  if (reversals.some(({ isCancel }) => !isCancel)) tally.late += 1;
  if (all.length > 0) tally.disputed += 1;
  if (all.some(({ debitedMinor }) => debitedMinor > 0n)) tally.lost += 1;
}
