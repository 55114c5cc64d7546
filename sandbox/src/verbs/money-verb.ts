import assert from "node:assert/strict";
import { isAmount, sameAmount, type Amount } from "../wallet/amount.ts";
import type { CallOutcome } from "../wallet/effect.ts";
import type { Order } from "../wallet/order.ts";
import type { Answer, ResultCode } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { isName, isTime, isTooLate, lagBehind, malformed, received, type Fields, type Verb } from "./verb.ts";

/** The fields of a capture or a refund. */
export interface MoneyCall {
  readonly reference: string;
  /** The reference of the capture or the refund. */
  readonly moneyReference: string;
  readonly amount: Amount;
}

interface Recorded {
  readonly reference: string;
  readonly paymentId: string;
  readonly amount: Amount;
}

interface MoneyVerb<Asked extends MoneyCall, Made extends Recorded> {
  readonly name: "capture" | "refund";
  /** Reads the fields; returns an error message about the first invalid one. */
  read(fields: Fields): Asked | string;
  find(wallet: Wallet, moneyReference: string): Made | undefined;
  /** The first reason to reject, or undefined if the money may be moved. */
  refusal(wallet: Wallet, order: Order, amount: Amount): ResultCode | undefined;
  /** Records a capture or a refund and its effects in the journal. */
  record(wallet: Wallet, order: Order, asked: Asked, call: Call): void;
  onTheWire(made: Made): object;
}

interface Call {
  readonly fields: Fields;
  /** Whether the wallet executes the operation a second time, because of the fault not-idempotent. */
  readonly isAgain: boolean;
}

/** `moneyVerb` builds the operation of captures or refunds. Idempotency: the money reference identifies a repeat. */
export function moneyVerb<Asked extends MoneyCall, Made extends Recorded>(
  verb: MoneyVerb<Asked, Made>,
): Verb {
  const { name } = verb;
  const answer = (made: Made): Answer => ({ code: "SUCCESS", fields: { [name]: verb.onTheWire(made) } });

  function carryOut(wallet: Wallet, order: Order, asked: Asked, call: Call): Answer {
    verb.record(wallet, order, asked, call);
    const { reference, paymentId } = order;
    lagBehind(wallet, { verb: name, reference, paymentId }, asked.moneyReference);
    const made = verb.find(wallet, asked.moneyReference);
    assert(made, `a ${name} that was recorded is in the book`);
    return answer(made);
  }

  return {
    name,
    act(wallet, fields) {
      const log = (outcome: CallOutcome): void => wallet.record(received(name, fields, outcome));
      const asked = verb.read(fields);
      if (typeof asked === "string") {
        log("malformed");
        return malformed(asked);
      }
      const order = wallet.book.order(asked.reference);
      const earlier = verb.find(wallet, asked.moneyReference);
      if (earlier) {
        const isSame = earlier.reference === asked.reference && sameAmount(earlier.amount, asked.amount);
        const { reference, paymentId } = earlier;
        const occasion = { verb: name, reference, paymentId };
        if (order && isSame && wallet.faults.take(["not-idempotent"], occasion))
          return carryOut(wallet, order, asked, { fields, isAgain: true });
        log(isSame ? "repeated" : "inconsistent");
        return isSame ? answer(earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
      }
      if (isTooLate(wallet, fields)) {
        log("too-late");
        return { code: "MESSAGE_EXPIRED" };
      }
      const refusal = order
        ? (verb.refusal(wallet, order, asked.amount) ?? refusalOrdered(wallet, name, order))
        : "ORDER_NOT_EXIST";
      if (order && !refusal) return carryOut(wallet, order, asked, { fields, isAgain: false });
      log("refused");
      return { code: refusal ?? "ORDER_NOT_EXIST" };
    },
  };
}

/** Reads a capture or a refund; returns an error message about the first invalid field. */
export function readMoneyCall(
  fields: Fields,
  nameField: "captureReference" | "refundReference",
): MoneyCall | string {
  const { reference, [nameField]: moneyReference, amount, notAfter } = fields;
  if (!isName(reference)) return "reference";
  if (!isName(moneyReference)) return nameField;
  if (!isAmount(amount)) return "amount";
  if (notAfter !== undefined && !isTime(notAfter)) return "notAfter";
  return { reference, moneyReference, amount: { currency: amount.currency, value: amount.value } };
}

/** Applies the fault refuse: a final rejection for a reason that is not in the wallet's records. */
function refusalOrdered(
  wallet: Wallet,
  verb: "capture" | "refund",
  { reference, paymentId }: Order,
): ResultCode | undefined {
  return wallet.faults.take(["refuse"], { verb, reference, paymentId })?.resultCode;
}
