import type { Stripe } from "stripe";
import type { Context, Found, KnownOrder, NewOrder, OrderReport, Sent } from "../../kit/src/connector.ts";
import { toWireTime } from "../../kit/src/protocol/wire-time.ts";
import { toAmount, toStripeAmount } from "./amount.ts";
import { requestOptions, type ClientOf } from "./client.ts";
import { toDeclineCode, toFoundOutcome, toSentOutcome } from "./errors.ts";
import { meaningOf, paymentIntentStates, sessionStates } from "./states.ts";

/** Payment methods of the gateway, and their names at Stripe. */
export const paymentMethods: Readonly<Record<string, Stripe.Checkout.SessionCreateParams.PaymentMethodType>> =
  {
    CARD: "card",
    SEPA_DEBIT: "sepa_debit",
    IDEAL: "ideal",
    BANCONTACT: "bancontact",
    ALIPAY_CN: "alipay",
    GRABPAY_SG: "grabpay",
  };

/** A session lives at least 30 minutes and at most 24 hours. The gateway cancels an order that expires earlier. */
const sessionLifetimeMs = { min: 31 * 60_000, max: 24 * 3_600_000 - 60_000 };
/** Sessions of an order whose answer was lost are searched around the time of its submit. */
const searchSeconds = 3_600;
const expand = ["payment_intent.latest_charge.balance_transaction"];

/** Creates a Checkout Session. The buyer enters all data of the card on Stripe's page. */
export async function createSession(
  clientOf: ClientOf,
  order: NewOrder,
  context: Context,
): Promise<Sent<OrderReport>> {
  const amount = toStripeAmount(order.amount);
  const method = paymentMethods[order.paymentMethodType];
  if (amount === undefined) return { outcome: "rejected", resultCode: "INVALID_AMOUNT" };
  if (method === undefined) return { outcome: "rejected", resultCode: "PAYMENT_METHOD_NOT_SUPPORTED" };
  try {
    const session = await clientOf(context).checkout.sessions.create(
      buildSession(order, { amount, method, nowMs: context.nowMs }),
      requestOptions(order.account, context.idempotencyKey),
    );
    return toSent(toOrderReport(session, order.capture));
  } catch (error) {
    return toSentOutcome(error);
  }
}

interface SessionParts {
  readonly amount: number;
  readonly method: Stripe.Checkout.SessionCreateParams.PaymentMethodType;
  readonly nowMs: number;
}

function buildSession(
  order: NewOrder,
  { amount, method, nowMs }: SessionParts,
): Stripe.Checkout.SessionCreateParams {
  const { reference, paymentId, merchantId, redirectUrl, capture, data } = order;
  const { min, max } = sessionLifetimeMs;
  const lifetimeMs = Math.min(Math.max(Date.parse(order.expiryTime) - nowMs, min), max);
  const metadata = { reference, paymentId, merchantId };
  const buyer = (data?.buyer ?? {}) as { readonly buyerEmail?: string };
  return {
    mode: "payment",
    payment_method_types: [method],
    client_reference_id: reference,
    metadata,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.amount.currency.toLowerCase(),
          unit_amount: amount,
          product_data: { name: order.description || order.merchantName },
        },
      },
    ],
    payment_intent_data: {
      capture_method: capture === "MANUAL" ? "manual" : "automatic",
      metadata,
      description: order.description,
    },
    expires_at: Math.floor((nowMs + lifetimeMs) / 1000),
    ...(redirectUrl !== undefined && { success_url: redirectUrl, cancel_url: redirectUrl }),
    ...(buyer.buyerEmail !== undefined && { customer_email: buyer.buyerEmail }),
  };
}

/** Finds the session by its id. After a lost answer it searches the sessions of that time by the gateway's reference. */
export async function findSession(
  clientOf: ClientOf,
  order: KnownOrder,
  context: Context,
): Promise<Found<OrderReport>> {
  try {
    const session = await readSession(clientOf, order, context);
    if (!session) return { outcome: "not found" };
    const report = toOrderReport(session, order.capture);
    return report ? { outcome: "found", report } : unknownStatus;
  } catch (error) {
    return toFoundOutcome(error);
  }
}

/** Reads the session of an order with its PaymentIntent and charge; undefined if there is none. */
export async function readSession(
  clientOf: ClientOf,
  { reference, providerOrderId, account, createdAt }: KnownOrder,
  context: Context,
): Promise<Stripe.Checkout.Session | undefined> {
  const { sessions } = clientOf(context).checkout;
  const options = requestOptions(account);
  if (providerOrderId !== undefined) return sessions.retrieve(providerOrderId, { expand }, options);
  const createdSeconds = Math.floor(createdAt.getTime() / 1000);
  const created = { gte: createdSeconds - searchSeconds, lte: createdSeconds + searchSeconds };
  for await (const session of sessions.list({ created, limit: 100 }, options))
    if (session.client_reference_id === reference) return sessions.retrieve(session.id, { expand }, options);
  return undefined;
}

