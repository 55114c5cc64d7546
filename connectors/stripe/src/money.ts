import type { Stripe } from "stripe";
import type { Context, Found, MoneyOperation, MoneyReport, Sent } from "../../kit/src/connector.ts";
import { toWireTime } from "../../kit/src/protocol/wire-time.ts";
import { toStripeAmount } from "./amount.ts";
import { requestOptions, type ClientOf } from "./client.ts";
import { toFoundOutcome, toSentOutcome } from "./errors.ts";
import { paymentIntentOf, readSession } from "./orders.ts";
import { meaningOf, refundStates } from "./states.ts";

/** The PaymentIntent's metadata names its only capture, by which a lost answer is resolved. */
const captureField = "capture_reference";
const unknownStatus = { outcome: "unknown", reason: "the refund has an unknown status" } as const;
const noIntent = { outcome: "unknown", reason: "the order has no PaymentIntent" } as const;

async function readIntent(
  clientOf: ClientOf,
  { order }: MoneyOperation,
  context: Context,
): Promise<Stripe.PaymentIntent | undefined> {
  const session = await readSession(clientOf, order, context);
  return session && paymentIntentOf(session);
}

/** Captures the hold once, in whole or in part. Stripe releases the rest. */
export async function captureIntent(
  clientOf: ClientOf,
  operation: MoneyOperation,
  context: Context,
): Promise<Sent<MoneyReport>> {
  try {
    const intent = await readIntent(clientOf, operation, context);
    if (!intent) return noIntent;
    const amount = toStripeAmount(operation.amount);
    if (amount === undefined) return { outcome: "rejected", resultCode: "INVALID_AMOUNT" };
    const params = {
      amount_to_capture: amount,
      metadata: { [captureField]: operation.reference },
    };
    const options = requestOptions(operation.order.account, context.idempotencyKey);
    const captured = await clientOf(context).paymentIntents.capture(intent.id, params, options);
    return { outcome: "reported", report: toCaptureReport(captured, context.nowMs) };
  } catch (error) {
    return toSentOutcome(error);
  }
}

export async function findCapture(
  clientOf: ClientOf,
  operation: MoneyOperation,
  context: Context,
): Promise<Found<MoneyReport>> {
  try {
    const intent = await readIntent(clientOf, operation, context);
    if (!intent) return noIntent;
    const isCaptured = intent.status === "succeeded" && intent.metadata[captureField] === operation.reference;
    return isCaptured
      ? { outcome: "found", report: toCaptureReport(intent, context.nowMs) }
      : { outcome: "not found" };
  } catch (error) {
    return toFoundOutcome(error);
  }
}

/** The capture has no object of its own, so its id is that of the PaymentIntent. */
function toCaptureReport({ id }: Stripe.PaymentIntent, nowMs: number): MoneyReport {
  return { providerId: `${id}_capture`, state: "DONE", time: toWireTime(nowMs) };
}

export async function createRefund(
  clientOf: ClientOf,
  operation: MoneyOperation,
  context: Context,
): Promise<Sent<MoneyReport>> {
  try {
    const intent = await readIntent(clientOf, operation, context);
    if (!intent) return noIntent;
    const amount = toStripeAmount(operation.amount);
    if (amount === undefined) return { outcome: "rejected", resultCode: "INVALID_AMOUNT" };
    const refund = await clientOf(context).refunds.create(
      { payment_intent: intent.id, amount, metadata: { reference: operation.reference } },
      requestOptions(operation.order.account, context.idempotencyKey),
    );
    const report = toRefundReport(refund);
    return report ? { outcome: "reported", report } : unknownStatus;
  } catch (error) {
    return toSentOutcome(error);
  }
}

/** Finds a refund by the gateway's reference among the refunds of its payment. */
export async function findRefund(
  clientOf: ClientOf,
  operation: MoneyOperation,
  context: Context,
): Promise<Found<MoneyReport>> {
  const { order, reference } = operation;
  try {
    const intent = await readIntent(clientOf, operation, context);
    if (!intent) return noIntent;
    const { refunds } = clientOf(context);
    const list = refunds.list({ payment_intent: intent.id, limit: 100 }, requestOptions(order.account));
    for await (const refund of list) {
      if (refund.metadata?.["reference"] !== reference) continue;
      const report = toRefundReport(refund);
      return report ? { outcome: "found", report } : unknownStatus;
    }
    return { outcome: "not found" };
  } catch (error) {
    return toFoundOutcome(error);
  }
}

function toRefundReport({ id, status, created }: Stripe.Refund): MoneyReport | undefined {
  const state = meaningOf(refundStates, status);
  if (state === undefined) return undefined;
  return {
    providerId: id,
    state,
    ...(state === "DONE" && { time: toWireTime(created * 1000) }),
    ...(state === "FAILED" && { resultCode: "PROCESS_FAIL" }),
  };
}
