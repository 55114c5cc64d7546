import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { CallReceived, Line } from "./effect.ts";
import { startGateway } from "../testing/test-gateway.ts";
import {
  call,
  control,
  effects,
  newFolder,
  newOrder,
  startWallet,
  type TestWallet,
} from "../testing/test-wallet.ts";
import { wireTime } from "./wire-time.ts";

const guide = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const amount = { currency: "EUR", value: "450" };

/** The fields of each kind of line, as README.md specifies them. A name with a question mark is optional. */
const fieldsByKind: Readonly<Record<Line["kind"], string>> = {
  submit: "outcome reference? paymentId? amount? paymentMethodType? order?",
  cancel: "outcome reference? paymentId?",
  capture: "outcome reference? captureReference? amount? capture?",
  refund: "outcome reference? refundReference? amount? refund?",
  pending: "reference paymentId providerOrderId sequence by amount",
  authorized: "reference paymentId providerOrderId sequence by amount paidAmount",
  paid: "reference paymentId providerOrderId sequence by amount paidAmount",
  declined: "reference paymentId providerOrderId sequence by amount resultCode",
  closed: "reference paymentId providerOrderId sequence by amount",
  lapsed: "reference paymentId providerOrderId sequence by amount",
  "cancel-started": "reference paymentId providerOrderId sequence finishTime? failsWith?",
  "code-renewed": "reference paymentId providerOrderId sequence expiryTime",
  "cancel-failed": "reference paymentId providerOrderId sequence resultCode",
  captured: "reference paymentId providerOrderId captureReference providerCaptureId amount released?",
  "capture-failed":
    "reference paymentId providerOrderId captureReference providerCaptureId amount resultCode",
  refunded: "reference paymentId providerOrderId refundReference providerRefundId amount",
  "refund-failed":
    "reference paymentId providerOrderId refundReference providerRefundId amount resultCode isReversal?",
  tombstone: "reference because",
  register: "outcome reference? registration?",
  "registration-planned": "name action rejectReasons?",
  "registration-decided": "reference providerRegistrationId state by rejectReasons?",
  authorize: "outcome reference? authorization?",
  "exchange-code": "outcome reference?",
  revoke: "outcome reference?",
  "authorization-changed":
    "reference providerAuthorizationId state sequence by codeHash? codeExpiryTime? agreementHash? reason? asks? declines?",
  "authorization-callback": "eventId reference sequence attempts",
  "accept-dispute": "outcome providerDisputeId? answerReference?",
  "defend-dispute": "outcome providerDisputeId? answerReference?",
  "dispute-opened":
    "reference paymentId providerOrderId providerDisputeId sequence dispute takenAmount? judgedResult?",
  "dispute-changed":
    "reference paymentId providerOrderId providerDisputeId sequence event state by takenAmount? acceptReason? judgedResult? answer?",
  "payment-code": "codeHash expiryTime buyer? asks? declines?",
  callback: "eventId reference paymentId providerOrderId sequence attempts",
  fault: "fault verb reference? paymentId?",
};

const outcomes: Readonly<Record<CallReceived["outcome"], true>> = {
  opened: true,
  "opened-again": true,
  repeated: true,
  inconsistent: true,
  "too-late": true,
  tombstoned: true,
  closed: true,
  unchanged: true,
  done: true,
  "done-again": true,
  started: true,
  "started-again": true,
  refused: true,
  malformed: true,
  "not-acted": true,
};

