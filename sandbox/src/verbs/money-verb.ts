import assert from "node:assert/strict";
import { isAmount, sameAmount, type Amount } from "../wallet/amount.ts";
import type { CallOutcome } from "../wallet/effect.ts";
import type { Order } from "../wallet/order.ts";
import type { Answer, ResultCode } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";
import {
  isReference,
  isTime,
  isTooLate,
  injectInquiryLag,
  malformed,
  callRecord,
  type Fields,
  type Verb,
} from "./verb.ts";

/** The fields of a capture or a refund. */
export interface MoneyCall {
  readonly reference: string;
  /** The reference of the capture or the refund. */
  readonly moneyReference: string;
  readonly amount: Amount;
}

interface RecordedMovement {
  readonly reference: string;
  readonly paymentId: string;
  readonly amount: Amount;
}

interface MoneyVerb<Request extends MoneyCall, Result extends RecordedMovement> {
  readonly name: "capture" | "refund";
  /** Reads the fields; returns an error message about the first invalid one. */
  read(fields: Fields): Request | string;
  find(wallet: Wallet, moneyReference: string): Result | undefined;
  /** The first reason to reject, or undefined if the money may be moved. */
  refusal(wallet: Wallet, order: Order, amount: Amount): ResultCode | undefined;
  /** Records a capture or a refund and its effects in the journal. */
  record(wallet: Wallet, order: Order, request: Request, call: Call): void;
  onTheWire(result: Result): object;
}

interface Call {
  readonly fields: Fields;
  /** Whether the wallet executes the operation a second time, because of the fault not-idempotent. */
  readonly isRepeat: boolean;
}

/** `moneyVerb` builds the operation of captures or refunds. Idempotency: the money reference identifies a repeat. */
export function moneyVerb<Request extends MoneyCall, Result extends RecordedMovement>(
  verb: MoneyVerb<Request, Result>,
): Verb {
  const { name } = verb;
  const answer = (result: Result): Answer => ({
    code: "SUCCESS",
    fields: { [name]: verb.onTheWire(result) },
  });

  function execute(wallet: Wallet, order: Order, request: Request, call: Call): Answer {
    verb.record(wallet, order, request, call);
    const { reference, paymentId } = order;
    injectInquiryLag(wallet, { verb: name, reference, paymentId }, request.moneyReference);
    const result = verb.find(wallet, request.moneyReference);
    assert(result, `a ${name} that was recorded is in the projection`);
    return answer(result);
  }

  return {
    name,
    act(wallet, fields) {
      const log = (outcome: CallOutcome): void => wallet.record(callRecord(name, fields, outcome));
      const request = verb.read(fields);
      if (typeof request === "string") {
        log("malformed");
        return malformed(request);
      }
      const order = wallet.projection.order(request.reference);
      const earlier = verb.find(wallet, request.moneyReference);
      if (earlier) {
        const isSame = earlier.reference === request.reference && sameAmount(earlier.amount, request.amount);
        const { reference, paymentId } = earlier;
        const occasion = { verb: name, reference, paymentId };
        if (order && isSame && wallet.faults.take(["not-idempotent"], occasion))
          return execute(wallet, order, request, { fields, isRepeat: true });
        log(isSame ? "repeated" : "inconsistent");
        return isSame ? answer(earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
      }
      if (isTooLate(wallet, fields)) {
        log("too-late");
        return { code: "MESSAGE_EXPIRED" };
      }
      const refusal = order
        ? (verb.refusal(wallet, order, request.amount) ?? injectedRefusal(wallet, name, order))
        : "ORDER_NOT_EXIST";
      if (order && !refusal) return execute(wallet, order, request, { fields, isRepeat: false });
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
  if (!isReference(reference)) return "reference";
  if (!isReference(moneyReference)) return nameField;
  if (!isAmount(amount)) return "amount";
  if (notAfter !== undefined && !isTime(notAfter)) return "notAfter";
  return { reference, moneyReference, amount: { currency: amount.currency, value: amount.value } };
}

/** Applies the fault refuse: a final rejection for a reason that is not in the wallet's records. */
function injectedRefusal(
  wallet: Wallet,
  verb: "capture" | "refund",
  { reference, paymentId }: Order,
): ResultCode | undefined {
  return wallet.faults.take(["refuse"], { verb, reference, paymentId })?.resultCode;
}
