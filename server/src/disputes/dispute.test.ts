import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canTransition } from "../core/lifecycle.ts";
import type { Payment } from "../payments/payment.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { takesAnswer } from "../providers/dispute-values.ts";
import type { DisputeReport } from "../providers/provider.ts";
import {
  blockedMinorChange,
  decideDispute,
  disputableMinor,
  openDispute,
  resolveAtOnce,
} from "./decide-dispute.ts";
import {
  acceptRefusal,
  alertAt,
  blockedMinor,
  defenseRefusal,
  disputeLifecycle,
  nextDisputePollAt,
  nextDisputeStep,
  type Dispute,
} from "./dispute.ts";

const createdAt = new Date("2026-11-15T10:00:00Z");
const dueAt = new Date("2026-11-22T10:00:00Z");
const hourMs = 3600 * 1000;

const report: DisputeReport = {
  providerDisputeId: "wd",
  reference: "r",
  type: "CHARGEBACK",
  state: "OPEN",
  sequence: 1,
  amount: { currency: "EUR", minor: 1250n },
  reasonCode: "4853",
  reasonMessage: "Not as described.",
  source: "Sandbox Scheme",
  defendable: true,
  wantedEvidence: [],
  createdAt,
  changedAt: createdAt,
  dueAt,
  takenAmount: undefined,
  acceptReason: undefined,
  judgedResult: undefined,
  refused: false,
};

const paidMinor = 1250n;
const paid = examplePayment({
  status: "SUCCESS",
  paidAmount: { currency: "EUR", minor: paidMinor },
  capturedMinor: paidMinor,
});

function openExample(
  overrides: Partial<DisputeReport> = {},
  remainingMinor = paidMinor,
  isFullyReturned = false,
): Dispute {
  const newDispute = {
    disputeId: "d",
    payment: paid,
    connector: "w",
    remainingMinor,
    isFullyReturned,
    now: createdAt,
  };
  return openDispute({ ...report, ...overrides }, newDispute);
}

const states = ["OPEN", "DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED"] as const;
const results = ["ACCEPT_BY_CUSTOMER", "ACCEPT_BY_MERCHANT", "VALIDATE_SUCCESS", "VALIDATE_FAIL"] as const;

/** Any report of a provider, valid or not. */
const anyReport = fc.record({
  which: fc.nat(3),
  type: fc.constantFrom("CHARGEBACK", "RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST", "RDR"),
  state: fc.constantFrom(...states),
  sequence: fc.integer({ min: 1, max: 6 }),
  minor: fc.bigInt({ min: 1n, max: 2000n }),
  takenMinor: fc.option(fc.bigInt({ min: 1n, max: 2000n }), { nil: undefined }),
  judgedResult: fc.constantFrom(...results, undefined),
});

const anyStep = fc.oneof(
  fc.record({ kind: fc.constant("refund"), minor: fc.bigInt({ min: 1n, max: 1500n }) }),
  fc.record({ kind: fc.constant("refund fails"), minor: fc.constant(0n) }),
  anyReport.map((providerReport) => ({ kind: "report", providerReport })),
);

test(
  "in any order of refunds and disputes, never more than the paid amount is returned, and final states are " +
    "final",
  () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        let payment: Payment = paid;
        const disputes = new Map<number, Dispute>();
        const refunds: bigint[] = [];
        const applyChange = (which: number, before: Dispute | undefined, after: Dispute): void => {
          disputes.set(which, after);
          payment = { ...payment, disputedMinor: payment.disputedMinor + blockedMinorChange(before, after) };
        };
        for (const step of steps) {
          const remainingMinor = disputableMinor(payment, payment.capturedMinor);
          if (step.kind === "refund" && "minor" in step && step.minor <= remainingMinor) {
            refunds.push(step.minor);
            payment = { ...payment, refundedMinor: payment.refundedMinor + step.minor };
          }
          if (step.kind === "refund fails") {
            payment = { ...payment, refundedMinor: payment.refundedMinor - (refunds.pop() ?? 0n) };
          }
          if ("providerReport" in step) processReport(step.providerReport, remainingMinor);
          const blockedSum = [...disputes.values()].reduce((sum, each) => sum + blockedMinor(each), 0n);
          assert.equal(blockedSum, payment.disputedMinor);
          assert.ok(payment.refundedMinor + payment.disputedMinor <= paidMinor);
          assert.ok([...disputes.values()].every((each) => !each.resolvedAt || each.frozenMinor === 0n));
        }

        function processReport(providerReport: AnyReport, remainingMinor: bigint): void {
          const disputeReport = toDisputeReport(providerReport);
          const knownDispute = disputes.get(providerReport.which);
          if (!knownDispute) {
            const isFullyReturned = payment.refundedMinor === paidMinor;
            const newDispute = {
              disputeId: "d",
              payment,
              connector: "w",
              remainingMinor,
              isFullyReturned,
              now: createdAt,
            };
            const first = openDispute(disputeReport, newDispute);
            const dispute = takesAnswer(disputeReport.type)
              ? first
              : resolveAtOnce(first, disputeReport, remainingMinor);
            if (dispute) applyChange(providerReport.which, undefined, dispute);
            return;
          }
          const decision = decideDispute(knownDispute, disputeReport, remainingMinor);
          if (knownDispute.resolvedAt) assert.equal(decision.kind, "nothing");
          if (decision.kind !== "changed") return;
          const { dispute } = decision;
          assert.ok(
            dispute.status === knownDispute.status ||
              canTransition(disputeLifecycle, knownDispute.status, dispute.status),
            `${knownDispute.status} → ${dispute.status}`,
          );
          assert.ok(
            dispute.sequence === knownDispute.sequence + 1 &&
              dispute.providerSequence > knownDispute.providerSequence,
          );
          applyChange(providerReport.which, knownDispute, dispute);
        }
      }),
      { numRuns: 2_000 },
    );
  },
);

