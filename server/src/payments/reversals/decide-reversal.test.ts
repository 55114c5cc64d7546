import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTerms, type ConnectorTerms } from "../../providers/connector.ts";
import type { SendState } from "../../providers/provider-message.ts";
import type { OrderReport, MoneyReport } from "../../providers/provider.ts";
import { decideReversal, type ReversalReport } from "./decide-reversal.ts";
import type { Reversal } from "./reversal.ts";
import { examplePayment } from "../../../test/examples/example-payment.ts";

const now = new Date("2026-11-15T10:00:00Z");
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const once: ConnectorTerms = { ...defaultTerms, quietSeconds: 120 };
const twice: ConnectorTerms = { ...once, idempotentByReference: false };

type Kind = Pick<Reversal, "reason" | "status" | "acceptedAt">;
const cancel: Kind = { reason: "CANCEL", status: "PROCESSING", acceptedAt: undefined };
const late: Kind = { reason: "LATE_SUCCESS", status: "PROCESSING", acceptedAt: undefined };
const accepted: Kind = { reason: "CANCEL", status: "PROCESSING", acceptedAt: now };

const returnedBefore: Kind = { reason: "CANCEL", status: "SUCCESS", acceptedAt: undefined };
const refusedBefore: Kind = { reason: "CANCEL", status: "FAIL", acceptedAt: undefined };

const payment = examplePayment();

const of = (refund: MoneyReport): ReversalReport => ({ refund });
const done = of({ state: "DONE" });
const processing = of({ state: "PROCESSING" });
const missing = of({ state: "NOT_FOUND" });
const refused = of({ state: "REFUSED", resultCode: "RISK_REJECT" });
const failed = of({ state: "FAILED", resultCode: "RISK_REJECT" });
const other = of({ state: "REFUSED", resultCode: "REPEAT_REQ_INCONSISTENT" });
const sent: SendState = { sentAt: now };
const refusedOnce: SendState = { ...sent, lastResult: "RISK_REJECT" };

const returned = { kind: "sent back" };
const no = { kind: "refused", resultCode: "RISK_REJECT" };
const openUntil = { kind: "open", pollBy: later(120) };
const contradiction = (why: string, lastResult: string): object => ({
  kind: "contradiction",
  why,
  lastResult,
});
const otherAction = contradiction(
  "The payment provider reports another action under this reference.",
  "REPEAT_REQ_INCONSISTENT",
);

const refunds: readonly (readonly [
  string,
  Kind,
  ReversalReport,
  SendState,
  ConnectorTerms,
  number,
  object,
])[] = [
  ["reversed", cancel, done, {}, once, 0, returned],
  ["reversed, although an earlier attempt was refused", late, done, refusedOnce, once, 60, returned],
  ["accepted", cancel, processing, {}, once, 0, { kind: "accepted" }],
  ["still in progress", accepted, processing, {}, once, 60, { kind: "open" }],
  ["accepted, then failed: the merchant's cancel fails", accepted, failed, {}, once, 999, no],
  [
    "failed after it was reversed",
    returnedBefore,
    failed,
    {},
    once,
    0,
    {
      kind: "reversed",
      resultCode: "RISK_REJECT",
      why: "Money that was returned to the buyer came back, and is in suspense.",
    },
  ],
  ["reversed before, and still reported as done", returnedBefore, done, {}, once, 0, { kind: "open" }],
  ["refused before, and failed now", refusedBefore, failed, {}, once, 0, { kind: "unchanged" }],
  [
    "reversed, although it was refused before",
    refusedBefore,
    done,
    {},
    once,
    0,
    { kind: "unchanged", why: "The payment provider reports DONE for a refund that is FAIL." },
  ],
  ["refused: the merchant's cancel fails", cancel, refused, {}, once, 0, no],
  [
    "refused after a late success: the operator is alerted",
    late,
    refused,
    {},
    once,
    0,
    { ...no, why: "The payment provider refuses the reversal: RISK_REJECT." },
  ],
  [
    "refused, with an earlier message in flight",
    late,
    refused,
    sent,
    once,
    120,
    { ...openUntil, lastResult: "RISK_REJECT" },
  ],
  ["refused, after the quiet time", cancel, refused, sent, once, 121, no],
  ["not found, within the quiet time", cancel, missing, sent, twice, 120, openUntil],
  [
    "not found, after the quiet time",
    cancel,
    missing,
    sent,
    twice,
    121,
    { kind: "refused", resultCode: "PROCESS_FAIL" },
  ],
  ["not found after a refusal", cancel, missing, refusedOnce, once, 121, no],
  ["not found, with a repeat allowed", late, missing, sent, once, 999, { kind: "open" }],
  [
    "accepted, then not found",
    accepted,
    missing,
    sent,
    twice,
    999,
    contradiction("The payment provider does not know a request that it had accepted.", "NOT_FOUND"),
  ],
  [
    "accepted, then refused",
    accepted,
    refused,
    {},
    once,
    0,
    contradiction("The payment provider refuses a request that it had accepted.", "RISK_REJECT"),
  ],
  ["known with different content", late, other, {}, once, 0, otherAction],
  [
    "reversed, and was known with different content",
    cancel,
    done,
    { lastResult: "REPEAT_REQ_INCONSISTENT" },
    once,
    999,
    otherAction,
  ],
];

