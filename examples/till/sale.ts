import type { Amount } from "../../clients/typescript/src/generated/package.ts";

/**
 * How the buyer pays: shows a code (`code`), scans a code on the screen (`order`), or scans the sticker on the table
 * (`entry`).
 */
export type SaleMode = "code" | "order" | "entry";

export const saleStates = [
  "waiting",
  "shows",
  "asks",
  "checking",
  "cancelling",
  "unknown",
  "paid",
  "declined",
  "cancelled",
] as const;

/**
 * - waiting: `pay` was sent, and there is no response yet.
 * - shows: a code is on the screen, or the buyer has a page.
 * - asks: the buyer must confirm on the phone.
 * - checking: the connection failed; inquiries are sent.
 * - cancelling: a cancel may be in flight, so even "paid" would not be final.
 * - unknown: there is no response. The buyer may have been charged or not.
 */
export type SaleState = (typeof saleStates)[number];

export type SaleOutcome = Extract<SaleState, "paid" | "declined" | "cancelled" | "unknown">;

/** Allowed transitions for each state. All others are ignored. */
export const saleLifecycle: Readonly<Record<SaleState, readonly SaleState[]>> = {
  waiting: ["shows", "asks", "checking", "cancelling", "paid", "declined", "cancelled", "unknown"],
  shows: ["checking", "cancelling", "paid", "declined", "cancelled", "unknown"],
  asks: ["checking", "cancelling", "paid", "declined", "cancelled", "unknown"],
  checking: ["shows", "asks", "cancelling", "paid", "declined", "cancelled", "unknown"],
  cancelling: ["paid", "declined", "cancelled", "unknown"],
  unknown: ["checking", "cancelling"],
  paid: [],
  declined: [],
  cancelled: [],
};

/** Whether the outcome is still open. Until the outcome is known, the terminal starts no other sale. */
export function isOpen({ state }: Pick<Sale, "state">): boolean {
  return saleLifecycle[state].length > 0;
}

/** asked: `refund` was sent. unknown: there was no response; the same refund request is repeated, never another one. */
export type RefundState = "asked" | "unknown" | "done" | "refused";

export interface Refund {
  readonly id: string;
  readonly amount: Amount;
  readonly state: RefundState;
  readonly resultCode?: string;
}

/** One sale. Its id is the `paymentRequestId` of its payment. */
export interface Sale {
  readonly id: string;
  readonly at: string;
  readonly way: SaleMode;
  readonly amount: Amount;
  readonly state: SaleState;
  /** The table or counter whose sticker the buyer scanned. */
  readonly place?: string;
  /** The gateway's payment id, once it is known. */
  readonly paymentId?: string;
  /** The reason of the outcome. */
  readonly resultCode?: string;
  /** The code for the buyer to scan, or the address of the buyer's page. */
  readonly shown?: string;
  readonly shownUntil?: string;
  /** The time at which the last cancel was sent. The cancel may still be in flight. */
  readonly cancelSentAt?: string;
  readonly refunds: readonly Refund[];
}

/** The amount that can still be refunded, in minor units. A refund with an unknown outcome counts as done. */
export function refundableMinor({ state, amount, refunds }: Sale): bigint {
  if (state !== "paid") return 0n;
  return refunds
    .filter((refund) => refund.state !== "refused")
    .reduce((remaining, refund) => remaining - BigInt(refund.amount.value), BigInt(amount.value));
}

export type RefundRefusal = "NOT_PAID" | "REFUND_OPEN" | "TOO_MUCH";

/** The first reason to reject a refund of this amount, or undefined if it is allowed. */
export function refundRefusal(sale: Sale, minor: bigint): RefundRefusal | undefined {
  if (sale.state !== "paid" || sale.paymentId === undefined) return "NOT_PAID";
  if (sale.refunds.some(({ state }) => state === "asked" || state === "unknown")) return "REFUND_OPEN";
  return minor <= 0n || minor > refundableMinor(sale) ? "TOO_MUCH" : undefined;
}

/** Totals of a shift in one currency. */
export interface Total {
  readonly currency: string;
  readonly count: number;
  readonly paidMinor: bigint;
  readonly refundedMinor: bigint;
}

/** Returns the totals of paid sales and successful refunds for each currency. */
export function totalsOf(sales: readonly Sale[]): readonly Total[] {
  const byCurrency = Object.groupBy(
    sales.filter(({ state }) => state === "paid"),
    ({ amount }) => amount.currency,
  );
  return Object.entries(byCurrency).map(([currency, paid = []]) => ({
    currency,
    count: paid.length,
    paidMinor: sumOf(paid),
    refundedMinor: sumOf(paid.flatMap(({ refunds }) => refunds.filter(({ state }) => state === "done"))),
  }));
}

function sumOf(records: readonly { readonly amount: Amount }[]): bigint {
  return records.reduce((sum, { amount }) => sum + BigInt(amount.value), 0n);
}
