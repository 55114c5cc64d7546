import type { Movement } from "./money-projection.ts";
import { parseTime } from "./wire-time.ts";

const columns =
  "kind,reference,operationReference,paymentId,currency,amountMinor,time,feeCurrency,feeMinor,payoutId,valueDate,account";

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
  /** The merchant's account of an order. */
  readonly accountOf?: (reference: string) => string | undefined;
}

/** The settlement file, for the operator's reconciliation: CSV as in RFC 4180. */
export function settlementFile(
  movements: readonly Movement[],
  { fromMs, untilMs }: Interval,
  { feeBasisPoints, paysUntilMs = 0, accountOf = () => undefined }: SettlementTerms = { feeBasisPoints: 0 },
): string {
  const charged = movements.map((movement) => withFee(movement, BigInt(feeBasisPoints)));
  const all = withPayouts(charged, paysUntilMs).sort((a, b) => atMs(a) - atMs(b));
  const rows = all
    .filter((each) => atMs(each) >= fromMs && atMs(each) < untilMs)
    .map((each) => row(each, accountOf(each.reference)));
  return [columns, ...rows, ""].join("\r\n");
}

/** A row of the file. A payout belongs to no payment, so it has neither a reference nor a payment id. */
interface Row extends Omit<Movement, "kind"> {
  readonly kind: Movement["kind"] | "payout";
  /** The part of the amount that the wallet keeps, in minor units. */
  readonly feeMinor: bigint;
  /** The payout that contains the row, and its day; absent while the row is not paid out. */
  readonly payout?: { readonly payoutId: string; readonly valueDate: string } | undefined;
}

function withFee(movement: Movement, basisPoints: bigint): Row {
  const { kind, amount } = movement;
  const isCharged = kind === "payment" || kind === "capture";
  return { ...movement, feeMinor: isCharged ? (BigInt(amount.value) * basisPoints) / 10_000n : 0n };
}

const dayMs = 24 * 3600 * 1000;

/**
 * Returns the rows with one payout for each completed day and currency. If a day's total is negative, the rows of the
 * day are in the payout of a later day, which is lower.
 */
function withPayouts(rows: readonly Row[], untilMs: number): Row[] {
  const days = Map.groupBy(rows, (each) => Math.floor(atMs(each) / dayMs));
  const unpaid = new Map<string, Row[]>();
  const payouts: Row[] = [];
  const payoutOf = new Map<Row, Row["payout"]>();
  for (const [day, ofDay] of [...days].sort(([a], [b]) => a - b)) {
    if ((day + 1) * dayMs > untilMs) break;
    for (const each of ofDay) {
      const { currency } = each.amount;
      const ofCurrency = unpaid.get(currency) ?? [];
      unpaid.set(currency, ofCurrency);
      ofCurrency.push(each);
    }
    for (const [currency, ofCurrency] of unpaid) {
      const netMinor = netOf(ofCurrency);
      if (netMinor <= 0n) continue;
      const payout = newPayout(day, currency, netMinor);
      payouts.push(payout);
      for (const each of ofCurrency) payoutOf.set(each, payout.payout);
      unpaid.delete(currency);
    }
  }
  return [...rows.map((each) => ({ ...each, payout: payoutOf.get(each) })), ...payouts];
}

function netOf(rows: readonly Row[]): bigint {
  return rows.reduce((sum, { kind, amount, feeMinor }) => {
    const value = BigInt(amount.value);
    const adds = kind === "payment" || kind === "capture" || kind === "refund_reversal";
    return sum + (adds ? value : -value) - feeMinor;
  }, 0n);
}

/** A payout for a day. It is booked at the end of the day, so its time is the start of the next day. */
function newPayout(day: number, currency: string, netMinor: bigint): Row {
  const named = new Date(day * dayMs).toISOString().slice(0, 10);
  const bookedAt = new Date((day + 1) * dayMs).toISOString();
  const operationReference = `payout-${named}-${currency}`;
  return {
    kind: "payout",
    reference: "",
    operationReference,
    paymentId: "",
    amount: { currency, value: String(netMinor) },
    at: bookedAt.replace("Z", "+00:00"),
    feeMinor: 0n,
    payout: { payoutId: operationReference, valueDate: bookedAt.slice(0, 10) },
  };
}

function atMs({ at }: Row): number {
  return parseTime(at) ?? 0;
}

function row(each: Row, account: string | undefined): string {
  const { kind, reference, operationReference, paymentId, amount, at, feeMinor, payout } = each;
  const fee = feeMinor === 0n ? ["", ""] : [amount.currency, String(feeMinor)];
  const named = [kind, reference, operationReference, paymentId, amount.currency, amount.value, at];
  return [...named, ...fee, payout?.payoutId ?? "", payout?.valueDate ?? "", account ?? ""]
    .map(cell)
    .join(",");
}

/** Quotes a reference, which may contain any printable character, also a comma or a quotation mark. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
