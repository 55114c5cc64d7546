import assert from "node:assert/strict";
import {
  assertResult,
  assertString,
  callAs,
  inquire,
  type PayingEnvironment,
  type PaymentRecord,
} from "./test-environments.ts";
import type { InStoreScenario } from "../../src/payments/payment.ts";
import { asSuperuser } from "../start/test-database.ts";
import { pathOf, type ReceivedAnswer } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, inStorePayRequest } from "../start/test-stack.ts";

/** An online payment that was requested and is not paid yet. */
export interface RequestedPayment {
  readonly request: object;
  readonly answer: ReceivedAnswer;
  readonly paymentId: string;
  readonly paymentRequestId: string;
}

let requestCount = 0;

/** Requests another online payment, with webhooks to the shop. */
export async function requestPayment(side: PayingEnvironment, more: object = {}): Promise<RequestedPayment> {
  requestCount += 1;
  const paymentRequestId = `online-${requestCount}`;
  const request = payRequest(paymentRequestId, { paymentNotifyUrl: side.shop.notifyUrl, ...more });
  const answer = await callPay(side, request);
  assertResult(answer, "PAYMENT_IN_PROCESS");
  const { paymentId } = answer.json;
  assertString(paymentId);
  return { request, answer, paymentId, paymentRequestId };
}

export function callPay(side: PayingEnvironment, request: object): Promise<ReceivedAnswer> {
  return callOperation(side, "payments/pay", request);
}

export function callCancel(side: PayingEnvironment, request: object): Promise<ReceivedAnswer> {
  return callOperation(side, "payments/cancel", request);
}

export function callOperation(
  side: PayingEnvironment,
  operation: string,
  request: object,
): Promise<ReceivedAnswer> {
  return callAs(side, side.merchant, { path: pathOf("sandbox", operation), body: JSON.stringify(request) });
}

/** Triggers an action of the buyer or the provider on the order of a payment. */
export async function actAtProvider(
  side: PayingEnvironment,
  paymentId: string,
  action: string,
): Promise<void> {
  const { status, text } = await side.provider.control(paymentId, action);
  assert.equal(status, 200, text);
}

/** Asserts that the order of a payment is final, so the provider accepts no more actions of the buyer. */
export async function assertNoLongerPayable(side: PayingEnvironment, paymentId: string): Promise<void> {
  for (const action of ["approve", "decline"]) {
    assert.equal((await side.provider.control(paymentId, action)).status, 409, action);
  }
}

/** Returns the content of the inquiry as soon as the payment has this status. */
export async function waitForStatus(
  side: PayingEnvironment,
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
export async function payInStore(
  side: PayingEnvironment,
  scenario: InStoreScenario,
): Promise<ReceivedAnswer> {
  requestCount += 1;
  const paymentMethodId = scenario === "PaymentCode" ? await side.provider.paymentCode() : undefined;
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", ...(paymentMethodId && { paymentMethodId }) };
  const more = { paymentNotifyUrl: side.shop.notifyUrl, paymentMethod };
  const body = JSON.stringify(inStorePayRequest(`in-store-${requestCount}`, scenario, more));
  const answer = await callAs(side, side.merchant, { path: pathOf("live", "payments/pay"), body });
  assertResult(answer, "SUCCESS");
  const { paymentId } = answer.json;
  assertString(paymentId);
  if (scenario !== "PaymentCode") await actAtProvider(side, paymentId, "approve");
  await waitForStatus(side, paymentId, "SUCCESS");
  return answer;
}

/** An online payment that is paid at the provider and has the status SUCCESS here. */
export async function payOnline(side: PayingEnvironment): Promise<RequestedPayment> {
  const payment = await requestPayment(side);
  await actAtProvider(side, payment.paymentId, "approve");
  await waitForStatus(side, payment.paymentId, "SUCCESS");
  return payment;
}

/** An online payment that is declined at the provider and has the status FAIL here. */
export async function declineOnline(side: PayingEnvironment): Promise<RequestedPayment> {
  const payment = await requestPayment(side);
  await actAtProvider(side, payment.paymentId, "decline");
  await waitForStatus(side, payment.paymentId, "FAIL");
  return payment;
}

/** How many entries of one kind the provider's journal has for a payment. */
export function countProviderEffects(side: PayingEnvironment, paymentId: string, kind: string): number {
  const lines = side.provider.effects().filter((line) => line["paymentId"] === paymentId);
  return lines.filter((line) => line["kind"] === kind).length;
}

/** The number of rows of a table about a subject. */
export async function countRows(
  side: PayingEnvironment,
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