interface AnyReport {
  readonly which: number;
  readonly type: string;
  readonly state: (typeof states)[number];
  readonly sequence: number;
  readonly minor: bigint;
  readonly takenMinor: bigint | undefined;
  readonly judgedResult: (typeof results)[number] | undefined;
}

/**
 * Keeps the type and the amount of a dispute the same in all reports; otherwise most generated reports would be
 * contradictions.
 */
function toDisputeReport({
  which,
  state,
  sequence,
  minor,
  takenMinor,
  judgedResult,
}: AnyReport): DisputeReport {
  const type = (["CHARGEBACK", "COMPLIANCE_REQUEST", "RDR", "FRAUD_WARNING"] as const)[which] ?? "CHARGEBACK";
  const takenAmount = takenMinor === undefined ? undefined : { currency: "EUR", minor: takenMinor };
  const amount = { currency: "EUR", minor: type === "RDR" ? minor : paidMinor };
  return { ...report, type, state, sequence, amount, takenAmount, judgedResult };
}

test(
  "a chargeback freezes the rest of the payment, other types freeze nothing, and a refunded payment is " +
    "auto-defended",
  () => {
    assert.equal(openExample().frozenMinor, 1250n);
    assert.equal(openExample({}, 400n).frozenMinor, 400n);
    assert.equal(openExample({ type: "RETRIEVAL_REQUEST" }).frozenMinor, 0n);
    assert.partialDeepStrictEqual(openExample({}, 0n), {
      frozenMinor: 0n,
      defendable: true,
      answer: undefined,
    });
    assert.partialDeepStrictEqual(openExample({}, 0n, true), {
      frozenMinor: 0n,
      defendable: false,
      autoDefendReason: "FULLY_REFUNDED",
      answer: { kind: "DEFEND" },
    });
    assert.equal(disputableMinor({ ...paid, cancelRequestedAt: createdAt }, 1250n), 0n);
  },
);

test("a debit above the frozen amount is valid only if a refund in progress has failed since", () => {
  const dispute = openExample({}, 750n);
  const lostReport: DisputeReport = {
    ...report,
    state: "JUDGED",
    sequence: 2,
    judgedResult: "ACCEPT_BY_MERCHANT",
    takenAmount: { currency: "EUR", minor: 1250n },
  };
  assert.equal(decideDispute(dispute, lostReport, 0n).kind, "contradiction");
  assert.partialDeepStrictEqual(decideDispute(dispute, lostReport, 500n), {
    kind: "changed",
    dispute: { debitedMinor: 1250n, frozenMinor: 0n },
  });
});

test("a lost chargeback without a debited amount releases nothing", () => {
  const judgedReport = { state: "JUDGED", sequence: 2, judgedResult: "ACCEPT_BY_MERCHANT" } as const;
  for (const lostReport of [judgedReport, { state: "ACCEPTED", sequence: 2 } as const]) {
    assert.equal(decideDispute(openExample(), { ...report, ...lostReport }, 0n).kind, "contradiction");
    const zeroDebit = { ...report, ...lostReport, takenAmount: { currency: "EUR", minor: 0n } } as const;
    assert.partialDeepStrictEqual(decideDispute(openExample(), zeroDebit, 0n), { kind: "changed" });
    assert.partialDeepStrictEqual(decideDispute(openExample({}, 0n), { ...report, ...lostReport }, 0n), {
      kind: "changed",
    });
  }
});

test("an RDR in another currency is not booked", () => {
  const debited: DisputeReport = { ...report, type: "RDR", takenAmount: { currency: "JPY", minor: 1250n } };
  assert.equal(resolveAtOnce(openExample({ type: "RDR" }), debited, paidMinor), undefined);
});

