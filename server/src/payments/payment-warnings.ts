import { formatMoney, type Money } from "../core/money.ts";
import type { JsonObject, JsonValue } from "../core/strict-json.ts";
import { unchangedFields } from "../core/repeat.ts";
import { moneyOf } from "./order-shown.ts";
import type { Payment } from "./payment.ts";

/** As the sandbox shows it beside the result. */
interface AmountWarning {
  readonly field: string;
  readonly warning: string;
}

/**
 * Warns when `order.orderAmount` is not `paymentAmount`. The request is accepted: the order may be paid in parts. But the
 * buyer pays `paymentAmount`, and a currency that was set in one place only is a usual mistake.
 */
export function orderAmountWarnings(json: JsonValue): readonly AmountWarning[] {
  const request = objectIn(json);
  const order = moneyIn(objectIn(request["order"])["orderAmount"]);
  const payment = moneyIn(request["paymentAmount"]);
  if (!order || !payment) return none;
  if (order.currency === payment.currency && order.minor === payment.minor) return none;
  return [{ field: "order.orderAmount", warning: differenceOf(order, payment) }];
}

/** What `pay` and `createPaymentSession` store and do not compare. */
interface SentAgain {
  readonly paymentNotifyUrl?: string;
  readonly paymentRedirectUrl?: string;
  readonly order: { readonly orderDescription: string };
  readonly metadata?: string;
}

/** The fields of a repeated payment whose first value stays. A tombstone (an early cancel) has no first request. */
export function unchangedInPayment(request: SentAgain, payment: Payment): readonly string[] {
  // Every request has a description. Without one, the archive or an erasure has removed what could be compared.
  if (!payment.fingerprint || payment.orderDescription === undefined) return [];
  return unchangedFields({
    paymentNotifyUrl: [request.paymentNotifyUrl, payment.notifyUrl],
    paymentRedirectUrl: [request.paymentRedirectUrl, payment.redirectUrl],
    "order.orderDescription": [request.order.orderDescription, payment.orderDescription],
    metadata: [request.metadata, payment.metadata],
  });
}

const none: readonly AmountWarning[] = [];

function differenceOf(order: Money, payment: Money): string {
  const paid = formatMoney(payment);
  return order.currency === payment.currency
    ? `order.orderAmount is ${formatMoney(order)} and paymentAmount ${paid}: the buyer pays paymentAmount.`
    : `order.orderAmount is in ${order.currency} and paymentAmount in ${payment.currency}: the buyer pays paymentAmount, ${paid}.`;
}

/** Undefined for what is not an amount; the validator refuses that by itself. */
function moneyIn(value: JsonValue | undefined): Money | undefined {
  const { currency, value: digits } = objectIn(value);
  const isAmount =
    typeof currency === "string" && typeof digits === "string" && /^[1-9]\d{0,15}$/.test(digits);
  return isAmount ? moneyOf({ currency, value: digits }) : undefined;
}

function objectIn(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}
