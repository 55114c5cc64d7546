import { disputedMinorOf, paidMinorOf } from "../wallet/change-dispute.ts";
import { refundOnTheWire } from "../wallet/refund.ts";
import { newRandomId } from "../wallet/wallet.ts";
import { exactTime } from "../wallet/wire-time.ts";
import { moneyVerb, readMoneyCall } from "./money-verb.ts";
import { callRecord } from "./verb.ts";

/** Refunds the buyer. Idempotent by refund reference; a rejected refund may be retried. */
export const refund = moneyVerb({
  name: "refund",
  read: (fields) => readMoneyCall(fields, "refundReference"),
  find: (wallet, refundReference) => wallet.projection.refund(refundReference),
  refusal(wallet, order, amount) {
    const takenMinor = paidMinorOf(order);
    if (takenMinor === undefined) return "ORDER_STATUS_INVALID";
    if (order.paidAmount?.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
    // Disputed money can not be refunded, because it is held back or already taken.
    const leftMinor = takenMinor - order.refundedMinor - disputedMinorOf(wallet, order);
    return BigInt(amount.value) > leftMinor ? "REFUND_AMOUNT_EXCEED" : undefined;
  },
  record(wallet, order, { moneyReference: refundReference, amount }, { fields, isRepeat }) {
    const { reference, paymentId, walletOrderId } = order;
    const walletRefundId = newRandomId("wr_");
    const pending = wallet.faults.take(["refund-pending"], { verb: "refund", reference, paymentId });
    if (!pending) {
      wallet.record(callRecord("refund", fields, isRepeat ? "done-again" : "done"));
      const named = { reference, paymentId, walletOrderId, refundReference, walletRefundId };
      wallet.record({ kind: "refunded", ...named, amount });
      return;
    }
    const { delayMs } = pending;
    const finishTime = delayMs > 0 ? exactTime(wallet.now() + delayMs) : undefined;
    const started = { paymentId, walletOrderId, walletRefundId, ...(finishTime && { finishTime }) };
    wallet.record({
      ...callRecord("refund", fields, isRepeat ? "started-again" : "started"),
      refund: started,
    });
  },
  onTheWire: refundOnTheWire,
});
