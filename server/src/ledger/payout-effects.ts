import type { Money } from "../core/money.ts";
import { clearing } from "./bank-effects.ts";
import { payable, type Effect } from "./transfer.ts";

/** What we owe the merchant, kept back for a time by its contract. */
export const reserveOf = (clientId: string): string => `merchant reserve ${clientId}`;
/** What is on its way to the merchant's bank. */
export const inTransit = (clientId: string): string => `payout in transit ${clientId}`;

/** Part of a batch is kept back. */
export function reserveHoldEffect(clientId: string, amount: Money): Effect {
  return {
    name: "reserve hold",
    transfers: [{ debit: payable(clientId), credit: reserveOf(clientId), amount }],
  };
}

/** Its time is over. */
export function reserveReleaseEffect(clientId: string, amount: Money): Effect {
  return {
    name: "reserve release",
    transfers: [{ debit: reserveOf(clientId), credit: payable(clientId), amount }],
  };
}

/** From here on nothing else can be done with the money: no refund is paid of it. */
export function payoutEffect(clientId: string, amount: Money): Effect {
  return { name: "payout", transfers: [{ debit: payable(clientId), credit: inTransit(clientId), amount }] };
}

/** The bank has executed it. */
export function payoutPaidEffect(clientId: string, amount: Money): Effect {
  return { name: "payout paid", transfers: [{ debit: inTransit(clientId), credit: clearing, amount }] };
}

/** The bank has not, and will not. */
export function payoutFailedEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout failed",
    transfers: [{ debit: inTransit(clientId), credit: payable(clientId), amount }],
  };
}

/** The merchant's bank has sent it back. */
export function payoutReturnedEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout returned",
    transfers: [{ debit: clearing, credit: payable(clientId), amount }],
  };
}

/** What changes what we owe a merchant, and is in no batch: it is what became of one. */
export const effectsAfterBatches = ["exchange", "payout", "payout failed", "payout returned"] as const;
