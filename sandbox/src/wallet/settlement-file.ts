import type { Movement } from "./money-projection.ts";
import { parseTime } from "./wire-time.ts";

const columns = "kind,reference,operationReference,paymentId,currency,amountMinor,time";

/** A half-open interval of time: it includes its first moment and excludes `untilMs`. */
export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The wallet's fee and payouts in the settlement file. The wallet has no bank account, so both are calculated when the
 * file is written.
 */
export interface SettlementTerms {
  /** The wallet's fee on each payment and capture, rounded down. */
  readonly feeBasisPoints: number;
  /** The time up to which each completed day (UTC) is paid out at its end; undefined means no payouts. */
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

/** A row of the file. A row that belongs to no payment has neither a reference nor a payment id. */
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

/**
 * One payout for each completed day and currency. If a day's total is negative, the totals of the next days compensate
 * it.
 */
function payoutsOf(rows: readonly Row[], untilMs: number): readonly Row[] {
  const days = Map.groupBy(rows, (each) => Math.floor(atMs(each) / dayMs));
  const unpaid = new Map<string, bigint>();
  return [...days]
    .sort(([a], [b]) => a - b)
    .filter(([day]) => (day + 1) * dayMs <= untilMs)
    .flatMap(([day, ofDay]) => {
      for (const { kind, amount } of ofDay) {
        const value = BigInt(amount.value);
        const adds = kind === "payment" || kind === "capture";
        unpaid.set(amount.currency, (unpaid.get(amount.currency) ?? 0n) + (adds ? value : -value));
      }
      const due = [...unpaid].filter(([, value]) => value > 0n);
      for (const [currency] of due) unpaid.set(currency, 0n);
      return due.map(([currency, value]) => payout(day, currency, value));
    });
}

/** A payout for a day. It is booked at the end of the day, so its time is the start of the next day. */
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

/** Quotes a reference, which may contain any printable character, also a comma or a quotation mark. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