/** Expires an open session, or releases the hold of its PaymentIntent. A paid order stays as it is. */
export async function cancelSession(
  clientOf: ClientOf,
  order: KnownOrder,
  context: Context,
): Promise<Sent<OrderReport>> {
  const client = clientOf(context);
  const options = requestOptions(order.account);
  try {
    const session = await readSession(clientOf, order, context);
    if (!session) return { outcome: "unknown", reason: "the session was not found" };
    const intent = paymentIntentOf(session);
    if (session.status === "open")
      await client.checkout.sessions.expire(
        session.id,
        {},
        { ...options, idempotencyKey: context.idempotencyKey },
      );
    else if (intent && (intent.status === "requires_capture" || intent.status === "requires_action"))
      await client.paymentIntents.cancel(
        intent.id,
        {},
        { ...options, idempotencyKey: context.idempotencyKey },
      );
    const closed = await client.checkout.sessions.retrieve(session.id, { expand }, options);
    return toSent(toOrderReport(closed, order.capture));
  } catch (error) {
    return toSentOutcome(error);
  }
}

const unknownStatus = { outcome: "unknown", reason: "the session has an unknown status" } as const;

function toSent(report: OrderReport | undefined): Sent<OrderReport> {
  return report ? { outcome: "reported", report } : unknownStatus;
}

export function paymentIntentOf({
  payment_intent: intent,
}: Stripe.Checkout.Session): Stripe.PaymentIntent | undefined {
  return typeof intent === "object" && intent !== null ? intent : undefined;
}

function chargeOf(intent: Stripe.PaymentIntent | undefined): Stripe.Charge | undefined {
  const charge = intent?.latest_charge;
  return typeof charge === "object" && charge !== null ? charge : undefined;
}

/** The state of an order; undefined for a status that this connector does not know. */
function toOrderReport(
  session: Stripe.Checkout.Session,
  capture: KnownOrder["capture"],
): OrderReport | undefined {
  const intent = paymentIntentOf(session);
  const isComplete = session.status === "complete";
  const state = isComplete ? stateOfIntent(intent, capture) : meaningOf(sessionStates, session.status);
  if (state === undefined) return undefined;
  const charge = chargeOf(intent);
  const isPaid = state === "PAID" || state === "AUTHORIZED";
  return {
    providerOrderId: session.id,
    state,
    ...(state === "OPEN" && session.url !== null && { nextAction: { type: "REDIRECT", url: session.url } }),
    ...(isPaid &&
      intent && {
        paidAmount: toAmount(intent.currency, intent.amount),
        paidTime: toWireTime((charge?.created ?? intent.created) * 1000),
      }),
    ...(state === "DECLINED" && { resultCode: toDeclineCode(intent?.last_payment_error?.decline_code) }),
    ...(charge && (isPaid || state === "DECLINED") && { details: toDetails(charge) }),
  };
}

/** A hold that Stripe cancels by itself has expired there. */
function stateOfIntent(
  intent: Stripe.PaymentIntent | undefined,
  capture: KnownOrder["capture"],
): OrderReport["state"] | undefined {
  const state = meaningOf(paymentIntentStates, intent?.status);
  const isLapsed = state === "CLOSED" && capture === "MANUAL" && intent?.cancellation_reason === "automatic";
  return isLapsed ? "LAPSED" : state;
}

/** Outcomes of 3-D Secure, as the provider protocol names them. */
const threeDSecureOutcomes: Readonly<Record<string, string>> = {
  authenticated: "AUTHENTICATED",
  attempt_acknowledged: "ATTEMPTED",
  exempted: "NOT_ATTEMPTED",
  failed: "FAILED",
  not_supported: "NOT_ATTEMPTED",
  processing_error: "FAILED",
};

/** Facts about the card and the fee. Stripe never returns a card number. */
function toDetails(charge: Stripe.Charge): object {
  const card = charge.payment_method_details?.card;
  const secure = card?.three_d_secure;
  const outcome = threeDSecureOutcomes[secure?.result ?? ""];
  const { balance_transaction: transaction } = charge;
  return {
    ...(card?.brand && { cardBrand: card.brand.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_") }),
    ...(card?.last4 && { cardLastFour: card.last4 }),
    ...(card?.network_transaction_id && { networkTransactionId: card.network_transaction_id }),
    ...(card?.checks?.address_line1_check && { avsResult: card.checks.address_line1_check }),
    ...(card?.checks?.cvc_check && { cvcResult: card.checks.cvc_check }),
    ...(charge.outcome?.network_decline_code && { issuerResultCode: charge.outcome.network_decline_code }),
    ...(secure &&
      outcome !== undefined && {
        threeDSecure: {
          ...(secure.version && { version: secure.version }),
          outcome:
            secure.authentication_flow === "frictionless" && outcome === "AUTHENTICATED"
              ? "FRICTIONLESS"
              : outcome,
          isLiabilityShifted: secure.result === "authenticated" || secure.result === "attempt_acknowledged",
        },
      }),
    ...(typeof transaction === "object" &&
      transaction !== null && {
        fee: toAmount(transaction.currency, transaction.fee),
        valueDate: new Date(transaction.available_on * 1000).toISOString().slice(0, 10),
      }),
  };
}
