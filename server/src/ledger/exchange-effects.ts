import type { Money } from "../core/money.ts";
import { clearing, signed, type HouseEffect } from "./bank-effects.ts";
import { pairText, promisedFor, type Pair, type Position } from "./exchange.ts";
import { payable, type Effect } from "./transfer.ts";

/** The account of a currency pair for converted amounts that are not traded yet, in both currencies. */
export const exchangeOf = (pair: Pair): string => `exchange ${pairText(pair)}`;
const gainAndLoss = "exchange gain and loss";

/**
 * Converts a merchant's balance to another currency. The posting has two transfers, because a ledger row has one
 * currency.
 */
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

/** An FX deal with a bank: the amounts sold and bought. */
export interface Deal {
  readonly sold: Money;
  readonly bought: Money;
}

/**
 * Returns the postings of a deal: both amounts are posted to `clearing`, and the difference to the amount that was
 * promised to merchants is gain or loss.
 */
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
