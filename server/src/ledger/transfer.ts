import type { Money } from "../core/money.ts";

/** Moves an amount from one account to another; balanced by its shape. */
export interface Transfer {
  readonly debit: string;
  readonly credit: string;
  readonly amount: Money;
}

/** What happened to a subject, once: the name is part of the ledger's key. */
export interface Effect {
  readonly name: EffectName;
  readonly transfers: readonly Transfer[];
}

export type EffectName = "payment" | "late success" | "reversal";

/** What the wallet owes us. */
const receivable = (connector: string): string => `wallet receivable ${connector}`;
/** What we owe the merchant. */
const payable = (clientId: string): string => `merchant payable ${clientId}`;
/** Money of which nobody has said yet whose it is. */
const suspense = "suspense";

export function paymentEffect(clientId: string, connector: string, paid: Money): Effect {
  return {
    name: "payment",
    transfers: [{ debit: receivable(connector), credit: payable(clientId), amount: paid }],
  };
}

/** The merchant was told "no" and keeps that answer, so the money is not the merchant's. */
export function lateSuccessEffect(connector: string, paid: Money): Effect {
  return {
    name: "late success",
    transfers: [{ debit: receivable(connector), credit: suspense, amount: paid }],
  };
}

export function reversalEffect(connector: string, returned: Money): Effect {
  return {
    name: "reversal",
    transfers: [{ debit: suspense, credit: receivable(connector), amount: returned }],
  };
}
