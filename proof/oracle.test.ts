import assert from "node:assert/strict";
import { test } from "node:test";
import type { Evidence, PartRow, PaymentRow } from "./evidence.ts";
import type { Case } from "./finding.ts";
import type { Answer, History, Told } from "./history.ts";
import { judge } from "./oracle.ts";
import { readTruth, type EffectLine } from "./truth.ts";

const payment: PaymentRow = {
  clientId: "SHOP",
  paymentId: "p1",
  paymentRequestId: "order-1",
  status: "SUCCESS",
  resultCode: "SUCCESS",
  isManual: false,
  wasPaid: true,
  reference: "ref-1",
  isToBeTold: true,
  isInStore: false,
  paidMinor: 1000n,
  feeBasisPoints: 0,
  createdAtMs: 0,
  expiresAtMs: 100_000,
  endedAtMs: 5_000,
};
const refund: PartRow = {
  clientId: "SHOP",
  id: "r1",
  requestId: "refund-1",
  paymentId: "p1",
  status: "SUCCESS",
  reference: "back-1",
  currency: "EUR",
  minor: 400n,
  createdAtMs: 0,
  endedAtMs: 5_000,
};
const answer: Answer = {
  verb: "pay",
  requestId: "order-1",
  clientId: "SHOP",
  sentAtMs: 1,
  answeredAtMs: 2,
  httpStatus: 200,
  isSigned: true,
  resultStatus: "S",
  resultCode: "SUCCESS",
  id: "p1",
  recordStatus: undefined,
};
const told: Told = {
  atMs: 3,
  clientId: "SHOP",
  isSigned: true,
  notifyType: "PAYMENT_RESULT",
  resultStatus: "S",
  resultCode: "SUCCESS",
  paymentId: "p1",
  refundId: undefined,
  captureId: undefined,
};
const toldRefund: Told = { ...told, notifyType: "REFUND_RESULT", refundId: "r1" };
const amount = { currency: "EUR", value: "1000" };
const back = { currency: "EUR", value: "400" };
const opened: EffectLine = { kind: "submit", outcome: "opened", paymentId: "p1", reference: "ref-1" };
const paid: EffectLine = {
  kind: "paid",
  paymentId: "p1",
  reference: "ref-1",
  walletOrderId: "wo",
  sequence: 2,
  paidAmount: amount,
};
const refunded: EffectLine = { kind: "refunded", paymentId: "p1", refundReference: "back-1", amount: back };
const confirmed: EffectLine = { kind: "callback", eventId: "wo-2" };
const receivable = "wallet receivable w";

interface Given {
  readonly payments?: readonly PaymentRow[];
  readonly refunds?: readonly PartRow[];
  readonly evidence?: Partial<Evidence>;
  readonly answers?: readonly Answer[];
  readonly told?: readonly Told[];
  readonly effects?: readonly EffectLine[];
  readonly spendings?: History["spendings"];
  readonly faults?: History["faults"];
  readonly rest?: Partial<Case>;
}

const transfer = {
  subjectId: "p1",
  effect: "payment",
  debit: receivable,
  credit: "merchant",
  currency: "EUR",
};
const transfers = [
  { ...transfer, minor: 1000n },
  { ...transfer, subjectId: "r1", effect: "refund", debit: "merchant", credit: receivable, minor: 400n },
];

/** A payment of 10 euro of which 4 went back: everybody says the same, unless something else is given. */
function found(given: Given = {}): string[] {
  const { payments = [payment], refunds = [refund], effects = [opened, paid, confirmed, refunded] } = given;
  const evidence = {
    payments,
    refunds,
    captures: [],
    reversals: [],
    disputes: [],
    transfers,
    notifications: [],
    reserves: [],
    breaks: [],
    ...given.evidence,
  };
  const history: History = {
    answers: [...(given.answers ?? [answer])],
    notifications: [...(given.told ?? [told, toldRefund])],
    faults: [...(given.faults ?? [])],
    unansweredAtMs: [],
    spendings: [...(given.spendings ?? [])],
  };
  const truth = readTruth(effects);
  const findings = judge({ history, evidence, truth, ownEndings: [], suspiciousLines: [], ...given.rest });
  return findings.map(({ kind, what }) => `${kind}: ${what}`);
}

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

function toldOf(resultStatus: string): Told {
  return { ...told, resultStatus };
}

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

