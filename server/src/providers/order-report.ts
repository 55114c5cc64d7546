import { parseAmount, type Money } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { results, type ResultCode } from "../core/result.ts";
import type {
  CaptureReport,
  MoneyMismatch,
  OrderReport,
  RefundReport,
  RegistrationReport,
  RequestedCapture,
  RequestedRefund,
} from "./provider.ts";

/** The fields of an order in the provider protocol. */
interface WireOrder {
  readonly reference?: unknown;
  readonly paymentId?: unknown;
  readonly state?: unknown;
  readonly amount?: unknown;
  readonly paidAmount?: unknown;
  readonly paidTime?: unknown;
  readonly resultCode?: unknown;
  readonly code?: unknown;
  readonly url?: unknown;
  readonly sequence?: unknown;
}

/** `readOrder` reads a provider's order; undefined if it is malformed, or has another reference. */
export function readOrder(value: unknown, reference: string): OrderReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const order: WireOrder = value;
  if (order.reference !== reference) return undefined;
  const state = readState(order);
  const paymentId = readText(order.paymentId);
  const amount = readMoney(order.amount);
  // An optional field of the order may be absent, but not unreadable: an unreadable value could not be compared.
  const isUnreadable = (isPresent(order.paymentId) && !paymentId) || (isPresent(order.amount) && !amount);
  if (!state || isUnreadable) return undefined;
  return {
    ...state,
    ...(paymentId !== undefined && { paymentId }),
    ...(amount && { amount }),
    ...(isSequence(order.sequence) && { sequence: order.sequence }),
  };
}

function readState(order: WireOrder): OrderReport | undefined {
  switch (order.state) {
    case "OPEN":
      return { state: "OPEN", code: readText(order.code), url: readText(order.url) };
    case "PENDING":
      return { state: "PENDING" };
    case "PAID":
    case "AUTHORIZED":
      return readPaid(order, order.state);
    case "DECLINED":
      return { state: "DECLINED", resultCode: readDecline(order.resultCode) };
    case "CLOSED":
      return { state: "CLOSED" };
    default:
      return undefined;
  }
}

/**
 * `readRefund` reads a provider's refund report and compares it with the request. It returns undefined, which counts as
 * no response, if the report is malformed, or done without a time.
 */
export function readRefund(value: unknown, request: RequestedRefund): RefundReport | undefined {
  const refund = toFields(value);
  const { reference, refundReference: moneyReference, amount } = request;
  const comparison = compareMoney(refund, refund["refundReference"], { reference, moneyReference, amount });
  if (comparison !== "same") return comparison;
  if (refund["state"] === "PROCESSING") return { state: "PROCESSING" };
  return refund["state"] === "DONE" && readTime(refund["refundTime"]) ? { state: "DONE" } : undefined;
}

/**
 * `readCapture` reads a provider's capture report and compares it with the request. It returns undefined, which counts
 * as no response, if the report is malformed, in another state than done, or without a time.
 */
export function readCapture(value: unknown, request: RequestedCapture): CaptureReport | undefined {
  const capture = toFields(value);
  const { reference, captureReference: moneyReference, amount } = request;
  const compared = compareMoney(capture, capture["captureReference"], { reference, moneyReference, amount });
  if (compared !== "same") return compared;
  if (isPresent(capture["state"]) && capture["state"] !== "DONE") return undefined;
  return readTime(capture["captureTime"]) && { state: "DONE" };
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
    readonly state?: unknown;
    readonly rejectReasons?: unknown;
  } = value;
  if (registration.reference !== reference) return undefined;
  switch (registration.state) {
    case "PROCESSING":
    case "APPROVED":
      return { state: registration.state };
    case "REJECTED":
      return { state: "REJECTED", rejectReasons: readReasons(registration.rejectReasons) };
    default:
      return undefined;
  }
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
  return { state, amount, paidAmount, paidAt };
}

/** `readDecline` reads a provider's decline reason, and maps an unknown one to PROCESS_FAIL. */
function readDecline(code: unknown): ResultCode {
  const knownCode =
    typeof code === "string" && Object.hasOwn(results, code) ? (code as ResultCode) : undefined;
  return knownCode && results[knownCode].status === "F" ? knownCode : "PROCESS_FAIL";
}

export function readMoney(value: unknown): Money | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { currency, value: minor } = value as { currency?: unknown; value?: unknown };
  if (typeof currency !== "string" || typeof minor !== "string") return undefined;
  const money = parseAmount({ currency, value: minor });
  return typeof money === "string" ? undefined : money;
}

/**
 * `readTime` reads a provider's time. A time far in the past or future is a mistake, such as seconds for milliseconds,
 * and PostgreSQL cannot store times far after the year 9999.
 */
export function readTime(value: unknown): Date | undefined {
  const timeMs = typeof value === "string" ? parseRequestTime(value) : undefined;
  return timeMs === undefined || timeMs < earliestMs || timeMs > latestMs ? undefined : new Date(timeMs);
}

const earliestMs = Date.UTC(2000, 0, 1);
const latestMs = Date.UTC(2200, 0, 1);

/**
 * `readText` returns a text that can be stored and shown. PostgreSQL cannot store NUL, so it would make every
 * settlement fail.
 */
export function readText(value: unknown): string | undefined {
  const isText = typeof value === "string" && value.length > 0 && value.length <= 2048;
  return isText && value.isWellFormed() && !value.includes("\0") ? value : undefined;
}

/** `isPresent` returns whether an optional field of a report is present. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** `isSequence` checks a `sequence`: the version of a state, by which stale reports are recognised. */
export function isSequence(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;
}
