import { isAmount } from "../amount.ts";
import type { CallOutcome, CallReceived } from "../effect.ts";
import { orderOnTheWire, type Order } from "../order.ts";
import type { Answer } from "../result.ts";
import type { Wallet } from "../wallet.ts";

/** The fields of a request whose sender is proven. Nothing about them has been checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** One operation of the wallet protocol, at `/wallet/v1/orders/<name>`. */
export interface Verb {
  readonly name: "submit" | "inquire" | "cancel" | "refund";
  /** All at once, without waiting: whoever calls next finds it done. */
  act(wallet: Wallet, fields: Fields): Answer;
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,64}$/.test(value);
}

export function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === "string" && value.length <= lengthMax;
}

export function malformed(field: string): Answer {
  return { code: "PARAM_ILLEGAL", detail: `${field} is missing or malformed.` };
}

export function orderAnswer({ pageUrl }: Wallet, order: Order): Answer {
  return { code: "SUCCESS", fields: { order: orderOnTheWire(order, pageUrl) } };
}

/** All that can be said of an order that was never opened, and never will be. */
export function closedForGood(reference: string): { readonly order: object } {
  return { order: { reference, state: "CLOSED" } };
}

/** The names in a call, as far as they are any. */
export function namesIn({ reference, paymentId, refundReference, paymentMethodType }: Fields): Names {
  return {
    ...(isName(reference) && { reference }),
    ...(isName(paymentId) && { paymentId }),
    ...(isName(refundReference) && { refundReference }),
    ...(isName(paymentMethodType) && { paymentMethodType }),
  };
}

type Names = Pick<CallReceived, "reference" | "paymentId" | "refundReference" | "paymentMethodType">;

/** What a call said, as far as it can be written down. */
export function received(kind: CallReceived["kind"], fields: Fields, outcome: CallOutcome): CallReceived {
  const { amount } = fields;
  return {
    kind,
    outcome,
    ...namesIn(fields),
    ...(isAmount(amount) && { amount: { currency: amount.currency, value: amount.value } }),
  };
}
