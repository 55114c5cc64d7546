import type { Amount } from "../../clients/typescript/src/generated/package.ts";

/** How the buyer pays: shows a code, scans one on our screen, or scans the sticker on the table. */
export type SaleWay = "code" | "order" | "entry";

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
 * - waiting: `pay` is out, and there is no answer yet.
 * - shows: there is a code on the screen, or a page before the buyer.
 * - asks: the buyer has to confirm on the phone.
 * - checking: the line broke; we ask how it stands.
 * - cancelling: a cancel may be out, so even "paid" would no longer be the last word.
 * - unknown: nobody answers. Money may have been taken or not.
 */
export type SaleState = (typeof saleStates)[number];

export type SaleOutcome = Extract<SaleState, "paid" | "declined" | "cancelled" | "unknown">;

/** For each state, those that may follow. What is not listed does not happen, whoever says it. */
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

/** Nobody knows yet how it ends. Until then there is no other sale at this till. */
export function isOpen({ state }: Pick<Sale, "state">): boolean {
  return saleLifecycle[state].length > 0;
}

/** asked: `refund` is out. unknown: nobody answered; the same refund is asked for again, never another. */
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
  readonly way: SaleWay;
  readonly amount: Amount;
  readonly state: SaleState;
  /** The table or counter of the sticker. */
  readonly place?: string;
  /** The gateway's name for the payment, once it is known. */
  readonly paymentId?: string;
  /** Why it ended as it did. */
  readonly resultCode?: string;
  /** What the buyer scans, or the page that the buyer is led to. */
  readonly shown?: string;
  readonly shownUntil?: string;
  /** When the last cancel was sent: it may still be on its way. */
  readonly cancelSentAt?: string;
  readonly refunds: readonly Refund[];
}

/** What can still be given back, in minor units. What nobody knows of counts as given. */
export function leftToRefund({ state, amount, refunds }: Sale): bigint {
  if (state !== "paid") return 0n;
  return refunds
    .filter((refund) => refund.state !== "refused")
    .reduce((left, refund) => left - BigInt(refund.amount.value), BigInt(amount.value));
}

export type RefundRefusal = "NOT_PAID" | "REFUND_OPEN" | "TOO_MUCH";

/** The first reason not to give so much back, or undefined when it may go ahead. */
export function refundRefusal(sale: Sale, minor: bigint): RefundRefusal | undefined {
  if (sale.state !== "paid" || sale.paymentId === undefined) return "NOT_PAID";
  if (sale.refunds.some(({ state }) => state === "asked" || state === "unknown")) return "REFUND_OPEN";
  return minor <= 0n || minor > leftToRefund(sale) ? "TOO_MUCH" : undefined;
}

/** What a shift took, in one currency. */
export interface Total {
  readonly currency: string;
  readonly count: number;
  readonly takenMinor: bigint;
  readonly givenBackMinor: bigint;
}

/** By currency. Counts what is paid, and what is known to have gone back. */
export function totalsOf(sales: readonly Sale[]): readonly Total[] {
  const byCurrency = Object.groupBy(
    sales.filter(({ state }) => state === "paid"),
    ({ amount }) => amount.currency,
  );
  return Object.entries(byCurrency).map(([currency, paid = []]) => ({
    currency,
    count: paid.length,
    takenMinor: sumOf(paid),
    givenBackMinor: sumOf(paid.flatMap(({ refunds }) => refunds.filter(({ state }) => state === "done"))),
  }));
}

function sumOf(records: readonly { readonly amount: Amount }[]): bigint {
  return records.reduce((sum, { amount }) => sum + BigInt(amount.value), 0n);
}
