import type { Money } from "../core/money.ts";
import { clearing } from "./bank-effects.ts";
import { payable, type Effect } from "./transfer.ts";

/** A merchant's balance that is held in reserve by its contract. */
export const reserveOf = (clientId: string): string => `merchant reserve ${clientId}`;
/** A merchant's payouts in transit. */
export const inTransit = (clientId: string): string => `payout in transit ${clientId}`;

/** Holds part of a settlement batch in reserve. */
export function reserveHoldEffect(clientId: string, amount: Money): Effect {
  return {
    name: "reserve hold",
    transfers: [{ debit: payable(clientId), credit: reserveOf(clientId), amount }],
  };
}

/** Releases a reserve after its days. */
export function reserveReleaseEffect(clientId: string, amount: Money): Effect {
  return {
    name: "reserve release",
    transfers: [{ debit: reserveOf(clientId), credit: payable(clientId), amount }],
  };
}

/** Starts a payout: the money leaves the merchant's balance, so that no refund can use it. */
export function payoutEffect(clientId: string, amount: Money): Effect {
  return { name: "payout", transfers: [{ debit: payable(clientId), credit: inTransit(clientId), amount }] };
}

/** The posting when the bank has executed the payout. */
export function payoutPaidEffect(clientId: string, amount: Money): Effect {
  return { name: "payout paid", transfers: [{ debit: inTransit(clientId), credit: clearing, amount }] };
}

/** The posting when the bank has rejected the payout. */
export function payoutFailedEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout failed",
    transfers: [{ debit: inTransit(clientId), credit: payable(clientId), amount }],
  };
}

/** The posting when the merchant's bank has returned the payout. */
export function payoutReturnedEffect(clientId: string, amount: Money): Effect {
  return {
    name: "payout returned",
    transfers: [{ debit: clearing, credit: payable(clientId), amount }],
  };
}

/** Effects on a merchant's balance that belong to no settlement batch, because a batch caused them. */
export const effectsAfterBatches = ["exchange", "payout", "payout failed", "payout returned"] as const;
