import type { Money } from "../core/money.ts";
import { clearingAccount } from "./bank-effects.ts";
import { payableAccount, type Effect } from "./transfer.ts";

/** A merchant's balance that is held in reserve by its contract. */
export const reserveAccount = (clientId: string): string => `merchant reserve ${clientId}`;
/** A merchant's payouts in transit. */
export const inTransitAccount = (clientId: string): string => `payout in transit ${clientId}`;

/** Holds part of a settlement batch in reserve. */
export function reserveHoldEffect(clientId: string, amount: Money): Effect {
  return {
    name: "reserve hold",
    transfers: [{ debit: payableAccount(clientId), credit: reserveAccount(clientId), amount }],
  };
}

/** Releases a reserve after its days. */
export function reserveReleaseEffect(clientId: string, amount: Money): Effect {
  return {
    name: "reserve release",
    transfers: [{ debit: reserveAccount(clientId), credit: payableAccount(clientId), amount }],
  };
}

/** Starts a payout: the money leaves the merchant's balance, so that no refund can use it. */
export function payoutEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout",
    transfers: [{ debit: payableAccount(clientId), credit: inTransitAccount(clientId), amount }],
  };
}

/** The posting when the bank has executed the payout. */
export function payoutPaidEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout paid",
    transfers: [{ debit: inTransitAccount(clientId), credit: clearingAccount, amount }],
  };
}

/** The posting when the bank has rejected the payout. */
export function payoutFailedEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout failed",
    transfers: [{ debit: inTransitAccount(clientId), credit: payableAccount(clientId), amount }],
  };
}

/** The posting when the merchant's bank has returned the payout. */
export function payoutReturnedEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout returned",
    transfers: [{ debit: clearingAccount, credit: payableAccount(clientId), amount }],
  };
}

/** Effects on a merchant's balance that belong to no settlement batch, because a batch caused them. */
export const effectsAfterBatches = ["exchange", "payout", "payout failed", "payout returned"] as const;
