import assert from "node:assert/strict";
import { isAmount, sameAmount, type Amount } from "../amount.ts";
import type { Refund } from "../book.ts";
import type { CallOutcome } from "../effect.ts";
import type { Order } from "../order.ts";
import type { Answer, ResultCode } from "../result.ts";
import { newName, type Wallet } from "../wallet.ts";
import { isName, malformed, received, type Fields, type Verb } from "./verb.ts";

/** Gives the buyer money back, once for each refund reference. A refused one may be sent again. */
export const refund: Verb = {
  name: "refund",
  act(wallet, fields) {
    const log = (outcome: CallOutcome): void => wallet.record(received("refund", fields, outcome));
    const { reference, refundReference, amount } = fields;
    if (!isName(reference) || !isName(refundReference) || !isAmount(amount)) {
      log("malformed");
      return malformed(wrongField(fields));
    }
    const earlier = wallet.book.refund(refundReference);
    if (earlier) {
      const isSame = earlier.reference === reference && sameAmount(earlier.amount, amount);
      log(isSame ? "repeated" : "inconsistent");
      return isSame ? refundAnswer(earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
    }
    const order = wallet.book.order(reference);
    const refusal = refundRefusal(order, amount);
    log(refusal ? "refused" : "done");
    if (refusal || !order) return { code: refusal ?? "ORDER_NOT_EXIST" };
    return giveBack(wallet, order, refundReference, amount);
  },
};

/** The first reason to refuse, or undefined when the money may go back. */
function refundRefusal(order: Order | undefined, amount: Amount): ResultCode | undefined {
  if (!order) return "ORDER_NOT_EXIST";
  if (order.state !== "PAID" || !order.paidAmount) return "ORDER_STATUS_INVALID";
  if (order.paidAmount.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
  const leftMinor = BigInt(order.paidAmount.value) - order.refundedMinor;
  return BigInt(amount.value) > leftMinor ? "REFUND_AMOUNT_EXCEED" : undefined;
}

function giveBack(wallet: Wallet, order: Order, refundReference: string, amount: Amount): Answer {
  const { reference, paymentId, walletOrderId } = order;
  const named = { reference, paymentId, walletOrderId, refundReference, walletRefundId: newName("wr_") };
  const { currency, value } = amount;
  wallet.record({ kind: "refunded", ...named, amount: { currency, value } });
  const done = wallet.book.refund(refundReference);
  assert(done, "a refund that was recorded is in the book");
  return refundAnswer(done);
}

function refundAnswer({ reference, refundReference, walletRefundId, amount, refundTime }: Refund): Answer {
  return {
    code: "SUCCESS",
    fields: { refund: { reference, refundReference, walletRefundId, amount, refundTime } },
  };
}

function wrongField(fields: Fields): string {
  if (!isName(fields["reference"])) return "reference";
  return isName(fields["refundReference"]) ? "amount" : "refundReference";
}