test("a wallet that has given back another sum than we know of is unbalanced", () => {
  const less = { ...refunded, amount: { currency: "EUR", value: "300" } };
  assert(
    found({ effects: [opened, paid, confirmed, less] }).includes(
      "unbalanced: refunded 300 by the wallet, and 400 here",
    ),
  );
});

test("a capture, made or not, of which its merchant was not told is lost", () => {
  const capture = { ...refund, id: "c1", reference: "take-1", status: "FAIL" };
  const toldCapture = { ...told, notifyType: "CAPTURE_RESULT", captureId: "c1", resultStatus: "F" };
  const evidence = { captures: [capture] };
  assert.deepEqual(found({ evidence, told: [told, toldRefund] }), [
    "lost: capture is FAIL, and its merchant was not told",
  ]);
  assert.deepEqual(found({ evidence, told: [told, toldRefund, toldCapture] }), []);
});

test("a fee that is not what it should be, money set aside for nothing and a break are unbalanced", () => {
  const fee = { ...transfer, debit: "merchant", credit: "fee revenue", minor: 13n };
  const payments = [{ ...payment, feeBasisPoints: 130 }];
  assert.deepEqual(found({ payments, evidence: { transfers: [...transfers, fee] } }), []);
  assert.deepEqual(found({ payments }), ["unbalanced: its fee is 0, and should be 13"]);
  const reserves = [{ clientId: "SHOP", currency: "EUR", minor: 400n }];
  assert.deepEqual(found({ evidence: { reserves } }), [
    "unbalanced: 400 stays set aside, and nothing is open",
  ]);
  const breaks = [{ kind: "open refunds", reference: "SHOP" }];
  assert.deepEqual(found({ evidence: { breaks } }), ["unbalanced: match finds a break: open refunds"]);
});

test("a merchant that has given back more than it had is unbalanced, unless its buyers dispute", () => {
  const payable = "merchant payable SHOP";
  const more = { ...transfer, debit: payable, credit: "suspense", minor: 5n };
  assert.deepEqual(found({ evidence: { transfers: [...transfers, more] } }), [
    "unbalanced: its merchant has given back 5 more than it had",
  ]);
});

test("what failed without ever being sent is lost, unless something stood in its way or its time was over", () => {
  const unsent = { ...refund, id: "r2", reference: "back-2", status: "FAIL" };
  const toldUnsent = { ...toldRefund, refundId: "r2", resultStatus: "F" };
  const given = { refunds: [refund, unsent], told: [told, toldRefund, toldUnsent] };
  const rest = { startedAtEpochMs: 0 };
  assert.deepEqual(found({ ...given, rest }), [
    "lost: refund is FAIL, and was never sent to a wallet that was there",
  ]);
  const fault = { kind: "line: refuse", target: "gateway to wallet 2", atMs: 100, forMs: 500 };
  assert.deepEqual(found({ ...given, rest, faults: [fault] }), []);
  const refused = { kind: "refund", outcome: "refused", refundReference: "back-2" };
  assert.deepEqual(found({ ...given, rest, effects: [opened, paid, confirmed, refunded, refused] }), []);
});

test("what is asked for after a consent was revoked and is paid all the same is unbalanced", () => {
  const revoked = { ...answer, verb: "revoke", id: undefined, consent: "buyer-1", answeredAtMs: 5 } as const;
  const spending = { clientId: "SHOP", consent: "buyer-1", requestId: "order-1", sentAtMs: 6 };
  const answers = [answer, revoked];
  assert.deepEqual(found({ answers, spendings: [spending] }), [
    "unbalanced: was paid after its consent had been revoked",
  ]);
  assert.deepEqual(found({ answers, spendings: [{ ...spending, sentAtMs: 4 }] }), []);
});

test("a code that a till has is no payment, and a session that is told again says nothing of its payment", () => {
  const issued = { ...answer, verb: "issue", recordStatus: "PROCESSING", answeredAtMs: 2 } as const;
  const payments = [{ ...payment, status: "FAIL", wasPaid: false, reference: undefined }];
  const given = {
    payments,
    refunds: [],
    told: [toldOf("F")],
    evidence: { transfers: [] },
    effects: [opened],
  };
  assert.deepEqual(found({ ...given, answers: [issued] }), []);
  const again = { ...answer, verb: "createPaymentSession", sentAtMs: 9, answeredAtMs: 10 } as const;
  assert.deepEqual(found({ answers: [answer, again] }), []);
});
