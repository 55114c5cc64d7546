import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalLine } from "./journal-operations.ts";
import {
  answer,
  confirmed,
  findingsFor,
  opened,
  paid,
  payment,
  refund,
  refunded,
  successWebhook,
  newWebhook,
  refundWebhook,
  transfer,
  transfers,
} from "./oracle-case.ts";

test("a refund with another amount at the provider is unbalanced", () => {
  const smallerRefund = { ...refunded, amount: { currency: "EUR", value: "300" } };
  assert(
    findingsFor({ effects: [opened, paid, confirmed, smallerRefund] }).includes(
      "unbalanced: refunded 300 by the provider, and 400 here",
    ),
  );
});

test("a capture, successful or not, without a webhook to its merchant is lost", () => {
  const capture = { ...refund, id: "c1", reference: "take-1", status: "FAIL" };
  const captureWebhook = {
    ...successWebhook,
    notifyType: "CAPTURE_RESULT",
    captureId: "c1",
    resultStatus: "F",
  };
  const databaseState = { captures: [capture] };
  assert.deepEqual(findingsFor({ databaseState, webhooks: [successWebhook, refundWebhook] }), [
    "lost: capture is FAIL, and its merchant was not notified",
  ]);
  assert.deepEqual(
    findingsFor({ databaseState, webhooks: [successWebhook, refundWebhook, captureWebhook] }),
    [],
  );
});

test("a wrong fee, a reserve without an open record and a break are unbalanced", () => {
  const fee = { ...transfer, debit: "merchant", credit: "fee revenue", minor: 13n };
  const payments = [{ ...payment, feeBasisPoints: 130 }];
  assert.deepEqual(findingsFor({ payments, databaseState: { transfers: [...transfers, fee] } }), []);
  assert.deepEqual(findingsFor({ payments }), ["unbalanced: its fee is 0, and should be 13"]);
  const reserves = [{ clientId: "SHOP", currency: "EUR", minor: 400n }];
  assert.deepEqual(findingsFor({ databaseState: { reserves } }), [
    "unbalanced: 400 is still reserved, and nothing is open",
  ]);
  const breaks = [{ kind: "open refunds", reference: "SHOP" }];
  assert.deepEqual(findingsFor({ databaseState: { breaks } }), [
    "unbalanced: match finds a break: open refunds",
  ]);
});

test("a merchant that has refunded more than its balance is unbalanced, unless its buyers dispute", () => {
  const payable = "merchant payable SHOP";
  const excessRefund = { ...transfer, debit: payable, credit: "suspense", minor: 5n };
  assert.deepEqual(findingsFor({ databaseState: { transfers: [...transfers, excessRefund] } }), [
    "unbalanced: its merchant has refunded 5 more than its balance",
  ]);
});

test("a failed record that was never sent is lost, unless a fault prevented it or it had expired", () => {
  const unsent = { ...refund, id: "r2", reference: "back-2", status: "FAIL" };
  const unsentWebhook = { ...refundWebhook, refundId: "r2", resultStatus: "F" };
  const overrides = { refunds: [refund, unsent], webhooks: [successWebhook, refundWebhook, unsentWebhook] };
  const rest = { startedAtEpochMs: 0 };
  assert.deepEqual(findingsFor({ ...overrides, rest }), [
    "lost: refund is FAIL, and was never sent to a provider that was there",
  ]);
  const fault = { kind: "line: refuse", target: "gateway to provider 2", atMs: 100, forMs: 500 };
  assert.deepEqual(findingsFor({ ...overrides, rest, faults: [fault] }), []);
  const refused = { kind: "refund", outcome: "refused", refundReference: "back-2" };
  assert.deepEqual(
    findingsFor({ ...overrides, rest, effects: [opened, paid, confirmed, refunded, refused] }),
    [],
  );
});

test("a hold whose release failed is lost only if no cancel of its order was sent", () => {
  const reversal = { ...refund, id: "v1", reference: "release-1", status: "FAIL" };
  const lost = "lost: reversal is FAIL, and was never sent to a provider that was there";
  const isLost = (cancels: readonly JournalLine[]): boolean =>
    findingsFor({
      payments: [{ ...payment, isManual: true }],
      databaseState: { reversals: [reversal] },
      rest: { startedAtEpochMs: 0 },
      effects: [opened, paid, confirmed, refunded, ...cancels],
    }).includes(lost);
  assert(isLost([]));
  assert(!isLost([{ kind: "cancel", outcome: "started", reference: payment.reference }]));
});

test("a payment that was requested after its consent was revoked, and is paid, is unbalanced", () => {
  const revocation = {
    ...answer,
    verb: "revoke",
    id: undefined,
    consent: "buyer-1",
    answeredAtMs: 5,
  } as const;
  const spending = { clientId: "SHOP", consent: "buyer-1", requestId: "order-1", sentAtMs: 6 };
  const answers = [answer, revocation];
  assert.deepEqual(findingsFor({ answers, tokenPayments: [spending] }), [
    "unbalanced: was paid after its consent had been revoked",
  ]);
  assert.deepEqual(findingsFor({ answers, tokenPayments: [{ ...spending, sentAtMs: 4 }] }), []);
});

test("a code at a point of sale is not a payment, and a repeated session response states nothing about its payment", () => {
  const codeResponse = { ...answer, verb: "issue", recordStatus: "PROCESSING", answeredAtMs: 2 } as const;
  const payments = [{ ...payment, status: "FAIL", wasPaid: false, reference: undefined }];
  const overrides = {
    payments,
    refunds: [],
    webhooks: [newWebhook("F")],
    databaseState: { transfers: [] },
    effects: [opened],
  };
  assert.deepEqual(findingsFor({ ...overrides, answers: [codeResponse] }), []);
  const repeatedSession = { ...answer, verb: "createPaymentSession", sentAtMs: 9, answeredAtMs: 10 } as const;
  assert.deepEqual(findingsFor({ answers: [answer, repeatedSession] }), []);
});
