import type { Money } from "../core/money.ts";

/** Money from two nullable columns. The driver returns a bigint as text. */
export function toMoney(currency: string | null, minor: string | null): Money | undefined {
  return currency === null || minor === null ? undefined : { currency, minor: BigInt(minor) };
}
