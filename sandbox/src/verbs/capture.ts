import { heldMinor } from "../wallet/order.ts";
import { moneyVerb, readMoneyCall, type MoneyCall } from "./money-verb.ts";
import type { Fields } from "./verb.ts";

/** Captures a hold, or a part of it; the last capture releases the rest. Idempotent by capture reference. */
export const capture = moneyVerb({
  name: "capture",
  idPrefix: "wc_",
  read: readCapture,
  refusal(_wallet, order, amount) {
    if (order.state !== "AUTHORIZED" || !order.paidAmount) return "ORDER_STATUS_INVALID";
    // The accepted cancel will release the whole hold.
    if (order.cancel?.state === "PROCESSING") return "ORDER_STATUS_INVALID";
    if (order.paidAmount.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
    return BigInt(amount.value) > heldMinor(order) ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : undefined;
  },
});

function readCapture(fields: Fields): MoneyCall | string {
  const request = readMoneyCall(fields, "captureReference");
  if (typeof request === "string") return request;
  const { isLast = false } = fields;
  return typeof isLast === "boolean" ? { ...request, isLast } : "isLast";
}
