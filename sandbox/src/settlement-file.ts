import type { Movement } from "./money-book.ts";
import { parseTime } from "./wire-time.ts";

const columns = "kind,reference,operationReference,paymentId,currency,amountMinor,time";

/** Half-open: from the first moment on, up to but without the second. */
export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What the wallet keeps, and whether it pays: it has no account of its own, so this is reckoned when the file is written. */
export interface SettlementTerms {
  /** The wallet's part of each payment and capture, rounded down. */
  readonly feeBasisPoints: number;
  /** The rest of each day (UTC) is paid at its end, for days that have ended by then; absent when it pays nothing. */
  readonly paysUntilMs?: number;
}

/** The settlement file, for the operator's reconciliation: CSV as in RFC 4180. */
export function settlementFile(
  movements: readonly Movement[],
  { fromMs, untilMs }: Interval,
  { feeBasisPoints, paysUntilMs = 0 }: SettlementTerms = { feeBasisPoints: 0 },
): string {
  const moved = movements.flatMap((movement) => withFee(movement, BigInt(feeBasisPoints)));
  const all = [...moved, ...payoutsOf(moved, paysUntilMs)].sort((a, b) => atMs(a) - atMs(b));
  const rows = all.filter((each) => atMs(each) >= fromMs && atMs(each) < untilMs).map(row);
  return [columns, ...rows, ""].join("\r\n");
}

/** A row of the file. What is about no payment has neither a reference nor a payment. */
interface Row extends Omit<Movement, "kind"> {
  readonly kind: Movement["kind"] | "fee" | "payout";
}

function withFee(movement: Movement, basisPoints: bigint): readonly Row[] {
  const { kind, operationReference, amount } = movement;
  const value = (BigInt(amount.value) * basisPoints) / 10_000n;
  if (value === 0n || (kind !== "payment" && kind !== "capture")) return [movement];
  const fee = { currency: amount.currency, value: String(value) };
  return [
    movement,
    { ...movement, kind: "fee", operationReference: `fee-${operationReference}`, amount: fee },
  ];
}

const dayMs = 24 * 3600 * 1000;

/** A payout for each day that has ended, and each currency. A day that took more than it gave is made up for by the next ones. */
function payoutsOf(rows: readonly Row[], untilMs: number): readonly Row[] {
  const days = Map.groupBy(rows, (each) => Math.floor(atMs(each) / dayMs));
  const owed = new Map<string, bigint>();
  return [...days]
    .sort(([a], [b]) => a - b)
    .filter(([day]) => (day + 1) * dayMs <= untilMs)
    .flatMap(([day, ofDay]) => {
      for (const { kind, amount } of ofDay) {
        const value = BigInt(amount.value);
        const adds = kind === "payment" || kind === "capture";
        owed.set(amount.currency, (owed.get(amount.currency) ?? 0n) + (adds ? value : -value));
      }
      const due = [...owed].filter(([, value]) => value > 0n);
      for (const [currency] of due) owed.set(currency, 0n);
      return due.map(([currency, value]) => payout(day, currency, value));
    });
}

/** At the end of its day, so under the next one. */
function payout(day: number, currency: string, value: bigint): Row {
  const named = new Date(day * dayMs).toISOString().slice(0, 10);
  return {
    kind: "payout",
    reference: "",
    operationReference: `payout-${named}-${currency}`,
    paymentId: "",
    amount: { currency, value: String(value) },
    at: new Date((day + 1) * dayMs).toISOString().replace("Z", "+00:00"),
  };
}

function atMs({ at }: Row): number {
  return parseTime(at) ?? 0;
}

function row({ kind, reference, operationReference, paymentId, amount, at }: Row): string {
  return [kind, reference, operationReference, paymentId, amount.currency, amount.value, at]
    .map(cell)
    .join(",");
}

/** A reference may hold any sign that can be printed, a comma and a quotation mark among them. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
