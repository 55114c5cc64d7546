import type { Money } from "../core/money.ts";
import { results, type ResultCode } from "../core/result.ts";
import { readNextAction } from "./next-action.ts";
import { readDetails } from "./order-details.ts";
import type {
  CancelReport,
  MoneyMismatch,
  MoneyReport,
  OrderReport,
  RegistrationReport,
  RequestedCapture,
  RequestedRefund,
} from "./provider.ts";
import { isPresent, isSequence, readMoney, readText, readTime } from "./report-fields.ts";

/** The fields of an order in the provider protocol. */
interface WireOrder {
  readonly reference?: unknown;
  readonly paymentId?: unknown;
  readonly state?: unknown;
  readonly amount?: unknown;
  readonly paidAmount?: unknown;
  readonly paidTime?: unknown;
  readonly holdExpiryTime?: unknown;
  readonly resultCode?: unknown;
  readonly nextAction?: unknown;
  readonly sequence?: unknown;
  readonly cancel?: unknown;
  readonly details?: unknown;
}

/** `readOrder` reads a provider's order; undefined if it is malformed, or has another reference. */
export function readOrder(value: unknown, reference: string): OrderReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const order: WireOrder = value;
  if (order.reference !== reference) return undefined;
  const state = readState(order);
  const paymentId = readText(order.paymentId);
  const amount = readMoney(order.amount);
  const cancel = readCancel(order.cancel);
  // An optional field of the order may be absent, but not unreadable: an unreadable value could not be compared.
  const isUnreadable =
    (isPresent(order.paymentId) && !paymentId) ||
    (isPresent(order.amount) && !amount) ||
    (isPresent(order.cancel) && !cancel);
  if (!state || isUnreadable) return undefined;
  return {
    ...state,
    ...(cancel && { cancel }),
    ...(paymentId !== undefined && { paymentId }),
    ...(amount && { amount }),
    ...(isSequence(order.sequence) && { sequence: order.sequence }),
    ...readReportedDetails(order.details),
  };
}

/** `readReportedDetails` returns the usable details of an order. Details never make an order unreadable. */
function readReportedDetails(value: unknown): Pick<OrderReport, "details" | "hasCardNumber"> {
  if (!isPresent(value)) return {};
  const { details, cardNumberFields } = readDetails(value);
  return {
    ...(Object.keys(details).length > 0 && { details }),
    ...(cardNumberFields.length > 0 && { hasCardNumber: true }),
  };
}

function readState(order: WireOrder): OrderReport | undefined {
  switch (order.state) {
    case "OPEN":
      return { state: "OPEN", nextAction: readNextAction(order.nextAction) };
    case "PENDING":
      return { state: "PENDING" };
    case "PAID":
    case "AUTHORIZED":
      return readPaid(order, order.state);
    case "DECLINED":
      return { state: "DECLINED", resultCode: readDecline(order.resultCode) };
    case "CLOSED":
    case "LAPSED":
      return { state: order.state };
    default:
      return undefined;
  }
}

function readCancel(value: unknown): CancelReport | undefined {
  const { state, resultCode } = toFields(value);
  if (state === "PROCESSING" || state === "DONE") return { state };
  return state === "FAILED" ? { state, resultCode: readDecline(resultCode) } : undefined;
}

/**
 * `readRefund` reads a provider's refund report and compares it with the request. It returns undefined, which counts as
 * no response, if the report is malformed, or done without a time.
 */
export function readRefund(value: unknown, request: RequestedRefund): MoneyReport | undefined {
  const refund = toFields(value);
  const { reference, refundReference: moneyReference, amount } = request;
  const comparison = compareMoney(refund, refund["refundReference"], { reference, moneyReference, amount });
  return comparison === "same" ? readMoneyState(refund, refund["refundTime"]) : comparison;
}

