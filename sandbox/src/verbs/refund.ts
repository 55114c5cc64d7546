import assert from "node:assert/strict";
import { sameAmount, type Amount } from "../amount.ts";
import { disputedOf, takenFrom } from "../change-dispute.ts";
import { refundOnTheWire, type Refund } from "../refund.ts";
import type { CallOutcome } from "../effect.ts";
import type { Order } from "../order.ts";
import type { Answer, ResultCode } from "../result.ts";
import { newName, type Wallet } from "../wallet.ts";
import { exactTime } from "../wire-time.ts";
import {
  isTooLate,
  lagBehind,
  malformed,
  readMoneyCall,
  received,
  refusalOrdered,
  type Fields,
  type Verb,
} from "./verb.ts";

/** Refunds the buyer. Idempotent by refund reference; a refused refund may be retried. */
export const refund: Verb = {
  name: "refund",
  act(wallet, fields) {
    const log = (outcome: CallOutcome): void => wallet.record(received("refund", fields, outcome));
    const asked = readMoneyCall(fields, "refundReference");
    if (typeof asked === "string") {
      log("malformed");
      return malformed(asked);
    }
    const order = wallet.book.order(asked.reference);
    const earlier = wallet.book.refund(asked.moneyReference);
    if (earlier) {
      const isSame = earlier.reference === asked.reference && sameAmount(earlier.amount, asked.amount);
      const { reference, paymentId } = earlier;
      const occasion = { verb: "refund", reference, paymentId } as const;
      if (order && isSame && wallet.faults.take(["not-idempotent"], occasion))
        return giveBack(wallet, order, fields, { ...asked, isAgain: true });
      log(isSame ? "repeated" : "inconsistent");
      return isSame ? refundAnswer(earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
    }
    if (isTooLate(wallet, fields)) {
      log("too-late");
      return { code: "MESSAGE_EXPIRED" };
    }
    const refusal = refundRefusal(wallet, order, asked.amount) ?? refusalOrdered(wallet, "refund", order);
    if (!refusal && order) return giveBack(wallet, order, fields, { ...asked, isAgain: false });
    log("refused");
    return { code: refusal ?? "ORDER_NOT_EXIST" };
  },
};

/** The first reason to refuse, or undefined when the money may go back. */
function refundRefusal(wallet: Wallet, order: Order | undefined, amount: Amount): ResultCode | undefined {
  if (!order) return "ORDER_NOT_EXIST";
  const takenMinor = takenFrom(order);
  if (takenMinor === undefined) return "ORDER_STATUS_INVALID";
  if (order.paidAmount?.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
  // Disputed money is held back, or gone.
  const leftMinor = takenMinor - order.refundedMinor - disputedOf(wallet, order);
  return BigInt(amount.value) > leftMinor ? "REFUND_AMOUNT_EXCEED" : undefined;
}

interface Giving {
  readonly moneyReference: string;
  readonly amount: Amount;
  readonly isAgain: boolean;
}

function giveBack(wallet: Wallet, order: Order, fields: Fields, giving: Giving): Answer {
  const { moneyReference: refundReference, amount, isAgain } = giving;
  const { reference, paymentId, walletOrderId } = order;
  const occasion = { verb: "refund", reference, paymentId } as const;
  const walletRefundId = newName("wr_");
  const pending = wallet.faults.take(["refund-pending"], occasion);
  if (pending) {
    const { delayMs } = pending;
    const finishTime = delayMs > 0 ? exactTime(wallet.now() + delayMs) : undefined;
    const started = { paymentId, walletOrderId, walletRefundId, ...(finishTime && { finishTime }) };
    const call = received("refund", fields, isAgain ? "started-again" : "started");
    wallet.record({ ...call, refund: started });
  } else {
    wallet.record(received("refund", fields, isAgain ? "done-again" : "done"));
    const named = { reference, paymentId, walletOrderId, refundReference, walletRefundId };
    wallet.record({ kind: "refunded", ...named, amount });
  }
  lagBehind(wallet, occasion, refundReference);
  const recorded = wallet.book.refund(refundReference);
  assert(recorded, "a refund that was recorded is in the book");
  return refundAnswer(recorded);
}

function refundAnswer(made: Refund): Answer {
  return { code: "SUCCESS", fields: { refund: refundOnTheWire(made) } };
}
