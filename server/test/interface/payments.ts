import assert from "node:assert/strict";
import { assertResult, assertString, callAs, inquire, type PayingSide, type PaymentRecord } from "./world.ts";
import type { InStoreScenario } from "../../src/payments/payment.ts";
import { asSuperuser } from "../start/test-database.ts";
import { pathOf, type ReceivedAnswer } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, tillRequest } from "../start/test-stack.ts";

/** An online payment that was requested and is not paid yet. */
export interface AskedPayment {
  readonly request: object;
  readonly answer: ReceivedAnswer;
  readonly paymentId: string;
  readonly paymentRequestId: string;
}

let asked = 0;

/** Requests another online payment, with webhooks to the shop. */
export async function askForPayment(side: PayingSide, more: object = {}): Promise<AskedPayment> {
  asked += 1;
  const paymentRequestId = `online-${asked}`;
  const request = payRequest(paymentRequestId, { paymentNotifyUrl: side.shop.notifyUrl, ...more });
  const answer = await callPay(side, request);
  assertResult(answer, "PAYMENT_IN_PROCESS");
  const { paymentId } = answer.json;
  assertString(paymentId);
  return { request, answer, paymentId, paymentRequestId };
}

export function callPay(side: PayingSide, request: object): Promise<ReceivedAnswer> {
  return callOperation(side, "payments/pay", request);
}

export function callCancel(side: PayingSide, request: object): Promise<ReceivedAnswer> {
  return callOperation(side, "payments/cancel", request);
}

export function callOperation(side: PayingSide, operation: string, request: object): Promise<ReceivedAnswer> {
  return callAs(side, side.merchant, { path: pathOf("sandbox", operation), body: JSON.stringify(request) });
}

/** Triggers an action of the buyer or the provider on the order of a payment. */
export async function atTheProvider(side: PayingSide, paymentId: string, what: string): Promise<void> {
  const { status, text } = await side.provider.control(paymentId, what);
  assert.equal(status, 200, text);
}

/** Asserts that the order of a payment is final, so the provider accepts no more actions of the buyer. */
export async function assertNoLongerPayable(side: PayingSide, paymentId: string): Promise<void> {
  for (const what of ["approve", "decline"]) {
    assert.equal((await side.provider.control(paymentId, what)).status, 409, what);
  }
}

/** Returns the content of the inquiry as soon as the payment has this status. */
export async function recordOnce(
  side: PayingSide,
  paymentId: string,
  status: string,
): Promise<PaymentRecord> {
  const answer = await eventually(
    10_000,
    () => inquire(side, { paymentId }),
    ({ json }) => json["paymentStatus"] === status,
  );
  return answer.json;
}

/** An in-store payment that succeeds. Returns the response to `pay`. */
export async function paidInStore(side: PayingSide, scenario: InStoreScenario): Promise<ReceivedAnswer> {
  asked += 1;
  const paymentMethodId = scenario === "PaymentCode" ? await side.provider.paymentCode() : undefined;
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", ...(paymentMethodId && { paymentMethodId }) };
  const more = { paymentNotifyUrl: side.shop.notifyUrl, paymentMethod };
  const body = JSON.stringify(tillRequest(`in-store-${asked}`, scenario, more));
  const answer = await callAs(side, side.merchant, { path: pathOf("live", "payments/pay"), body });
  assertResult(answer, "SUCCESS");
  const { paymentId } = answer.json;
  assertString(paymentId);
  if (scenario !== "PaymentCode") await atTheProvider(side, paymentId, "approve");
  await recordOnce(side, paymentId, "SUCCESS");
  return answer;
}

/** An online payment that is paid at the provider and has the status SUCCESS here. */
export async function paidOnline(side: PayingSide): Promise<AskedPayment> {
  const payment = await askForPayment(side);
  await atTheProvider(side, payment.paymentId, "approve");
  await recordOnce(side, payment.paymentId, "SUCCESS");
  return payment;
}

/** An online payment that is declined at the provider and has the status FAIL here. */
export async function declinedOnline(side: PayingSide): Promise<AskedPayment> {
  const payment = await askForPayment(side);
  await atTheProvider(side, payment.paymentId, "decline");
  await recordOnce(side, payment.paymentId, "FAIL");
  return payment;
}

/** How many entries of one kind the provider's journal has for a payment. */
export function countAtTheProvider(side: PayingSide, paymentId: string, kind: string): number {
  const lines = side.provider.effects().filter((line) => line["paymentId"] === paymentId);
  return lines.filter((line) => line["kind"] === kind).length;
}

/** The number of rows of a table about a subject. */
export async function countRows(
  side: PayingSide,
  table: "jobs" | "ledger_transfers" | "notifications",
  subjectId: string,
): Promise<number> {
  const rows = await asSuperuser(
    `select from ${table} where subject_id = $1`,
    [subjectId],
    side.gateway.database.superuserUrl,
  );
  return rows.length;
}