/** `readCapture` reads a provider's capture report, as `readRefund` reads a refund report. */
export function readCapture(value: unknown, request: RequestedCapture): MoneyReport | undefined {
  const capture = toFields(value);
  const { reference, captureReference: moneyReference, amount } = request;
  const comparison = compareMoney(capture, capture["captureReference"], {
    reference,
    moneyReference,
    amount,
  });
  return comparison === "same" ? readMoneyState(capture, capture["captureTime"]) : comparison;
}

function readMoneyState({ state, resultCode }: Fields, doneTime: unknown): MoneyReport | undefined {
  switch (state) {
    case "PROCESSING":
      return { state };
    case "DONE":
      return readTime(doneTime) && { state };
    case "FAILED":
      return { state, resultCode: readDecline(resultCode) };
    default:
      return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function toFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

interface RequestedMoney {
  readonly reference: string;
  /** The capture's or the refund's own reference. */
  readonly moneyReference: string;
  readonly amount: Money;
}

/**
 * `compareMoney` compares a report with the requested capture or refund. It requires all three fields: a report without
 * one of them is malformed.
 */
function compareMoney(
  { reference, amount }: Fields,
  moneyReference: unknown,
  requested: RequestedMoney,
): "same" | MoneyMismatch | undefined {
  const reported = readMoney(amount);
  if (typeof reference !== "string" || typeof moneyReference !== "string" || !reported) return undefined;
  if (moneyReference !== requested.moneyReference) return { state: "MISMATCH", field: "moneyReference" };
  if (reference !== requested.reference) return { state: "MISMATCH", field: "reference" };
  const { currency, minor } = requested.amount;
  const isSameAmount = reported.currency === currency && reported.minor === minor;
  return isSameAmount ? "same" : { state: "MISMATCH", field: "amount" };
}

/** `readRegistration` reads a provider's registration; undefined if it is malformed, or has another reference. */
export function readRegistration(value: unknown, reference: string): RegistrationReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const registration: {
    readonly reference?: unknown;
    readonly providerRegistrationId?: unknown;
    readonly state?: unknown;
    readonly rejectReasons?: unknown;
  } = value;
  if (registration.reference !== reference) return undefined;
  switch (registration.state) {
    case "PROCESSING":
      return { state: "PROCESSING" };
    case "APPROVED":
      return { state: "APPROVED", providerRegistrationId: readId(registration.providerRegistrationId) };
    case "REJECTED":
      return { state: "REJECTED", rejectReasons: readReasons(registration.rejectReasons) };
    default:
      return undefined;
  }
}

const idLengthMax = 128;

function readId(value: unknown): string | undefined {
  const text = readText(value);
  return text !== undefined && text.length <= idLengthMax ? text : undefined;
}

const reasonsMax = 20;

/** `readReasons` reads the reasons of a rejected registration; an empty list if there are none. */
function readReasons(value: unknown): readonly string[] {
  const reasons: readonly unknown[] = Array.isArray(value) ? value : [];
  return reasons
    .flatMap((reason) => readText(reason) ?? [])
    .map((reason) => reason.slice(0, 256))
    .slice(0, reasonsMax);
}

function readPaid(order: WireOrder, state: "PAID" | "AUTHORIZED"): OrderReport | undefined {
  const amount = readMoney(order.amount);
  const paidAmount = readMoney(order.paidAmount);
  const paidAt = readTime(order.paidTime);
  if (!amount || !paidAmount || !paidAt) return undefined;
  if (state === "PAID" || !isPresent(order.holdExpiryTime)) return { state, amount, paidAmount, paidAt };
  const holdExpiresAt = readTime(order.holdExpiryTime);
  return holdExpiresAt && holdExpiresAt > paidAt
    ? { state, amount, paidAmount, paidAt, holdExpiresAt }
    : undefined;
}

/** `readDecline` reads a provider's decline reason, and maps an unknown one to PROCESS_FAIL. */
function readDecline(code: unknown): ResultCode {
  const knownCode =
    typeof code === "string" && Object.hasOwn(results, code) ? (code as ResultCode) : undefined;
  return knownCode && results[knownCode].status === "F" ? knownCode : "PROCESS_FAIL";
}
