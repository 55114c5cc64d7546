import assert from "node:assert/strict";
import { isAmount, sameAmount, type Amount } from "../wallet/amount.ts";
import type { CallOutcome, CallReceived } from "../wallet/effect.ts";
import { finishMoney, planEnd } from "../wallet/end-operation.ts";
import { moneyOnTheWire, type MoneyKind, type MoneyRecord, type MoneyTerms } from "../wallet/money-record.ts";
import type { Order } from "../wallet/order.ts";
import type { Answer, ResultCode } from "../wallet/result.ts";
import { newRandomId, type Wallet } from "../wallet/wallet.ts";
import {
  isOfOtherAccount,
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
  /** Whether this is the last capture of the hold: no capture is possible after it. */
  readonly isLast?: boolean;
}

interface MoneyVerb {
  readonly name: MoneyKind;
  /** Prefix of the wallet's own ids. */
  readonly idPrefix: string;
  /** Reads the fields; returns an error message about the first invalid one. */
  read(fields: Fields): MoneyCall | string;
  /** The first reason to reject, or undefined if the money may be moved. */
  refusal(wallet: Wallet, order: Order, amount: Amount): ResultCode | undefined;
}

interface Call {
  readonly fields: Fields;
  /** Whether the wallet executes the operation a second time, because of the fault not-idempotent. */
  readonly isRepeat: boolean;
}

/** `moneyVerb` builds the operation of captures or refunds. Idempotency: the money reference identifies a repeat. */
export function moneyVerb({ name, idPrefix, read, refusal: refusalOf }: MoneyVerb): Verb {
  function execute(wallet: Wallet, order: Order, request: MoneyCall, call: Call): Answer {
    const { reference, paymentId, providerOrderId } = order;
    const providerMoneyId = newRandomId(idPrefix);
    const named = { kind: name, reference, paymentId, providerOrderId, providerMoneyId };
    recordStart(wallet, { ...named, ...request }, call);
    injectInquiryLag(wallet, { verb: name, reference, paymentId }, request.moneyReference);
    const record = wallet.projection.moneyRecordById(providerMoneyId);
    assert(record, `a ${name} that was recorded is in the projection`);
    return moneyAnswer(record);
  }

  return {
    name,
    act(wallet, fields) {
      const log = (outcome: CallOutcome): void => wallet.record(callRecord(name, fields, outcome));
      const request = read(fields);
      if (typeof request === "string") {
        log("malformed");
        return malformed(request);
      }
      const order = wallet.projection.order(request.reference);
      if (isOfOtherAccount(fields, order)) {
        log("refused");
        return { code: "ORDER_NOT_EXIST" };
      }
      const earlier = wallet.projection.moneyRecord(name, request.moneyReference);
      if (earlier) {
        const isSame = earlier.reference === request.reference && sameAmount(earlier.amount, request.amount);
        const { reference, paymentId } = earlier;
        const occasion = { verb: name, reference, paymentId };
        if (order && isSame && wallet.faults.take(["not-idempotent"], occasion))
          return execute(wallet, order, request, { fields, isRepeat: true });
        log(isSame ? "repeated" : "inconsistent");
        return isSame ? moneyAnswer(earlier) : { code: "REPEAT_REQ_INCONSISTENT" };
      }
      if (isTooLate(wallet, fields)) {
        log("too-late");
        return { code: "MESSAGE_EXPIRED" };
      }
      const refusal = order
        ? (refusalOf(wallet, order, request.amount) ?? injectedRefusal(wallet, name, order))
        : "ORDER_NOT_EXIST";
      if (order && !refusal) return execute(wallet, order, request, { fields, isRepeat: false });
      log("refused");
      return { code: refusal ?? "ORDER_NOT_EXIST" };
    },
  };
}

/** Records a new capture or refund: done, or pending because of the fault capture-pending or refund-pending. */
function recordStart(wallet: Wallet, terms: MoneyTerms, { fields, isRepeat }: Call): void {
  const { kind, reference, paymentId, providerOrderId, providerMoneyId, isLast } = terms;
  const fault = wallet.faults.take([`${kind}-pending`], { verb: kind, reference, paymentId });
  if (!fault) {
    wallet.record(callRecord(kind, fields, isRepeat ? "done-again" : "done"));
    finishMoney(wallet, terms);
    return;
  }
  const received = callRecord(kind, fields, isRepeat ? "started-again" : "started");
  const named = { paymentId, providerOrderId, ...planEnd(fault, wallet.now()) };
  const started: Pick<CallReceived, MoneyKind> =
    kind === "capture"
      ? { capture: { ...named, providerCaptureId: providerMoneyId, ...(isLast && { isLast }) } }
      : { refund: { ...named, providerRefundId: providerMoneyId } };
  wallet.record({ ...received, ...started });
}

/** The response with a capture or a refund. */
export function moneyAnswer(record: MoneyRecord): Answer {
  return { code: "SUCCESS", fields: { [record.kind]: moneyOnTheWire(record) } };
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
  verb: MoneyKind,
  { reference, paymentId }: Order,
): ResultCode | undefined {
  return wallet.faults.take(["refuse"], { verb, reference, paymentId })?.resultCode;
}
