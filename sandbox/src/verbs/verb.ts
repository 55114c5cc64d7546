import { isAmount } from "../wallet/amount.ts";
import type { CallOutcome, CallReceived } from "../wallet/effect.ts";
import type { FaultVerb, FaultTarget } from "../wallet/faults.ts";
import { orderOnTheWire, type Order } from "../wallet/order.ts";
import type { Answer } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { parseTime } from "../wallet/wire-time.ts";

/** The fields of an authenticated request. They are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** One operation of the provider protocol, at `/provider/1.1/<folder>/<name>`. */
export interface Verb {
  readonly name:
    | CallReceived["kind"]
    | "inquire"
    | "inquire-capture"
    | "inquire-refund"
    | "inquire-registration"
    | "inquire-authorization"
    | "inquire-dispute"
    | "facts";
  /** `orders` by default; empty for a call directly below the version. */
  readonly folder?: "registrations" | "authorizations" | "disputes" | "";
  /** The maximum size of the body, if it is higher than the default. */
  readonly bodyBytesMax?: number;
  /** Synchronous, so that there is no race between two calls: the second one sees the effect of the first. */
  act(wallet: Wallet, fields: Fields): Answer;
}

/** The path of an operation below the version. */
export function pathOf({ folder, name }: Pick<Verb, "folder" | "name">): string {
  return folder === "" ? name : `${folder ?? "orders"}/${name}`;
}

export function isReference(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,64}$/.test(value);
}

export function isText(value: unknown, lengthMax: number): value is string {
  return typeof value === "string" && value.length <= lengthMax;
}

/** The merchant's account, or the id of its registration, at the wallet. */
export function isProviderId(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);
}

/** Whether a call is for another account than that of the order or the consent, so that it must not find it. */
export function isOfOtherAccount(
  { account }: Fields,
  owned: { readonly account?: string } | undefined,
): boolean {
  return owned !== undefined && owned.account !== account;
}

export function isTime(value: unknown): boolean {
  return typeof value === "string" && parseTime(value) !== undefined;
}

/** Whether a message arrived after its `notAfter` (deadline), so that it must have no effect. */
export function isTooLate({ now }: Wallet, { notAfter }: Fields): boolean {
  return typeof notAfter === "string" && now() > (parseTime(notAfter) ?? 0);
}

export function malformed(field: string): Answer {
  return { code: "PARAM_ILLEGAL", detail: `${field} is missing or malformed.` };
}

export function orderAnswer({ pageUrl }: Wallet, order: Order): Answer {
  return { code: "SUCCESS", fields: { order: orderOnTheWire(order, pageUrl) } };
}

/** The report about a tombstone: an order that was never opened and never will be. */
export function tombstoneReport(reference: string): { readonly order: object } {
  return { order: { reference, state: "CLOSED" } };
}

/** The fault inquiry-lag (stale reads): inquiries do not find a change for some time. */
export function injectInquiryLag(wallet: Wallet, occasion: FaultTarget, reference: string): void {
  const lag = wallet.faults.take(["inquiry-lag"], occasion);
  if (lag) wallet.hiddenUntilMs.set(`${occasion.verb} ${reference}`, wallet.now() + lag.delayMs);
}

export function isHidden({ hiddenUntilMs, now }: Wallet, verb: FaultVerb, reference: string): boolean {
  return now() < (hiddenUntilMs.get(`${verb} ${reference}`) ?? 0);
}

/** The valid references and ids in a call. */
export function readReferences(fields: Fields): References {
  const { reference, paymentId, captureReference, refundReference, paymentMethodType } = fields;
  const { providerDisputeId, answerReference } = fields;
  return {
    ...(isReference(reference) && { reference }),
    ...(isReference(paymentId) && { paymentId }),
    ...(isReference(captureReference) && { captureReference }),
    ...(isReference(refundReference) && { refundReference }),
    ...(isReference(paymentMethodType) && { paymentMethodType }),
    ...(isReference(providerDisputeId) && { providerDisputeId }),
    ...(isReference(answerReference) && { answerReference }),
  };
}

type References = Pick<
  CallReceived,
  | "reference"
  | "paymentId"
  | "captureReference"
  | "refundReference"
  | "paymentMethodType"
  | "providerDisputeId"
  | "answerReference"
>;

/** A call as a line of the journal, with its valid fields. */
export function callRecord(kind: CallReceived["kind"], fields: Fields, outcome: CallOutcome): CallReceived {
  const { amount } = fields;
  return {
    kind,
    outcome,
    ...readReferences(fields),
    ...(isAmount(amount) && { amount: { currency: amount.currency, value: amount.value } }),
  };
}
