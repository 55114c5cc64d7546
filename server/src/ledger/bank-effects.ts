import type { Money } from "../core/money.ts";
import { receivableAccount, type Transfer } from "./transfer.ts";

/** Postings without a merchant. Their rows belong to `house`, and only the operator can read them. */
export type HouseEffectName =
  | "provider fee"
  | "provider payout"
  | "provider adjustment"
  | "bank entry"
  | "bank opening"
  | "write-off"
  | "exchange sold"
  | "exchange bought"
  | "exchange difference";

/** A posting without a merchant; each is one transfer. */
export interface HouseEffect {
  readonly name: HouseEffectName;
  readonly transfer: Transfer;
}

/** Money in transit between a provider or a merchant and our bank. */
export const clearingAccount = "clearing";
export const bankLedgerAccount = (bank: string): string => `bank ${bank}`;
const providerFeeAccount = (connector: string): string => `provider fee ${connector}`;
const adjustmentAccount = "adjustment";
const roundingAccount = "rounding";

/**
 * Kinds of rows in a provider's file that change the provider's receivable without a payment. They are posted when the
 * file is imported.
 */
export const receivableRowKinds = ["fee", "payout", "adjustment"] as const;
export type ReceivableRowKind = (typeof receivableRowKinds)[number];

export function isReceivableRowKind(kind: string): kind is ReceivableRowKind {
  return (receivableRowKinds as readonly string[]).includes(kind);
}

/**
 * The posting of such a row: a fee is deducted, a payout is in transit to our bank, an adjustment increases the
 * receivable. A negative amount has the opposite effect.
 */
export function providerEffect(
  connector: string,
  kind: ReceivableRowKind,
  { currency, minor }: Money,
): HouseEffect {
  const account = receivableAccount(connector);
  const effects = {
    fee: { name: "provider fee", debit: providerFeeAccount(connector), credit: account },
    payout: { name: "provider payout", debit: clearingAccount, credit: account },
    adjustment: { name: "provider adjustment", debit: account, credit: adjustmentAccount },
  } as const;
  const { name, debit, credit } = effects[kind];
  return { name, transfer: signedTransfer(debit, credit, { currency, minor }) };
}

/** Posts an entry that a bank booked, against the account `clearingAccount`. */
export function bankEntryEffect(bank: string, added: Money): HouseEffect {
  return { name: "bank entry", transfer: signedTransfer(bankLedgerAccount(bank), clearingAccount, added) };
}

/**
 * The opening balance of an account's first statement, posted against the account adjustment because its origin is
 * unknown.
 */
export function bankOpeningEffect(bank: string, opening: Money): HouseEffect {
  return {
    name: "bank opening",
    transfer: signedTransfer(bankLedgerAccount(bank), adjustmentAccount, opening),
  };
}

/** Writes off the excess of an account. An excess of one minor unit is a rounding difference. */
export function writeOffEffect(account: string, excess: Money): HouseEffect {
  const isRounding = excess.minor === 1n || excess.minor === -1n;
  return {
    name: "write-off",
    transfer: signedTransfer(isRounding ? roundingAccount : adjustmentAccount, account, excess),
  };
}

/** Returns a transfer for a signed amount. A transfer is never negative; its direction is reversed instead. */
export function signedTransfer(debit: string, credit: string, { currency, minor }: Money): Transfer {
  return minor < 0n
    ? { debit: credit, credit: debit, amount: { currency, minor: -minor } }
    : { debit, credit, amount: { currency, minor } };
}
