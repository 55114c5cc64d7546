import type { Money } from "../core/money.ts";
import { clearingAccount, signedTransfer, type HouseEffect } from "./bank-effects.ts";
import { formatPair, promisedPart, type CurrencyPair, type FxPosition } from "./currency-conversion.ts";
import { payableAccount, type Effect } from "./transfer.ts";

/** The account of a currency pair for converted amounts that are not traded yet, in both currencies. */
export const conversionAccount = (pair: CurrencyPair): string => `exchange ${formatPair(pair)}`;
const gainAndLossAccount = "exchange gain and loss";

/**
 * Converts a merchant's balance to another currency. The posting has two transfers, because a ledger row has one
 * currency.
 */
export function conversionEffect(clientId: string, sold: Money, bought: Money): Effect {
  const account = conversionAccount({ from: sold.currency, to: bought.currency });
  return {
    name: "exchange",
    transfers: [
      { debit: payableAccount(clientId), credit: account, amount: sold },
      { debit: account, credit: payableAccount(clientId), amount: bought },
    ],
  };
}

/** An FX deal with a bank: the amounts sold and bought. */
export interface FxDeal {
  readonly sold: Money;
  readonly bought: Money;
}

/**
 * Returns the postings of a deal: both amounts are posted to `clearingAccount`, and the difference to the amount that was
 * promised to merchants is gain or loss.
 */
export function buildDealEffects(position: FxPosition, { sold, bought }: FxDeal): readonly HouseEffect[] {
  const account = conversionAccount({ from: sold.currency, to: bought.currency });
  const gain = { ...bought, minor: bought.minor - promisedPart(position, sold.minor) };
  const effects: readonly HouseEffect[] = [
    { name: "exchange sold", transfer: { debit: account, credit: clearingAccount, amount: sold } },
    { name: "exchange bought", transfer: { debit: clearingAccount, credit: account, amount: bought } },
    { name: "exchange difference", transfer: signedTransfer(account, gainAndLossAccount, gain) },
  ];
  return effects.filter(({ transfer }) => transfer.amount.minor > 0n);
}
