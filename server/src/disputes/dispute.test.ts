import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mayBecome } from "../core/lifecycle.ts";
import type { Payment } from "../payments/payment.ts";
import { examplePayment } from "../../test/examples/example-payment.ts";
import type { DisputeReport } from "../providers/provider.ts";
import {
  blockedMinorChange,
  decideDispute,
  disputableMinor,
  openDispute,
  resolveRdr,
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
  walletDisputeId: "wd",
  reference: "r",
  type: "CHARGEBACK",
  state: "OPEN",
  sequence: 1,
  amount: { currency: "EUR", minor: 1250n },
  reasonCode: "4853",
  reasonMessage: "Not as described.",
  source: "Sandbox Scheme",
  defendable: true,
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

function opened(more: Partial<DisputeReport> = {}, leftMinor = paidMinor, isGivenBack = false): Dispute {
  const opening = { disputeId: "d", payment: paid, connector: "w", leftMinor, isGivenBack, now: createdAt };
  return openDispute({ ...report, ...more }, opening);
}

const states = ["OPEN", "DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED"] as const;
const results = ["ACCEPT_BY_CUSTOMER", "ACCEPT_BY_MERCHANT", "VALIDATE_SUCCESS", "VALIDATE_FAIL"] as const;

/** Any report of a provider, valid or not. */
const anyReport = fc.record({
  which: fc.nat(2),
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
  anyReport.map((told) => ({ kind: "report", told })),
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
        const keep = (which: number, before: Dispute | undefined, after: Dispute): void => {
          disputes.set(which, after);
          payment = { ...payment, disputedMinor: payment.disputedMinor + blockedMinorChange(before, after) };
        };
        for (const step of steps) {
          const leftMinor = disputableMinor(payment, payment.capturedMinor);
          if (step.kind === "refund" && "minor" in step && step.minor <= leftMinor) {
            refunds.push(step.minor);
            payment = { ...payment, refundedMinor: payment.refundedMinor + step.minor };
          }
          if (step.kind === "refund fails") {
            payment = { ...payment, refundedMinor: payment.refundedMinor - (refunds.pop() ?? 0n) };
          }
          if ("told" in step) hear(step.told, leftMinor);
          const backMinor = [...disputes.values()].reduce((sum, each) => sum + blockedMinor(each), 0n);
          assert.equal(backMinor, payment.disputedMinor);
          assert.ok(payment.refundedMinor + payment.disputedMinor <= paidMinor);
          assert.ok([...disputes.values()].every((each) => !each.resolvedAt || each.frozenMinor === 0n));
        }

        function hear(told: AnyTold, leftMinor: bigint): void {
          const heard = heardAs(told);
          const known = disputes.get(told.which);
          if (!known) {
            const isGivenBack = payment.refundedMinor === paidMinor;
            const opening = {
              disputeId: "d",
              payment,
              connector: "w",
              leftMinor,
              isGivenBack,
              now: createdAt,
            };
            const first = openDispute(heard, opening);
            const dispute = heard.type === "RDR" ? resolveRdr(first, heard, leftMinor) : first;
            if (dispute) keep(told.which, undefined, dispute);
            return;
          }
          const decision = decideDispute(known, heard, leftMinor);
          if (known.resolvedAt) assert.equal(decision.kind, "nothing");
          if (decision.kind !== "changed") return;
          const { dispute } = decision;
          assert.ok(
            dispute.status === known.status || mayBecome(disputeLifecycle, known.status, dispute.status),
            `${known.status} → ${dispute.status}`,
          );
          assert.ok(
            dispute.sequence === known.sequence + 1 && dispute.providerSequence > known.providerSequence,
          );
          keep(told.which, known, dispute);
        }
      }),
      { numRuns: 2_000 },
    );
  },
);

