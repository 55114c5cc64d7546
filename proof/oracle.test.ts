import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "./history.ts";
import {
  answer,
  confirmed,
  found,
  opened,
  paid,
  payment,
  receivable,
  refund,
  refunded,
  told,
  toldOf,
  toldRefund,
  transfer,
  transfers,
} from "./oracle-case.ts";
import type { EffectLine } from "./truth.ts";

test("nothing is found where everybody says the same", () => {
  assert.deepEqual(found(), []);
});

test("an order that is opened twice is doubled", () => {
  const effects = [opened, { ...opened, outcome: "opened-again" }, paid, confirmed, refunded];
  assert.deepEqual(found({ effects }), ["doubled: opened 2 times"]);
});

test("money that moves twice under one reference is doubled, and the books show it", () => {
  assert.deepEqual(found({ effects: [opened, paid, paid, confirmed, refunded] }), [
    "doubled: paid 2 times",
    "unbalanced: our ledger says 600, the wallet 1600",
  ]);
  assert.deepEqual(found({ effects: [opened, paid, confirmed, refunded, refunded] }), [
    "doubled: refunded 2 times",
    "unbalanced: our ledger says 600, the wallet 200",
  ]);
});

test("a success that no wallet knows of is lost", () => {
  const unpaid = found({ effects: [opened, refunded], refunds: [] });
  assert(unpaid.includes("lost: is SUCCESS, but the wallet was never paid"));
  assert(unpaid.includes("unbalanced: refunded by the wallet, but is not known here"));
  assert(
    found({ effects: [opened, paid, confirmed] }).includes(
      "lost: is SUCCESS, but the wallet has never refunded it",
    ),
  );
});

test("a payment that failed while its buyer paid is unbalanced, unless the money went back", () => {
  const failed = { ...payment, status: "FAIL", wasPaid: false };
  const toldSo = toldOf("F");
  const answers: readonly Answer[] = [];
  const late = found({ payments: [failed], told: [toldSo, toldRefund], answers });
  assert.deepEqual(late, ["unbalanced: is FAIL, but the buyer has paid"]);
  const reversals = [{ ...refund, requestId: "" }];
  assert.deepEqual(
    found({ payments: [failed], refunds: [], told: [toldSo], answers, evidence: { reversals } }),
    [],
  );
});

test("money that stays held for a cancelled payment is unbalanced", () => {
  const payments = [{ ...payment, isManual: true, status: "CANCELLED" }];
  const authorized = { ...paid, kind: "authorized" };
  const rest = { refunds: [], evidence: { transfers: [] }, told: [told] };
  assert.deepEqual(found({ payments, effects: [opened, authorized, confirmed], ...rest }), [
    "unbalanced: is CANCELLED, but the buyer's money is still held",
  ]);
  const closed = { ...paid, kind: "closed", sequence: 3 };
  const effects = [opened, authorized, confirmed, closed, { ...confirmed, eventId: "wo-3" }];
  assert.deepEqual(found({ payments, effects, ...rest }), []);
  const again = [authorized, closed].map((line, index) => ({ ...line, sequence: 4 + index }));
  const told4And5 = ["wo-4", "wo-5"].map((eventId) => ({ ...confirmed, eventId }));
  assert.deepEqual(found({ payments, effects: [...effects, ...again, ...told4And5], ...rest }), []);
  assert.deepEqual(found({ payments, effects: [...effects, ...again.slice(0, 1), ...told4And5], ...rest }), [
    "unbalanced: is CANCELLED, but the buyer's money is still held",
  ]);
  assert.deepEqual(found({ payments, effects: [opened, authorized, ...effects.slice(1)], ...rest }), [
    "doubled: authorized 2 times",
  ]);
});

test("an answer about a record that is not there, or is something else, is lost", () => {
  const other = { ...answer, requestId: "order-2", id: "p2" };
  assert.deepEqual(found({ answers: [other] }), ["lost: was told as SUCCESS, and does not exist"]);
  assert.deepEqual(found({ answers: [{ ...other, resultStatus: "U", resultCode: "PAYMENT_IN_PROCESS" }] }), [
    "lost: was told as taken, and does not exist",
  ]);
  assert.deepEqual(found({ answers: [{ ...answer, resultStatus: "F", resultCode: "ORDER_IS_CLOSED" }] }), [
    "lost: was told as FAIL, and is SUCCESS",
  ]);
  assert.deepEqual(found({ answers: [{ ...answer, verb: "cancel" }] }), [
    "lost: was told as CANCELLED, and is SUCCESS",
  ]);
  assert.deepEqual(found({ answers: [{ ...answer, clientId: "OTHER" }] }), [
    "lost: was told to another merchant",
  ]);
});

test("a notification that contradicts the database is lost", () => {
  assert.deepEqual(found({ told: [told, toldRefund, toldOf("F")] }), [
    "lost: was told as FAIL, and is SUCCESS",
  ]);
});

