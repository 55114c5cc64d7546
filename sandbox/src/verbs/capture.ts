import assert from "node:assert/strict";
import { sameAmount, type Amount } from "../amount.ts";
import { captureOnTheWire, type Capture } from "../capture.ts";
import type { CallOutcome } from "../effect.ts";
import { heldMinor, type Order } from "../order.ts";
import type { Answer, ResultCode } from "../result.ts";
import { newName, type Wallet } from "../wallet.ts";
import {
  isTooLate,
  lagBehind,
  malformed,
  readMoneyCall,
  received,
  refusalOrdered,
  type Fields,
  type MoneyCall,
  type Verb,
} from "./verb.ts";

/** Captures a hold, or a part of it; the last capture releases the rest. Idempotent by capture reference. */
export const capture: Verb = {
  name: "capture",
  act(wallet, fields) {
    const log = (outcome: CallOutcome): void => wallet.record(received("capture", fields, outcome));
    const asked = readCapture(fields);
    if (typeof asked === "string") {
      log("malformed");
      return malformed(asked);
    }
    const order = wallet.book.order(asked.reference);
    const earlier = wallet.book.capture(asked.moneyReference);
    if (earlier) {
      const isSame = earlier.reference === asked.reference && sameAmount(earlier.amount, asked.amount);
      const { reference, paymentId } = earlier;
      const occasion = { verb: "capture", reference, paymentId } as const;
      if (order && isSame && wallet.faults.take(["not-idempotent"], occasion)) {
        log("done-again");
        return take(wallet, order, asked);
      }
      log(isSame ? "repeated" : "inconsistent");
      return isSame ? captureAnswer(earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
    }
    if (isTooLate(wallet, fields)) {
      log("too-late");
      return { code: "MESSAGE_EXPIRED" };
    }
    const refusal = captureRefusal(order, asked.amount) ?? refusalOrdered(wallet, "capture", order);
    log(refusal ? "refused" : "done");
    if (refusal || !order) return { code: refusal ?? "ORDER_NOT_EXIST" };
    return take(wallet, order, asked);
  },
};

interface CaptureCall extends MoneyCall {
  /** Nothing more is captured after it. */
  readonly isLast: boolean;
}

function readCapture(fields: Fields): CaptureCall | string {
  const asked = readMoneyCall(fields, "captureReference");
  if (typeof asked === "string") return asked;
  const { isLast = false } = fields;
  return typeof isLast === "boolean" ? { ...asked, isLast } : "isLast";
}

/** The first reason to refuse, or undefined when the money may be taken. */
function captureRefusal(order: Order | undefined, amount: Amount): ResultCode | undefined {
  if (!order) return "ORDER_NOT_EXIST";
  if (order.state !== "AUTHORIZED" || !order.paidAmount) return "ORDER_STATUS_INVALID";
  if (order.paidAmount.currency !== amount.currency) return "CURRENCY_NOT_SUPPORT";
  return BigInt(amount.value) > heldMinor(order) ? "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT" : undefined;
}

function take(wallet: Wallet, order: Order, { moneyReference, amount, isLast }: CaptureCall): Answer {
  const { reference, paymentId, walletOrderId } = order;
  const leftMinor = heldMinor(order) - BigInt(amount.value);
  const isReleased = isLast && leftMinor > 0n;
  const named = { reference, paymentId, walletOrderId };
  wallet.record({
    kind: "captured",
    ...named,
    captureReference: moneyReference,
    walletCaptureId: newName("wc_"),
    amount,
    // In the same line: a crash in between would leave a hold that nobody releases.
    ...(isReleased && { released: { ...amount, value: String(leftMinor) } }),
  });
  lagBehind(wallet, { verb: "capture", reference, paymentId }, moneyReference);
  const done = wallet.book.capture(moneyReference);
  assert(done, "a capture that was recorded is in the book");
  return captureAnswer(done);
}

function captureAnswer(done: Capture): Answer {
  return { code: "SUCCESS", fields: { capture: captureOnTheWire(done) } };
}