for (const [what, reversal, report, memory, terms, after, expected] of refunds) {
  test(`reversal of collected money: ${what}`, () =>
    assert.deepEqual(
      decideReversal(
        { reversal, payment },
        report,
        { ...memory, attempts: 0, calledAt: later(after) },
        terms,
      ),
      expected,
    ));
}

const amount = { currency: "EUR", minor: 1250n };
const cent = { currency: "EUR", minor: 1n };
const held = { state: "AUTHORIZED", amount, paidAmount: amount, paidAt: now } as const;
const holds: readonly (readonly [OrderReport, object, Kind?])[] = [
  [{ state: "CLOSED" }, returned],
  [{ state: "CLOSED", cancel: { state: "DONE" } }, returned, accepted],
  [{ state: "LAPSED" }, returned],
  [{ state: "LAPSED", cancel: { state: "PROCESSING" } }, returned, accepted],
  [{ ...held, cancel: { state: "PROCESSING" } }, { kind: "accepted" }],
  [{ ...held, cancel: { state: "PROCESSING" } }, { kind: "open" }, accepted],
  [{ ...held, cancel: { state: "FAILED", resultCode: "RISK_REJECT" } }, no],
  [{ ...held, cancel: { state: "FAILED", resultCode: "RISK_REJECT" } }, no, accepted],
  [
    { ...held, amount: cent, cancel: { state: "FAILED", resultCode: "RISK_REJECT" } },
    contradiction("The payment provider reports another amount than requested.", "MISMATCH"),
  ],
  [
    { ...held, cancel: { state: "DONE" } },
    contradiction("The payment provider still holds money that it was requested to release.", "AUTHORIZED"),
  ],
  [
    held,
    contradiction("The payment provider still holds money that it was requested to release.", "AUTHORIZED"),
    accepted,
  ],
  [{ state: "DECLINED", resultCode: "RISK_REJECT" }, returned],
  [{ state: "CLOSED", amount, paymentId: payment.paymentId }, returned],
  [
    { state: "CLOSED", amount: cent },
    contradiction("The payment provider reports another amount than requested.", "MISMATCH"),
  ],
  [
    { state: "CLOSED", paymentId: "other" },
    contradiction("The payment provider reports the order of another payment.", "MISMATCH"),
  ],
  [
    { state: "AUTHORIZED", amount, paidAmount: amount, paidAt: now },
    contradiction("The payment provider still holds money that it was requested to release.", "AUTHORIZED"),
  ],
  [
    { state: "PAID", amount, paidAmount: amount, paidAt: now },
    contradiction("The payment provider collected money that it should only authorize.", "PAID"),
  ],
  [
    { state: "NOT_FOUND" },
    contradiction("The payment provider does not know the authorization hold any more.", "NOT_FOUND"),
  ],
  [
    { state: "INCONSISTENT" },
    contradiction("The payment provider reports another action under this reference.", "INCONSISTENT"),
  ],
];

for (const [order, expected, reversal = cancel] of holds) {
  const { amount: reported, paymentId: named } = order;
  const details = [
    reported && `of ${reported.minor}`,
    named && `of payment ${named}`,
    order.cancel && `and cancel ${order.cancel.state}`,
    reversal.acceptedAt && "after the cancel was accepted",
  ].filter(Boolean);
  test(`release of an authorization hold, with its order ${[order.state, ...details].join(" ")}`, () =>
    assert.deepEqual(
      decideReversal({ reversal, payment }, { order }, { attempts: 0, calledAt: now }, once),
      expected,
    ));
}
