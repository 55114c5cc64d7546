import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "./history.ts";
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
  successWebhook,
  newWebhook,
  refundWebhook,
  transfer,
  transfers,
} from "./oracle-case.ts";
import type { JournalLine } from "./journal-operations.ts";

test("there are no findings if all sources agree", () => {
  assert.deepEqual(findingsFor(), []);
});

test("an order that is opened twice is doubled", () => {
  const effects = [opened, { ...opened, outcome: "opened-again" }, paid, confirmed, refunded];
  assert.deepEqual(findingsFor({ effects }), ["doubled: opened 2 times"]);
});

test("money that moves twice with one reference is doubled, and the ledger is unbalanced", () => {
  assert.deepEqual(findingsFor({ effects: [opened, paid, paid, confirmed, refunded] }), [
    "doubled: paid 2 times",
    "unbalanced: our ledger has 600, the provider 1600",
  ]);
  const refunds = ["wr-1", "wr-2"].map((providerRefundId) => ({ ...refunded, providerRefundId }));
  assert.deepEqual(findingsFor({ effects: [opened, paid, confirmed, ...refunds] }), [
    "doubled: refunded 2 times",
    "unbalanced: our ledger has 600, the provider 200",
  ]);
});

test("a success that no provider has is lost", () => {
  const unpaid = findingsFor({ effects: [opened, refunded], refunds: [] });
  assert(unpaid.includes("lost: is SUCCESS, but the provider was never paid"));
  assert(unpaid.includes("unbalanced: refunded by the provider, but is not known here"));
  assert(
    findingsFor({ effects: [opened, paid, confirmed] }).includes(
      "lost: is SUCCESS, but the provider has never refunded it",
    ),
  );
});

test("a failed payment whose buyer paid is unbalanced, unless the money was returned", () => {
  const failed = { ...payment, status: "FAIL", wasPaid: false };
  const failureWebhook = newWebhook("F");
  const answers: readonly Answer[] = [];
  const findings = findingsFor({ payments: [failed], webhooks: [failureWebhook, refundWebhook], answers });
  assert.deepEqual(findings, ["unbalanced: is FAIL, but the buyer has paid"]);
  const reversals = [{ ...refund, requestId: "" }];
  assert.deepEqual(
    findingsFor({
      payments: [failed],
      refunds: [],
      webhooks: [failureWebhook],
      answers,
      databaseState: { reversals },
    }),
    [],
  );
});

test("a hold of a cancelled payment is unbalanced", () => {
  const payments = [{ ...payment, isManual: true, status: "CANCELLED" }];
  const authorized = { ...paid, kind: "authorized" };
  const rest = { refunds: [], databaseState: { transfers: [] }, webhooks: [successWebhook] };
  assert.deepEqual(findingsFor({ payments, effects: [opened, authorized, confirmed], ...rest }), [
    "unbalanced: is CANCELLED, but the buyer's money is still held",
  ]);
  const release = { ...paid, kind: "closed", sequence: 3 };
  const effects = [opened, authorized, confirmed, release, { ...confirmed, eventId: "wo-3" }];
  assert.deepEqual(findingsFor({ payments, effects, ...rest }), []);
  const repeatedHolds = [authorized, release].map((line, index) => ({ ...line, sequence: 4 + index }));
  const repeatedConfirmations = ["wo-4", "wo-5"].map((eventId) => ({ ...confirmed, eventId }));
  assert.deepEqual(
    findingsFor({ payments, effects: [...effects, ...repeatedHolds, ...repeatedConfirmations], ...rest }),
    [],
  );
  assert.deepEqual(
    findingsFor({
      payments,
      effects: [...effects, ...repeatedHolds.slice(0, 1), ...repeatedConfirmations],
      ...rest,
    }),
    ["unbalanced: is CANCELLED, but the buyer's money is still held"],
  );
  assert.deepEqual(findingsFor({ payments, effects: [opened, authorized, ...effects.slice(1)], ...rest }), [
    "doubled: authorized 2 times",
  ]);
});

test("a response about a missing record, or with another status, is lost", () => {
  const otherAnswer = { ...answer, requestId: "order-2", id: "p2" };
  assert.deepEqual(findingsFor({ answers: [otherAnswer] }), [
    "lost: was reported as SUCCESS, and does not exist",
  ]);
  assert.deepEqual(
    findingsFor({ answers: [{ ...otherAnswer, resultStatus: "U", resultCode: "PAYMENT_IN_PROCESS" }] }),
    ["lost: was reported as accepted, and does not exist"],
  );
  assert.deepEqual(
    findingsFor({ answers: [{ ...answer, resultStatus: "F", resultCode: "ORDER_IS_CLOSED" }] }),
    ["lost: was reported as FAIL, and is SUCCESS"],
  );
  assert.deepEqual(findingsFor({ answers: [{ ...answer, verb: "cancel" }] }), [
    "lost: was reported as CANCELLED, and is SUCCESS",
  ]);
  assert.deepEqual(findingsFor({ answers: [{ ...answer, clientId: "OTHER" }] }), [
    "lost: was reported to another merchant",
  ]);
});

test("a webhook that contradicts the database is lost", () => {
  assert.deepEqual(findingsFor({ webhooks: [successWebhook, refundWebhook, newWebhook("F")] }), [
    "lost: was reported as FAIL, and is SUCCESS",
  ]);
});

test("two records for one request id are doubled", () => {
  const payments = [payment, { ...payment, paymentId: "p2", reference: undefined, hasNotifyUrl: false }];
  const secondAnswer = { ...answer, id: "p2" };
  assert.deepEqual(findingsFor({ payments, answers: [answer, secondAnswer] }), [
    "doubled: one request id has several records",
  ]);
});

