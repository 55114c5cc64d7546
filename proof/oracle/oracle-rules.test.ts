import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  confirmed,
  found,
  opened,
  paid,
  payment,
  refund,
  refunded,
  told,
  toldOf,
  toldRefund,
  transfer,
  transfers,
} from "./oracle-case.ts";

test("a refund with another amount at the provider is unbalanced", () => {
  const less = { ...refunded, amount: { currency: "EUR", value: "300" } };
  assert(
    found({ effects: [opened, paid, confirmed, less] }).includes(
      "unbalanced: refunded 300 by the provider, and 400 here",
    ),
  );
});

test("a capture, successful or not, without a webhook to its merchant is lost", () => {
  const capture = { ...refund, id: "c1", reference: "take-1", status: "FAIL" };
  const toldCapture = { ...told, notifyType: "CAPTURE_RESULT", captureId: "c1", resultStatus: "F" };
  const evidence = { captures: [capture] };
  assert.deepEqual(found({ evidence, told: [told, toldRefund] }), [
    "lost: capture is FAIL, and its merchant was not notified",
  ]);
  assert.deepEqual(found({ evidence, told: [told, toldRefund, toldCapture] }), []);
});

test("a wrong fee, a reserve without an open record and a break are unbalanced", () => {
  const fee = { ...transfer, debit: "merchant", credit: "fee revenue", minor: 13n };
  const payments = [{ ...payment, feeBasisPoints: 130 }];
  assert.deepEqual(found({ payments, evidence: { transfers: [...transfers, fee] } }), []);
  assert.deepEqual(found({ payments }), ["unbalanced: its fee is 0, and should be 13"]);
  const reserves = [{ clientId: "SHOP", currency: "EUR", minor: 400n }];
  assert.deepEqual(found({ evidence: { reserves } }), [
    "unbalanced: 400 is still reserved, and nothing is open",
  ]);
  const breaks = [{ kind: "open refunds", reference: "SHOP" }];
  assert.deepEqual(found({ evidence: { breaks } }), ["unbalanced: match finds a break: open refunds"]);
});

test("a merchant that has refunded more than its balance is unbalanced, unless its buyers dispute", () => {
  const payable = "merchant payable SHOP";
  const more = { ...transfer, debit: payable, credit: "suspense", minor: 5n };
  assert.deepEqual(found({ evidence: { transfers: [...transfers, more] } }), [
    "unbalanced: its merchant has refunded 5 more than its balance",
  ]);
});

test("a failed record that was never sent is lost, unless a fault prevented it or it had expired", () => {
  const unsent = { ...refund, id: "r2", reference: "back-2", status: "FAIL" };
  const toldUnsent = { ...toldRefund, refundId: "r2", resultStatus: "F" };
  const given = { refunds: [refund, unsent], told: [told, toldRefund, toldUnsent] };
  const rest = { startedAtEpochMs: 0 };
  assert.deepEqual(found({ ...given, rest }), [
    "lost: refund is FAIL, and was never sent to a provider that was there",
  ]);
  const fault = { kind: "line: refuse", target: "gateway to provider 2", atMs: 100, forMs: 500 };
  assert.deepEqual(found({ ...given, rest, faults: [fault] }), []);
  const refused = { kind: "refund", outcome: "refused", refundReference: "back-2" };
  assert.deepEqual(found({ ...given, rest, effects: [opened, paid, confirmed, refunded, refused] }), []);
});

test("a payment that was requested after its consent was revoked, and is paid, is unbalanced", () => {
  const revoked = { ...answer, verb: "revoke", id: undefined, consent: "buyer-1", answeredAtMs: 5 } as const;
  const spending = { clientId: "SHOP", consent: "buyer-1", requestId: "order-1", sentAtMs: 6 };
  const answers = [answer, revoked];
  assert.deepEqual(found({ answers, spendings: [spending] }), [
    "unbalanced: was paid after its consent had been revoked",
  ]);
  assert.deepEqual(found({ answers, spendings: [{ ...spending, sentAtMs: 4 }] }), []);
});

test("a code at a point of sale is not a payment, and a repeated session response states nothing about its payment", () => {
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
