import type { Movement } from "./money-projection.ts";
import { heldMinor, type Order } from "./order.ts";

/** Totals of a wallet in one currency, in minor units. The wallet always has enough money. */
export interface Balance {
  readonly currency: string;
  readonly paidMinor: bigint;
  /** Refunds that the buyer has kept, and money that disputes took from shops. */
  readonly refundedMinor: bigint;
  /** The amount that is held for shops and that they have not captured yet. */
  readonly heldMinor: bigint;
  /** The amounts of captures and refunds in progress. */
  readonly capturingMinor: bigint;
  readonly refundingMinor: bigint;
}

/** Returns one balance for each currency that was ever used, ordered by currency. */
export function balances(movements: readonly Movement[], orders: readonly Order[]): readonly Balance[] {
  const sums = new Map<string, Balance>();
  const add = (currency: string, sum: Exclude<keyof Balance, "currency">, minor: bigint): void => {
    const before = sums.get(currency) ?? { ...nothing, currency };
    sums.set(currency, { ...before, [sum]: before[sum] + minor });
  };
  for (const { kind, amount } of movements) {
    const minor = BigInt(amount.value);
    if (kind === "payment" || kind === "capture") add(amount.currency, "paidMinor", minor);
    else add(amount.currency, "refundedMinor", kind === "refund_reversal" ? -minor : minor);
  }
  for (const order of orders) {
    const { currency } = order.paidAmount ?? order.amount;
    if (order.state === "AUTHORIZED") add(currency, "heldMinor", heldMinor(order));
    if (order.captures.PROCESSING > 0n) add(currency, "capturingMinor", order.captures.PROCESSING);
    if (order.refunds.PROCESSING > 0n) add(currency, "refundingMinor", order.refunds.PROCESSING);
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

const nothing = {
  paidMinor: 0n,
  refundedMinor: 0n,
  heldMinor: 0n,
  capturingMinor: 0n,
  refundingMinor: 0n,
};
