import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  confirmed,
  findingsFor,
  opened,
  paid,
  payment,
  receivable,
  refund,
  refunded,
  refundWebhook,
  successWebhook,
  transfer,
  transfers,
} from "./oracle-case.ts";
import type { JournalLine } from "./journal-operations.ts";
import { readProviderJournal } from "./provider-journal.ts";

const refundId = { providerRefundId: "wr" };
const refundedLine: JournalLine = { ...refunded, ...refundId };
const returnedLine: JournalLine = { ...refundedLine, kind: "refund-failed", isReversal: true };
const returnedEffects = [
  opened,
  paid,
  confirmed,
  refundedLine,
  returnedLine,
  { kind: "callback", eventId: "wr-2" },
];
const reversedRefund = { ...refund, status: "FAIL", reversedAtMs: 6_000 };
const reversalTransfer = {
  ...transfer,
  subjectId: "r1",
  effect: "refund reversal",
  debit: receivable,
  credit: "merchant",
  minor: 400n,
};
const firstWebhook = { ...refundWebhook, sequence: 4 };
const failureWebhook = { ...refundWebhook, resultStatus: "F", sequence: 5 };

/** A refund of 4 euro that failed after it was done, and that the gateway reversed. */
const returnedCase = {
  refunds: [reversedRefund],
  effects: returnedEffects,
  databaseState: { transfers: [...transfers, reversalTransfer] },
  webhooks: [successWebhook, firstWebhook, failureWebhook],
};

test("a refund that failed after it was done, and was reversed once, is no finding", () => {
  assert.deepEqual(findingsFor(returnedCase), []);
});

test("a refund that stays successful after its provider has failed it is unbalanced", () => {
  assert.deepEqual(findingsFor({ effects: returnedEffects }), [
    "unbalanced: refunded by the provider, but is SUCCESS here",
    "unbalanced: failed at the provider after it was done, and is SUCCESS here",
    "unbalanced: our ledger has 600, the provider 1000",
  ]);
});

test("a refund that is reversed without a failure at the provider is unbalanced", () => {
  assert(
    findingsFor({ ...returnedCase, effects: [opened, paid, confirmed, refundedLine] }).includes(
      "unbalanced: is reversed here, and did not fail at the provider",
    ),
  );
});

test("a refund reversal that is posted twice, or never, is unbalanced", () => {
  const posting = `${receivable} > merchant EUR 400`;
  const twice = [...transfers, reversalTransfer, reversalTransfer];
  assert.deepEqual(findingsFor({ ...returnedCase, databaseState: { transfers: twice } }), [
    `unbalanced: its refund reversal posts [${posting}, ${posting}], and should post [${posting}]`,
    "unbalanced: our ledger has 1400, the provider 1000",
  ]);
  assert.deepEqual(findingsFor({ ...returnedCase, databaseState: { transfers } }), [
    `unbalanced: its refund reversal posts [], and should post [${posting}]`,
    "unbalanced: our ledger has 600, the provider 1000",
  ]);
});

test("a failure after a success without a webhook of a higher sequence is lost", () => {
  const outOfOrder = [successWebhook, { ...firstWebhook, sequence: 5 }, failureWebhook];
  for (const webhooks of [outOfOrder, [successWebhook, failureWebhook]]) {
    assert.deepEqual(findingsFor({ ...returnedCase, webhooks }), [
      "lost: failed after it succeeded, and its merchant was not notified in order",
    ]);
  }
});

test("the amount of a reversed refund that does not become refundable is unbalanced", () => {
  assert.deepEqual(findingsFor({ ...returnedCase, refundedMinor: 400n }), [
    "unbalanced: 400 counts as refunded, and 0 was not failed",
  ]);
});

test("a merchant may read a failure after the success of a reversed refund, and never the other way round", () => {
  const succeeded = { ...answer, verb: "inquiryRefund", requestId: "refund-1", id: "r1" } as const;
  const first = { ...succeeded, recordStatus: "SUCCESS" };
  const second = { ...succeeded, recordStatus: "FAIL", sentAtMs: 5, answeredAtMs: 6 };
  assert.deepEqual(findingsFor({ ...returnedCase, answers: [answer, first, second] }), []);
  const backward = [answer, { ...second, sentAtMs: 1, answeredAtMs: 2 }, { ...first, sentAtMs: 5 }];
  assert.deepEqual(findingsFor({ ...returnedCase, answers: backward }), [
    "lost: was reported as FAIL, and later as SUCCESS",
  ]);
  assert(
    findingsFor({ answers: [answer, first, second] }).includes("lost: was reported as FAIL, and is SUCCESS"),
  );
});

test("money of a returned reversal is in suspense, and an operator is alerted", () => {
  const reversal = { ...reversedRefund, id: "v1", requestId: "" };
  const posted = [
    ...transfers.slice(0, 1),
    { ...transfer, effect: "cancel", debit: "merchant", credit: receivable, minor: 400n },
  ];
  const suspense = { ...reversalTransfer, subjectId: "v1", credit: "suspense" };
  const alerts = ['{"alert":true,"paymentId":"p1","msg":"Money came back, and is in suspense."}'];
  const returnedCancel = {
    refunds: [],
    payments: [{ ...payment, status: "CANCELLED" }],
    effects: returnedEffects,
    databaseState: { reversals: [reversal], transfers: [...posted, suspense] },
    webhooks: [successWebhook],
    rest: { alerts },
  };
  assert.deepEqual(findingsFor(returnedCancel), []);
  assert.deepEqual(findingsFor({ ...returnedCancel, rest: { alerts: [] } }), [
    "lost: returned money is in suspense, and no operator was alerted",
  ]);
  const toMerchant = { ...suspense, credit: "merchant" };
  assert.deepEqual(
    findingsFor({
      ...returnedCancel,
      databaseState: { reversals: [reversal], transfers: [...posted, toMerchant] },
    }),
    ["unbalanced: its refund reversal posts [merchant EUR 400], and should post [suspense EUR 400]"],
  );
});

