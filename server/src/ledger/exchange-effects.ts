import type { Money } from "../core/money.ts";
import { clearing, signed, type HouseEffect } from "./bank-effects.ts";
import { pairText, promisedFor, type Pair, type Position } from "./exchange.ts";
import { payable, type Effect } from "./transfer.ts";

/** What merchants changed of a pair, in both of its currencies, until we have sold it. */
export const exchangeOf = (pair: Pair): string => `exchange ${pairText(pair)}`;
const gainAndLoss = "exchange gain and loss";

/** A merchant is owed another currency for what it was owed. Two legs, since no row of the ledger has two currencies. */
export function exchangeEffect(clientId: string, given: Money, got: Money): Effect {
  const account = exchangeOf({ from: given.currency, to: got.currency });
  return {
    name: "exchange",
    transfers: [
      { debit: payable(clientId), credit: account, amount: given },
      { debit: account, credit: payable(clientId), amount: got },
    ],
  };
}

/** A deal with a bank: what we sold, and what we got for it. */
export interface Deal {
  readonly sold: Money;
  readonly bought: Money;
}

/** What a deal does to the books: both sums meet the bank's in clearing, and what we got beyond what was promised is ours. */
export function dealEffects(position: Position, { sold, bought }: Deal): readonly HouseEffect[] {
  const account = exchangeOf({ from: sold.currency, to: bought.currency });
  const gained = { ...bought, minor: bought.minor - promisedFor(position, sold.minor) };
  const effects: readonly HouseEffect[] = [
    { name: "exchange sold", transfer: { debit: account, credit: clearing, amount: sold } },
    { name: "exchange bought", transfer: { debit: clearing, credit: account, amount: bought } },
    { name: "exchange difference", transfer: signed(account, gainAndLoss, gained) },
  ];
  return effects.filter(({ transfer }) => transfer.amount.minor > 0n);
}
