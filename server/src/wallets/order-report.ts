import { parseAmount, type Money } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { results, type ResultCode } from "../core/result.ts";
import type { OrderReport } from "./wallet.ts";

/** An order as the wallet protocol writes it. */
interface WireOrder {
  readonly reference?: unknown;
  readonly state?: unknown;
  readonly amount?: unknown;
  readonly paidAmount?: unknown;
  readonly paidTime?: unknown;
  readonly resultCode?: unknown;
  readonly code?: unknown;
  readonly url?: unknown;
}

/**
 * Reads a wallet's order, or undefined when it does not say what it has to. A report about another
 * reference is none about ours.
 */
export function readOrder(value: unknown, reference: string): OrderReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const order: WireOrder = value;
  if (order.reference !== reference) return undefined;
  switch (order.state) {
    case "OPEN":
      return { state: "OPEN", code: text(order.code), url: text(order.url) };
    case "PENDING":
      return { state: "PENDING" };
    case "PAID":
      return readPaid(order);
    case "DECLINED":
      return { state: "DECLINED", resultCode: readDecline(order.resultCode) };
    case "CLOSED":
      return { state: "CLOSED" };
    default:
      return undefined;
  }
}

function readPaid(order: WireOrder): OrderReport | undefined {
  const amount = readMoney(order.amount);
  const paidAmount = readMoney(order.paidAmount);
  const paidAtMs = parseRequestTime(text(order.paidTime) ?? "");
  if (!amount || !paidAmount || paidAtMs === undefined) return undefined;
  return { state: "PAID", amount, paidAmount, paidAt: new Date(paidAtMs) };
}

/** A wallet's reason that we do not know is a failure all the same. */
function readDecline(code: unknown): ResultCode {
  const known = typeof code === "string" && Object.hasOwn(results, code) ? (code as ResultCode) : undefined;
  return known && results[known].status === "F" ? known : "PROCESS_FAIL";
}

function readMoney(value: unknown): Money | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { currency, value: minor } = value as { currency?: unknown; value?: unknown };
  if (typeof currency !== "string" || typeof minor !== "string") return undefined;
  const money = parseAmount({ currency, value: minor });
  return typeof money === "string" ? undefined : money;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.length > 0 && value.length <= 2048 ? value : undefined;
}
