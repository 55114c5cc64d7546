import { disputedMinorOf, paidMinorOf } from "../wallet/change-dispute.ts";
import { claimedMinor } from "../wallet/order.ts";
import { moneyVerb, readMoneyCall } from "./money-verb.ts";

/** Refunds the buyer. Idempotent by refund reference; a rejected refund may be retried. */
export const refund = moneyVerb({
  name: "refund",
  idPrefix: "wr_",
  read: (fields) => readMoneyCall(fields, "refundReference"),
  refusal(wallet, order, amount) {
    const takenMinor = paidMinorOf(order);
    if (takenMinor === undefined) return "ORDER_STATUS_INVALID";
    if (order.paidAmount?.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
    // Disputed money can not be refunded, because it is held back or already taken.
    const leftMinor = takenMinor - claimedMinor(order.refunds) - disputedMinorOf(wallet, order);
    return BigInt(amount.value) > leftMinor ? "REFUND_AMOUNT_EXCEED" : undefined;
  },
});