test("an alert about a failure that the provider never reported is broken", () => {
  const alerts = ['{"alert":true,"msg":"Its inquiries do not confirm its callback that a refund failed."}'];
  assert.deepEqual(findingsFor({ rest: { alerts } }), [
    "broken: an operator was alerted about a refund that did not fail",
  ]);
});

test("a failed capture that is posted is unbalanced", () => {
  const capture = { ...refund, id: "c1", reference: "take-1", status: "FAIL" };
  const webhooks = [
    successWebhook,
    refundWebhook,
    { ...successWebhook, notifyType: "CAPTURE_RESULT", captureId: "c1", resultStatus: "F" },
  ];
  const posting = { ...transfer, subjectId: "c1", effect: "capture", debit: "merchant", minor: 0n };
  const withPosting = { captures: [capture], transfers: [...transfers, posting] };
  assert.deepEqual(findingsFor({ webhooks, databaseState: { captures: [capture] } }), []);
  assert.deepEqual(findingsFor({ webhooks, databaseState: withPosting }), [
    "unbalanced: capture is FAIL, and is posted",
  ]);
});

test("a lapsed hold that can be captured afterwards, here or at the provider, is a finding", () => {
  const authorized = { ...paid, kind: "authorized" };
  const lapsed = { ...paid, kind: "lapsed", sequence: 3 };
  const effects = [opened, authorized, confirmed, lapsed, { ...confirmed, eventId: "wo-3" }];
  const held = { ...payment, isManual: true };
  const payments = [{ ...held, releasedAtMs: 5_000 }];
  const rest = { refunds: [], databaseState: { transfers: [] }, webhooks: [successWebhook] };
  assert.deepEqual(findingsFor({ payments, effects, ...rest }), []);
  assert.deepEqual(findingsFor({ payments: [held], effects, ...rest }), [
    "lost: its hold lapsed, and can be captured here",
  ]);
  const capture = { ...refund, id: "c1", requestId: "late-1", reference: "take-1", status: "FAIL" };
  const webhooks = [
    successWebhook,
    { ...successWebhook, notifyType: "CAPTURE_RESULT", captureId: "c1", resultStatus: "F" },
  ];
  const lateCaptures = [{ clientId: "SHOP", requestId: "late-1" }];
  const databaseState = { transfers: [], captures: [capture] };
  assert.deepEqual(findingsFor({ payments, effects, refunds: [], databaseState, webhooks, lateCaptures }), [
    "unbalanced: the gateway accepted a capture of a lapsed hold",
  ]);
  const lateCall = { kind: "capture", outcome: "started", reference: "ref-1", captureReference: "take-1" };
  assert.deepEqual(findingsFor({ payments, effects: [...effects, lateCall], ...rest }), [
    "unbalanced: the provider accepted a capture of a lapsed hold",
  ]);
});

test("a record that waits for its provider is not stuck, and the storm that left it is broken", () => {
  const started = {
    kind: "refund",
    outcome: "started",
    reference: "ref-1",
    refundReference: "back-1",
    refund: { ...refundId, paymentId: "p1" },
  };
  const refunds = [{ ...refund, status: "PROCESSING" }];
  const effects = [opened, paid, confirmed, started];
  const overrides = { refunds, effects, databaseState: { transfers: transfers.slice(0, 1) } };
  assert.deepEqual(findingsFor({ ...overrides, webhooks: [successWebhook] }), [
    "broken: the storm left an operation in progress at the provider",
  ]);
});

test("the journal counts each kind of operation that takes time or fails late", () => {
  const named = { paymentId: "p1", reference: "ref-1", providerOrderId: "wo" };
  const capture = (nth: number, ...kinds: readonly string[]): JournalLine[] => {
    const ids = { ...named, captureReference: `take-${nth}`, providerCaptureId: `wc-${nth}` };
    const call = { ...ids, kind: "capture", outcome: "started", capture: ids };
    const amount = { currency: "EUR", value: "1" };
    return [call, ...kinds.map((kind) => ({ ...ids, kind, amount }))];
  };
  const { operations, pending } = readProviderJournal([
    ...capture(1, "captured"),
    ...capture(2, "capture-failed"),
    ...capture(3),
    refundedLine,
    returnedLine,
    { ...named, kind: "cancel-started", sequence: 3 },
    { ...named, kind: "cancel-failed", sequence: 4 },
    { ...named, kind: "lapsed", sequence: 5 },
    { ...named, kind: "dispute-opened", providerDisputeId: "wd", judgedResult: "ACCEPT_BY_MERCHANT" },
  ]);
  assert.deepEqual([...pending.keys()], ["take-3"]);
  assert.deepEqual(operations, {
    "capture done later": 1,
    "capture failed later": 1,
    "captures in parts, one failed": 1,
    "refund done later": 0,
    "refund failed later": 0,
    "refund failed after done": 1,
    "cancel done later": 0,
    "cancel failed later": 1,
    "hold lapsed": 1,
    "direct debit returned": 1,
  });
});
