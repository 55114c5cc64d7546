import { stripVTControlCharacters, styleText } from "node:util";
import { resultCodes } from "../../../clients/typescript/src/generated/result-codes.ts";
import { Money } from "../../../clients/typescript/src/money.ts";
import { parseEntry, formatLogEntry, type Entry } from "./show-log.ts";

/** Log level from which an entry is shown unchanged: warnings and faults. */
const warning = 40;

/**
 * Formats a line of a part's log for developers: an API request, a provider callback or a webhook; warnings stay
 * unchanged. Returns undefined for all other entries.
 */
export function formatLiveLine(part: string, line: string): string | undefined {
  const entry = parseEntry(line);
  if (!entry) return line;
  if ("notification" in entry) return formatNotification(entry);
  if (entry.level >= warning) return formatLogEntry(part, line);
  if ("callback" in entry) return columns(entry.time, "wallet's callback", colourCode(String(entry["code"])));
  if (typeof entry["path"] !== "string") return undefined;
  const operation = entry["path"].split("/").at(-1) ?? "";
  // Successful `inquiryEvents` requests are not shown: listeners send two of them each second, and the events have
  // their own lines.
  if (operation === "inquiryEvents" && entry["code"] === "SUCCESS") return undefined;
  const [code, duration] = [colourCode(String(entry["code"])), `${Math.round(Number(entry["ms"]))} ms`];
  const requestLine = columns(entry.time, operation, code, duration);
  return typeof entry["hint"] === "string" ? `${requestLine}\n${formatHint(entry["hint"])}` : requestLine;
}

/**
 * Formats the hint as lines below the request, indented to the column of the operation. Control characters are removed,
 * because they could overwrite other parts of the terminal.
 */
function formatHint(hint: string): string {
  const lines = stripVTControlCharacters(hint).split("\n");
  return lines.map((line) => `${" ".repeat(10)}${styleText("dim", line)}`).join("\n");
}

function formatNotification(entry: Entry): string {
  const { notification, to, isAcknowledged, httpStatus, failure, ms } = entry as Entry & {
    readonly notification: string;
    readonly to: string;
    readonly isAcknowledged: boolean;
    readonly httpStatus: number;
    readonly failure?: string;
    readonly ms: number;
  };
  const outcome = isAcknowledged
    ? styleText("green", `${httpStatus}, acknowledged`)
    : styleText("red", failure ?? `${httpStatus}, not acknowledged`);
  return columns(entry.time, notification, outcome, `${Math.round(ms)} ms`, `to ${to}`);
}

/** The outcomes of an order, as the provider writes them. */
const providerSteps: Readonly<Record<string, string>> = {
  submit: "order",
  cancel: "cancel",
  capture: "capture",
  refund: "refund",
  pending: "pending",
  authorized: "held",
  paid: "paid",
  declined: "declined",
  closed: "closed",
  captured: "captured",
  refunded: "refunded",
  fault: "fault",
  "dispute-opened": "dispute opened",
  "dispute-changed": "dispute changed",
  "authorization-changed": "consent changed",
};

interface Effect {
  readonly kind: string;
  readonly at: string;
  readonly outcome?: string;
  readonly by?: string;
  readonly fault?: string;
  readonly paymentId?: string;
  readonly amount?: { readonly currency: string; readonly value: string };
}

/** Formats a line of the provider's journal. */
export function formatProviderEvent(line: string): string | undefined {
  const { kind, at, outcome, by, fault, paymentId, amount } = JSON.parse(line) as Effect;
  const step = providerSteps[kind];
  if (step === undefined) return undefined;
  const description = [step, outcome ?? fault, by && `by ${by}`].filter(Boolean).join(" ");
  const money = amount && `${amount.currency} ${Money.from(amount).toDecimal()}`;
  return columns(Date.parse(at), "wallet", description, money ?? "", paymentId ?? "");
}

function colourCode(code: string): string {
  return styleText(resultCodes[code]?.error === undefined ? "green" : "red", code);
}

const widths = [24, 28, 10] as const;

function columns(time: number, ...cells: readonly string[]): string {
  const padded = cells.map(
    (cell, index) => cell + " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell))),
  );
  return `${styleText("dim", new Date(time).toTimeString().slice(0, 8))}  ${padded.join("  ").trimEnd()}`;
}

function displayWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}