test("a response that contradicts an earlier final one is lost, unless both were concurrent", () => {
  const inProcess = { ...answer, resultStatus: "U", resultCode: "PAYMENT_IN_PROCESS" };
  const laterAnswer = { ...inProcess, sentAtMs: 5, answeredAtMs: 6 };
  assert.deepEqual(findingsFor({ answers: [answer, laterAnswer] }), [
    "lost: was reported as SUCCESS, and later as not final",
  ]);
  assert.deepEqual(findingsFor({ answers: [answer, { ...inProcess, answeredAtMs: 9 }] }), []);
});

test("a record that is not final is stuck", () => {
  assert(
    findingsFor({ payments: [{ ...payment, status: "PENDING" }], answers: [] }).includes(
      "stuck: payment is PENDING",
    ),
  );
  assert(
    findingsFor({ refunds: [{ ...refund, status: "PROCESSING" }] }).includes(
      "stuck: part of a payment is PROCESSING",
    ),
  );
  const waiting = { notificationId: "n1", kind: "notifyPayment", subjectId: "p1", status: "WAITING" };
  assert.deepEqual(findingsFor({ databaseState: { notifications: [waiting] } }), [
    "stuck: notification is WAITING",
  ]);
  assert.deepEqual(findingsFor({ effects: [opened, paid, refunded] }), [
    "stuck: the provider's callback was never confirmed",
  ]);
});

test("a final state without a webhook is lost, and a forged message is broken", () => {
  assert.deepEqual(findingsFor({ webhooks: [refundWebhook] }), [
    "lost: is SUCCESS, and its merchant was not notified",
  ]);
  assert.deepEqual(findingsFor({ webhooks: [successWebhook] }), [
    "lost: refund is SUCCESS, and its merchant was not notified",
  ]);
  assert.deepEqual(
    findingsFor({ webhooks: [successWebhook, refundWebhook, { ...successWebhook, isSigned: false }] }),
    ["broken: PAYMENT_RESULT without a valid signature"],
  );
});

test("a ledger that differs from the provider's journal is unbalanced", () => {
  const missing = findingsFor({ databaseState: { transfers: transfers.slice(0, 1) } });
  assert.deepEqual(missing, ["unbalanced: our ledger has 1000, the provider 600"]);
});

test("a refund of more than the captured amount is unbalanced", () => {
  const excessRefund = { ...refunded, amount: { currency: "EUR", value: "1400" } };
  assert(
    findingsFor({ effects: [opened, paid, confirmed, excessRefund] }).includes(
      "unbalanced: more was refunded than captured",
    ),
  );
});

test("a process that exits unexpectedly, a log line that reports a bug, and HTTP 500 are broken", () => {
  const rest = { unexpectedExits: ["serve 1: 1"], suspiciousLines: ["TypeError"] };
  const answers = [answer, { ...answer, httpStatus: 500, id: undefined, resultStatus: "" }];
  assert.deepEqual(findingsFor({ rest, answers }), [
    "broken: exited unexpectedly",
    "broken: the log reports a bug",
    "broken: answered HTTP 500",
  ]);
});

test("a dispute freezes and debits the provider's amounts, and a final dispute holds nothing", () => {
  const dispute = {
    id: "d1",
    paymentId: "p1",
    status: "ACCEPTED",
    isOver: true,
    reference: "wd",
    currency: "EUR",
    frozenMinor: 0n,
    debitedMinor: 600n,
  };
  const frozen = "merchant frozen A";
  const freezeTransfer = {
    ...transfer,
    subjectId: "d1",
    effect: "dispute freeze",
    debit: "merchant",
    credit: frozen,
    minor: 600n,
  };
  const debitTransfer = { ...freezeTransfer, effect: "dispute debit", debit: frozen, credit: receivable };
  const takenLine: JournalLine = {
    kind: "dispute-changed",
    paymentId: "p1",
    providerDisputeId: "wd",
    sequence: 2,
    takenAmount: { currency: "EUR", value: "600" },
  };
  const effects = [opened, paid, confirmed, refunded, takenLine, { kind: "callback", eventId: "wd-2" }];
  const databaseState = { disputes: [dispute], transfers: [...transfers, freezeTransfer, debitTransfer] };
  const disputeWebhooks = ["DISPUTE_CREATED", "DISPUTE_ACCEPTED"].map((notifyType) => ({
    ...successWebhook,
    notifyType,
    disputeId: "d1",
  }));
  const overrides = { effects, databaseState, webhooks: [successWebhook, refundWebhook, ...disputeWebhooks] };
  assert.deepEqual(findingsFor(overrides), []);
  assert.deepEqual(
    findingsFor({ ...overrides, webhooks: [successWebhook, refundWebhook, ...disputeWebhooks.slice(1)] }),
    ["lost: dispute is ACCEPTED, and its merchant was not notified"],
  );
  assert.deepEqual(findingsFor({ ...overrides, effects: [...effects, takenLine] }), [
    "doubled: disputed 2 times",
    "unbalanced: debited 600 for a dispute, and the provider took 1200",
    "unbalanced: our ledger has 0, the provider -600",
    "unbalanced: more was refunded than captured",
  ]);
  assert.deepEqual(
    findingsFor({
      ...overrides,
      databaseState: { ...databaseState, transfers: [...transfers, freezeTransfer] },
    }),
    ["unbalanced: our ledger has 600, the provider 0", "unbalanced: 600 is frozen, and disputes hold 0"],
  );
});