test("a fraud warning is final at once, freezes nothing, and cannot be answered", () => {
  const warned: DisputeReport = { ...report, type: "FRAUD_WARNING", state: "RESOLVED" };
  const warning = resolveAtOnce(openExample(warned), warned, paidMinor);
  assert.partialDeepStrictEqual(warning, {
    status: "RESOLVED",
    frozenMinor: 0n,
    debitedMinor: 0n,
    defendable: false,
    answer: undefined,
    resolvedAt: createdAt,
  });
  assert.ok(warning);
  assert.equal(acceptRefusal(warning, createdAt), "PARAM_ILLEGAL");
  assert.equal(defenseRefusal({ ...warning, defendable: true }, createdAt), "PARAM_ILLEGAL");
});

test("a fraud warning with a debited amount is not recorded", () => {
  const takenAmount = { currency: "EUR", minor: 1n };
  const debited: DisputeReport = { ...report, type: "FRAUD_WARNING", state: "RESOLVED", takenAmount };
  assert.equal(resolveAtOnce(openExample(debited), debited, paidMinor), undefined);
});

test("the wanted types of evidence are those of the first report, or of the report that reopens the dispute", () => {
  const opened = openExample({ type: "COMPLIANCE_REQUEST", wantedEvidence: ["RECEIPT"] });
  assert.deepEqual(opened.wantedEvidence, ["RECEIPT"]);
  const reopening: DisputeReport = {
    ...report,
    type: "COMPLIANCE_REQUEST",
    sequence: 3,
    judgedResult: "VALIDATE_FAIL",
    wantedEvidence: ["IDENTITY"],
  };
  assert.partialDeepStrictEqual(decideDispute({ ...opened, status: "DEFENDED" }, reopening, 0n), {
    dispute: { status: "CREATED", wantedEvidence: ["IDENTITY"] },
  });
});

test("possible answers depend on the type, on earlier answers, and on the time", () => {
  const now = createdAt;
  assert.equal(acceptRefusal(openExample(), now), undefined);
  assert.equal(acceptRefusal(openExample(), dueAt), "TIME_EXCEEDS_LIMIT");
  assert.equal(acceptRefusal(openExample({ type: "RETRIEVAL_REQUEST" }), now), "PARAM_ILLEGAL");
  const pending = { kind: "DEFEND", requestedAt: now } as const;
  assert.equal(acceptRefusal({ ...openExample(), answer: pending }, now), "REPEAT_REQUEST");
  assert.equal(acceptRefusal({ ...openExample(), answer: { ...pending, kind: "ACCEPT" } }, dueAt), undefined);
  assert.equal(defenseRefusal({ ...openExample(), answer: pending }, now), "REPEAT_REQUEST");
  assert.equal(defenseRefusal(openExample({ defendable: false }), now), "PARAM_ILLEGAL");
  const complianceRequest = openExample({ type: "COMPLIANCE_REQUEST" });
  assert.equal(
    defenseRefusal({ ...complianceRequest, status: "DEFENDED" }, now),
    "NOT_ALLOW_IN_CURRENT_STATUS",
  );
  assert.equal(defenseRefusal({ ...complianceRequest, defenses: 2 }, now), undefined);
  assert.equal(defenseRefusal({ ...complianceRequest, defenses: 3 }, now), "DEFENSE_EXCEED_LIMIT");
  assert.equal(defenseRefusal({ ...complianceRequest, status: "JUDGED" }, now), "REPEAT_REQUEST");
});

test("a day before the deadline the merchant gets one alert, and at the deadline the dispute times out", () => {
  const dispute = openExample();
  const alertTime = new Date(dueAt.getTime() - 24 * hourMs);
  assert.deepEqual(alertAt(dispute), alertTime);
  assert.equal(nextDisputeStep(dispute, new Date(alertTime.getTime() - 1)), "inquire");
  assert.equal(nextDisputeStep(dispute, alertTime), "alert");
  const alerted = { ...dispute, alertedAt: alertTime };
  assert.equal(nextDisputeStep(alerted, alertTime), "inquire");
  assert.equal(nextDisputeStep(alerted, dueAt), "time out");
  assert.equal(nextDisputeStep({ ...alerted, type: "RETRIEVAL_REQUEST" }, dueAt), "expire");
  assert.equal(nextDisputeStep({ ...alerted, status: "DEFENDED" }, dueAt), "inquire");
  const pending = { kind: "DEFEND", requestedAt: alertTime } as const;
  assert.equal(nextDisputeStep({ ...dispute, answer: pending }, dueAt), "inquire");
});

test("a poll comes no later than the alert and the deadline, and a failed step is retried with backoff", () => {
  const dispute = openExample();
  const beforeMs = dueAt.getTime() - 25 * hourMs;
  assert.deepEqual(nextDisputePollAt(dispute, 9, new Date(beforeMs)), alertAt(dispute));
  const alerted = { ...dispute, alertedAt: createdAt };
  assert.deepEqual(nextDisputePollAt(alerted, 9, new Date(dueAt.getTime() - hourMs)), dueAt);
  assert.deepEqual(nextDisputePollAt(alerted, 0, dueAt), new Date(dueAt.getTime() + 60_000));
});
