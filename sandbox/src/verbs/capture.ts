import { captureOnTheWire } from "../wallet/capture.ts";
import { heldMinor } from "../wallet/order.ts";
import { newRandomId } from "../wallet/wallet.ts";
import { moneyVerb, readMoneyCall, type MoneyCall } from "./money-verb.ts";
import { callRecord, type Fields } from "./verb.ts";

/** Captures a hold, or a part of it; the last capture releases the rest. Idempotent by capture reference. */
export const capture = moneyVerb({
  name: "capture",
  read: readCapture,
  find: (wallet, captureReference) => wallet.projection.capture(captureReference),
  refusal(_wallet, order, amount) {
    if (order.state !== "AUTHORIZED" || !order.paidAmount) return "ORDER_STATUS_INVALID";
    if (order.paidAmount.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
    return BigInt(amount.value) > heldMinor(order) ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : undefined;
  },
  record(wallet, order, { moneyReference: captureReference, amount, isLast }, { fields, isRepeat }) {
    const { reference, paymentId, walletOrderId } = order;
    const leftMinor = heldMinor(order) - BigInt(amount.value);
    const isReleased = isLast && leftMinor > 0n;
    wallet.record(callRecord("capture", fields, isRepeat ? "done-again" : "done"));
    const named = {
      reference,
      paymentId,
      walletOrderId,
      captureReference,
      walletCaptureId: newRandomId("wc_"),
    };
    wallet.record({
      kind: "captured",
      ...named,
      amount,
      // The release is in the same line of the journal, because a crash between two lines would leave a hold that is
      // never released.
      ...(isReleased && { released: { ...amount, value: String(leftMinor) } }),
    });
  },
  onTheWire: captureOnTheWire,
});

interface CaptureCall extends MoneyCall {
  /** Whether this is the last capture of the hold: no capture is possible after it. */
  readonly isLast: boolean;
}

function readCapture(fields: Fields): CaptureCall | string {
  const request = readMoneyCall(fields, "captureReference");
  if (typeof request === "string") return request;
  const { isLast = false } = fields;
  return typeof isLast === "boolean" ? { ...request, isLast } : "isLast";
}