interface AnyTold {
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
function heardAs({ which, state, sequence, minor, takenMinor, judgedResult }: AnyTold): DisputeReport {
  const type = (["CHARGEBACK", "COMPLIANCE_REQUEST", "RDR"] as const)[which] ?? "CHARGEBACK";
  const takenAmount = takenMinor === undefined ? undefined : { currency: "EUR", minor: takenMinor };
  const amount = { currency: "EUR", minor: type === "RDR" ? minor : paidMinor };
  return { ...report, type, state, sequence, amount, takenAmount, judgedResult };
}

test(
  "a chargeback freezes the rest of the payment, other types freeze nothing, and a refunded payment is " +
    "auto-defended",
  () => {
    assert.equal(opened().frozenMinor, 1250n);
    assert.equal(opened({}, 400n).frozenMinor, 400n);
    assert.equal(opened({ type: "RETRIEVAL_REQUEST" }).frozenMinor, 0n);
    assert.partialDeepStrictEqual(opened({}, 0n), { frozenMinor: 0n, defendable: true, answer: undefined });
    assert.partialDeepStrictEqual(opened({}, 0n, true), {
      frozenMinor: 0n,
      defendable: false,
      autoDefendReason: "FULLY_REFUNDED",
      answer: { kind: "DEFEND" },
    });
    assert.equal(disputableMinor({ ...paid, cancelRequestedAt: createdAt }, 1250n), 0n);
  },
);

test("a debit above the frozen amount is valid only if a refund in progress has failed since", () => {
  const dispute = opened({}, 750n);
  const lost: DisputeReport = {
    ...report,
    state: "JUDGED",
    sequence: 2,
    judgedResult: "ACCEPT_BY_MERCHANT",
    takenAmount: { currency: "EUR", minor: 1250n },
  };
  assert.equal(decideDispute(dispute, lost, 0n).kind, "contradiction");
  assert.partialDeepStrictEqual(decideDispute(dispute, lost, 500n), {
    kind: "changed",
    dispute: { debitedMinor: 1250n, frozenMinor: 0n },
  });
});

test("a lost chargeback without a debited amount releases nothing", () => {
  const judged = { state: "JUDGED", sequence: 2, judgedResult: "ACCEPT_BY_MERCHANT" } as const;
  for (const lost of [judged, { state: "ACCEPTED", sequence: 2 } as const]) {
    assert.equal(decideDispute(opened(), { ...report, ...lost }, 0n).kind, "contradiction");
    const none = { ...report, ...lost, takenAmount: { currency: "EUR", minor: 0n } } as const;
    assert.partialDeepStrictEqual(decideDispute(opened(), none, 0n), { kind: "changed" });
    assert.partialDeepStrictEqual(decideDispute(opened({}, 0n), { ...report, ...lost }, 0n), {
      kind: "changed",
    });
  }
});

test("an RDR in another currency is not booked", () => {
  const taken: DisputeReport = { ...report, type: "RDR", takenAmount: { currency: "JPY", minor: 1250n } };
  assert.equal(resolveRdr(opened({ type: "RDR" }), taken, paidMinor), undefined);
});

test("possible answers depend on the type, on earlier answers, and on the time", () => {
  const now = createdAt;
  assert.equal(acceptRefusal(opened(), now), undefined);
  assert.equal(acceptRefusal(opened(), dueAt), "TIME_EXCEEDS_LIMIT");
  assert.equal(acceptRefusal(opened({ type: "RETRIEVAL_REQUEST" }), now), "PARAM_ILLEGAL");
  const pending = { kind: "DEFEND", requestedAt: now } as const;
  assert.equal(acceptRefusal({ ...opened(), answer: pending }, now), "REPEAT_REQUEST");
  assert.equal(acceptRefusal({ ...opened(), answer: { ...pending, kind: "ACCEPT" } }, dueAt), undefined);
  assert.equal(defenseRefusal({ ...opened(), answer: pending }, now), "REPEAT_REQUEST");
  assert.equal(defenseRefusal(opened({ defendable: false }), now), "PARAM_ILLEGAL");
  const papers = opened({ type: "COMPLIANCE_REQUEST" });
  assert.equal(defenseRefusal({ ...papers, status: "DEFENDED" }, now), "NOT_ALLOW_IN_CURRENT_STATUS");
  assert.equal(defenseRefusal({ ...papers, defenses: 2 }, now), undefined);
  assert.equal(defenseRefusal({ ...papers, defenses: 3 }, now), "DEFENSE_EXCEED_LIMIT");
  assert.equal(defenseRefusal({ ...papers, status: "JUDGED" }, now), "REPEAT_REQUEST");
});

test("a day before the deadline the merchant gets one alert, and at the deadline the dispute times out", () => {
  const dispute = opened();
  const warnAt = new Date(dueAt.getTime() - 24 * hourMs);
  assert.deepEqual(alertAt(dispute), warnAt);
  assert.equal(nextDisputeStep(dispute, new Date(warnAt.getTime() - 1)), "inquire");
  assert.equal(nextDisputeStep(dispute, warnAt), "alert");
  const warned = { ...dispute, alertedAt: warnAt };
  assert.equal(nextDisputeStep(warned, warnAt), "inquire");
  assert.equal(nextDisputeStep(warned, dueAt), "time out");
  assert.equal(nextDisputeStep({ ...warned, type: "RETRIEVAL_REQUEST" }, dueAt), "expire");
  assert.equal(nextDisputeStep({ ...warned, status: "DEFENDED" }, dueAt), "inquire");
  const pending = { kind: "DEFEND", requestedAt: warnAt } as const;
  assert.equal(nextDisputeStep({ ...dispute, answer: pending }, dueAt), "inquire");
});

test("a poll comes no later than the alert and the deadline, and a failed step is retried with backoff", () => {
  const dispute = opened();
  const beforeMs = dueAt.getTime() - 25 * hourMs;
  assert.deepEqual(nextDisputePollAt(dispute, 9, new Date(beforeMs)), alertAt(dispute));
  const warned = { ...dispute, alertedAt: createdAt };
  assert.deepEqual(nextDisputePollAt(warned, 9, new Date(dueAt.getTime() - hourMs)), dueAt);
  assert.deepEqual(nextDisputePollAt(warned, 0, dueAt), new Date(dueAt.getTime() + 60_000));
});
