import type { Amount } from "./amount.ts";
import type { Movement } from "./money-projection.ts";
import { heldMinor, type Order } from "./order.ts";

/** Totals of a wallet in one currency, in minor units. The wallet always has enough money. */
export interface Balance {
  readonly currency: string;
  readonly paidMinor: bigint;
  readonly refundedMinor: bigint;
  /** The amount that is held for shops and that they have not captured yet. */
  readonly heldMinor: bigint;
}

/** Returns one balance for each currency that was ever used, ordered by currency. */
export function balances(movements: readonly Movement[], orders: readonly Order[]): readonly Balance[] {
  const sums = new Map<string, Balance>();
  const add = ({ currency, value }: Amount, sum: Exclude<keyof Balance, "currency">): void => {
    const before = sums.get(currency) ?? { currency, paidMinor: 0n, refundedMinor: 0n, heldMinor: 0n };
    sums.set(currency, { ...before, [sum]: before[sum] + BigInt(value) });
  };
  for (const { kind, amount } of movements) add(amount, kind === "refund" ? "refundedMinor" : "paidMinor");
  for (const order of orders) {
    const { state, paidAmount } = order;
    if (state === "AUTHORIZED" && paidAmount)
      add({ ...paidAmount, value: String(heldMinor(order)) }, "heldMinor");
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}
