import { formatMoney, type Money } from "../core/money.ts";
import type { JsonObject, JsonValue } from "../core/strict-json.ts";
import { findIgnoredDifferences } from "../core/idempotency.ts";
import { moneyOf } from "./checkout-order.ts";
import type { Payment } from "./payment.ts";
import { textsToCompare } from "./request-texts.ts";

/** A warning that the sandbox adds to the response. */
interface AmountWarning {
  readonly field: string;
  readonly warning: string;
}

/**
 * Warns if `order.orderAmount` differs from `paymentAmount`. The gateway accepts the request, because an order may be
 * paid in parts. But the buyer pays `paymentAmount`, and a currency that was changed in one place only is a common
 * mistake.
 */
export function orderAmountWarnings(json: JsonValue): readonly AmountWarning[] {
  const request = asObject(json);
  const order = parseMoney(asObject(request["order"])["orderAmount"]);
  const payment = parseMoney(request["paymentAmount"]);
  if (!order || !payment) return noWarnings;
  if (order.currency === payment.currency && order.minor === payment.minor) return noWarnings;
  return [{ field: "order.orderAmount", warning: amountMismatchText(order, payment) }];
}

/**
 * The fields of a repeated request that differ from the first request, whose values are kept. A tombstone (early
 * cancel) has no first request.
 */
export function listUnchangedFields(request: object, payment: Payment): readonly string[] {
  // A payment without an order description was archived or erased: every request has one, and its values to compare are
  // gone.
  if (!payment.fingerprint || payment.orderDescription === undefined) return [];
  return findIgnoredDifferences(textsToCompare(request, payment));
}

const noWarnings: readonly AmountWarning[] = [];

function amountMismatchText(order: Money, payment: Money): string {
  const paymentText = formatMoney(payment);
  return order.currency === payment.currency
    ? `order.orderAmount is ${formatMoney(order)} and paymentAmount ${paymentText}: the buyer pays paymentAmount.`
    : `order.orderAmount is in ${order.currency} and paymentAmount in ${payment.currency}: the buyer pays paymentAmount, ${paymentText}.`;
}

/** `parseMoney` reads an amount of the request; undefined for an invalid one, which the validator rejects separately. */
function parseMoney(value: JsonValue | undefined): Money | undefined {
  const { currency, value: digits } = asObject(value);
  const isAmount =
    typeof currency === "string" && typeof digits === "string" && /^[1-9]\d{0,15}$/.test(digits);
  return isAmount ? moneyOf({ currency, value: digits }) : undefined;
}

function asObject(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}