test("two records for one request id are doubled", () => {
  const payments = [payment, { ...payment, paymentId: "p2", reference: undefined, isToBeTold: false }];
  const second = { ...answer, id: "p2" };
  assert.deepEqual(found({ payments, answers: [answer, second] }), [
    "doubled: one request id has several records",
  ]);
});

test("an answer that goes back on a final one is lost, unless both were under way together", () => {
  const inProcess = { ...answer, resultStatus: "U", resultCode: "PAYMENT_IN_PROCESS" };
  const later = { ...inProcess, sentAtMs: 5, answeredAtMs: 6 };
  assert.deepEqual(found({ answers: [answer, later] }), [
    "lost: was told as SUCCESS, and later as not final",
  ]);
  assert.deepEqual(found({ answers: [answer, { ...inProcess, answeredAtMs: 9 }] }), []);
});

test("what has not ended is stuck", () => {
  assert(
    found({ payments: [{ ...payment, status: "PENDING" }], answers: [] }).includes(
      "stuck: payment is PENDING",
    ),
  );
  assert(
    found({ refunds: [{ ...refund, status: "PROCESSING" }] }).includes(
      "stuck: part of a payment is PROCESSING",
    ),
  );
  const waiting = { notificationId: "n1", kind: "notifyPayment", subjectId: "p1", status: "WAITING" };
  assert.deepEqual(found({ evidence: { notifications: [waiting] } }), ["stuck: notification is WAITING"]);
  assert.deepEqual(found({ effects: [opened, paid, refunded] }), [
    "stuck: the wallet's callback was never confirmed",
  ]);
});

test("an end that its merchant was not told of is lost, and a forged message is worse", () => {
  assert.deepEqual(found({ told: [toldRefund] }), ["lost: is SUCCESS, and its merchant was not told"]);
  assert.deepEqual(found({ told: [told] }), ["lost: refund is SUCCESS, and its merchant was not told"]);
  assert.deepEqual(found({ told: [told, toldRefund, { ...told, isSigned: false }] }), [
    "broken: PAYMENT_RESULT without a valid signature",
  ]);
});

test("a ledger that says something else than the wallet is unbalanced", () => {
  const missing = found({ evidence: { transfers: transfers.slice(0, 1) } });
  assert.deepEqual(missing, ["unbalanced: our ledger says 1000, the wallet 600"]);
});

test("more refunded than taken is unbalanced", () => {
  const much = { ...refunded, amount: { currency: "EUR", value: "1400" } };
  assert(
    found({ effects: [opened, paid, confirmed, much] }).includes(
      "unbalanced: more was refunded than was taken",
    ),
  );
});

test("a process that ends by itself, a log that speaks of a bug, and HTTP 500 are broken promises", () => {
  const rest = { ownEndings: ["serve 1: 1"], suspiciousLines: ["TypeError"] };
  const answers = [answer, { ...answer, httpStatus: 500, id: undefined, resultStatus: "" }];
  assert.deepEqual(found({ rest, answers }), [
    "broken: ended by itself",
    "broken: the log speaks of a bug",
    "broken: answered HTTP 500",
  ]);
});

test("what a dispute froze and took is what the wallet took, and what is over holds nothing", () => {
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
  const froze = {
    ...transfer,
    subjectId: "d1",
    effect: "dispute freeze",
    debit: "merchant",
    credit: frozen,
    minor: 600n,
  };
  const debited = { ...froze, effect: "dispute debit", debit: frozen, credit: receivable };
  const taken: EffectLine = {
    kind: "dispute-changed",
    paymentId: "p1",
    walletDisputeId: "wd",
    sequence: 2,
    takenAmount: { currency: "EUR", value: "600" },
  };
  const effects = [opened, paid, confirmed, refunded, taken, { kind: "callback", eventId: "wd-2" }];
  const evidence = { disputes: [dispute], transfers: [...transfers, froze, debited] };
  const news = ["DISPUTE_CREATED", "DISPUTE_ACCEPTED"].map((notifyType) => ({
    ...told,
    notifyType,
    disputeId: "d1",
  }));
  const all = { effects, evidence, told: [told, toldRefund, ...news] };
  assert.deepEqual(found(all), []);
  assert.deepEqual(found({ ...all, told: [told, toldRefund, ...news.slice(1)] }), [
    "lost: dispute is ACCEPTED, and its merchant was not told",
  ]);
  assert.deepEqual(found({ ...all, effects: [...effects, taken] }), [
    "doubled: disputed 2 times",
    "unbalanced: debited 600 for a dispute, and the wallet took 1200",
    "unbalanced: our ledger says 0, the wallet -600",
    "unbalanced: more was refunded than was taken",
  ]);
  assert.deepEqual(found({ ...all, evidence: { ...evidence, transfers: [...transfers, froze] } }), [
    "unbalanced: our ledger says 600, the wallet 0",
    "unbalanced: 600 is frozen, and disputes hold 0",
  ]);
});