test("every kind of line and every outcome is written as README.md specifies", async () => {
  const folder = newFolder();
  const gateway = await startGateway(join(folder, "wallet-public.pem"));
  const wallet = await startWallet(folder);
  const act = (paymentId: string, action: string) => control(wallet, `POST payments/${paymentId}/${action}`);
  const [paid, held, declined, closed, late] = [
    newOrder({ callbackUrl: gateway.url }),
    newOrder({ capture: "MANUAL" }),
    newOrder(),
    newOrder(),
    newOrder({ notAfter: wireTime(Date.now() - 2_000) }),
  ];
  for (const order of [paid, held, declined, closed, late]) await call(wallet, "submit", order);
  await call(wallet, "submit", paid);
  await call(wallet, "submit", { ...paid, amount: { ...amount, value: "1" } });
  await control(wallet, "POST faults", { kind: "not-idempotent" });
  await call(wallet, "submit", closed);
  await control(wallet, "POST faults", { kind: "error-500" });
  await call(wallet, "submit", paid).catch(() => undefined);
  for (const verb of ["submit", "cancel", "capture", "refund"]) await call(wallet, verb, {});
  await act(declined.paymentId, "pend");
  await act(declined.paymentId, "decline");
  await act(paid.paymentId, "approve");
  await act(held.paymentId, "approve");
  await call(wallet, "capture", { reference: held.reference, captureReference: "c", amount });
  for (const { reference } of [paid, closed, late]) await call(wallet, "cancel", { reference });
  const refund = { reference: paid.reference, refundReference: "r", amount };
  await call(wallet, "refund", refund);
  await call(wallet, "refund", { ...refund, refundReference: "s" });
  await control(wallet, "POST faults", { kind: "not-idempotent", count: 2 });
  await call(wallet, "refund", refund);
  await control(wallet, "POST faults", { kind: "refund-pending", count: 2 });
  const slow = { reference: held.reference, refundReference: "slow", amount };
  await call(wallet, "refund", slow);
  await call(wallet, "refund", slow);
  await control(wallet, "POST refunds/r/fail");
  const unsteady = newOrder({ capture: "MANUAL" });
  await call(wallet, "submit", unsteady);
  await act(unsteady.paymentId, "approve");
  await control(wallet, "POST faults", { kind: "cancel-pending" });
  await call(wallet, "cancel", { reference: unsteady.reference });
  await act(unsteady.paymentId, "fail-cancel");
  await control(wallet, "POST faults", { kind: "capture-pending" });
  await call(wallet, "capture", { reference: unsteady.reference, captureReference: "u", amount });
  await control(wallet, "POST captures/u/fail");
  await act(unsteady.paymentId, "lapse");
  await control(wallet, "POST faults", { kind: "action-code", delayMs: 1 });
  const { reference: renewed } = (await call(wallet, "submit", newOrder())).order;
  await call(wallet, "inquire", { reference: renewed });
  await control(wallet, "POST payment-codes", { buyer: "ann", asks: true });
  await control(wallet, "POST payment-codes", { declines: "RISK_REJECT" });
  const merchant = { productCodes: ["CASHIER_PAYMENT"], merchant: {} };
  await control(wallet, "POST registrations/g/reject", { rejectReasons: ["No."] });
  await call(wallet, "registrations/register", { reference: "g", registrationRequestId: "g", ...merchant });
  await control(wallet, `POST payments/${held.paymentId}/dispute`, { disputeType: "RETRIEVAL_REQUEST" });
  const opened = effects(wallet).find(({ kind }) => kind === "dispute-opened") as {
    providerDisputeId: string;
  };
  const { providerDisputeId } = opened;
  for (const verb of ["accept-dispute", "defend-dispute"])
    await call(wallet, `disputes/${verb}`, { providerDisputeId, answerReference: verb, reason: "X" });
  await consent(wallet, gateway.url);
  const isRecorded = (expectedKind: string): boolean =>
    effects(wallet).some(({ kind }) => kind === expectedKind);
  while (!isRecorded("callback") || !isRecorded("authorization-callback")) await wait(10);

  const lines = effects(wallet);
  assert.deepEqual(
    lines.map(({ n }) => n),
    lines.map((_, index) => index + 1),
  );
  for (const line of lines) assertFields(line);
  assert.deepEqual(new Set(lines.map(({ kind }) => kind)), new Set(Object.keys(fieldsByKind)));
  assert.deepEqual(
    new Set(lines.flatMap((line) => ("outcome" in line ? [line.outcome] : []))),
    new Set(Object.keys(outcomes)),
  );
});

/** A buyer who agrees, and a merchant who revokes the consent. */
async function consent(wallet: TestWallet, callbackUrl: string): Promise<void> {
  const named = { reference: "a", merchantId: "m", merchantName: "M", authState: "a" };
  const terms = { scopes: ["AGREEMENT_PAY"], redirectUrl: "https://shop.example/", callbackUrl };
  const expiryTime = wireTime(Date.now() + 60_000);
  await call(wallet, "authorizations/authorize", { ...named, ...terms, expiryTime });
  const { json } = await control(wallet, "POST authorizations/a/agree", { asks: true });
  const authCode = new URL(String(json.redirectUrl)).searchParams.get("authCode");
  await call(wallet, "authorizations/exchange-code", { authCode, merchantId: "m" });
  await call(wallet, "authorizations/revoke", { reference: "a" });
}

test("README.md has a row for every kind of line and every outcome", () => {
  for (const outcome of Object.keys(outcomes)) assert.ok(guide.includes(`\n| \`${outcome}\` |`), outcome);
  const table = guide.slice(guide.indexOf("| `kind` | a line for each"), guide.indexOf("Money has moved"));
  for (const [kind, fields] of Object.entries(fieldsByKind)) {
    const row = table.split("\n").find((each) => each.split("|")[1]?.includes(`\`${kind}\``));
    assert.ok(row, kind);
    for (const field of fields.split(" "))
      assert.ok(row.includes(`\`${field.replace("?", "")}\``), `${kind}: ${field}`);
  }
});

function assertFields(line: Line): void {
  const fields = fieldsByKind[line.kind].split(" ");
  const documentedFields = fields.map((field) => field.replace("?", ""));
  const lineFields = Object.keys(line);
  assert.deepEqual(lineFields.slice(0, 3).sort(), ["at", "kind", "n"], JSON.stringify(line));
  assert.match(line.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  const unknown = lineFields.slice(3).filter((field) => !documentedFields.includes(field));
  const missing = fields.filter((field) => !field.endsWith("?") && !lineFields.includes(field));
  assert.deepEqual({ unknown, missing }, { unknown: [], missing: [] }, JSON.stringify(line));
}
