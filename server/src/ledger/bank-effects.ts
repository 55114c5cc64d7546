import type { Money } from "../core/money.ts";
import { receivable, type Transfer } from "./transfer.ts";

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
export const clearing = "clearing";
export const bankAccount = (bank: string): string => `bank ${bank}`;
const providerFee = (connector: string): string => `provider fee ${connector}`;
const adjustment = "adjustment";
const rounding = "rounding";

/**
 * Kinds of rows in a provider's file that change the provider's receivable without a payment. They are posted when the
 * file is imported.
 */
export const accountKinds = ["fee", "payout", "adjustment"] as const;
export type AccountKind = (typeof accountKinds)[number];

export function isAccountKind(kind: string): kind is AccountKind {
  return (accountKinds as readonly string[]).includes(kind);
}

/**
 * The posting of such a row: a fee is deducted, a payout is in transit to our bank, an adjustment increases the
 * receivable. A negative amount has the opposite effect.
 */
export function providerEffect(
  connector: string,
  kind: AccountKind,
  { currency, minor }: Money,
): HouseEffect {
  const owed = receivable(connector);
  const effects = {
    fee: { name: "provider fee", debit: providerFee(connector), credit: owed },
    payout: { name: "provider payout", debit: clearing, credit: owed },
    adjustment: { name: "provider adjustment", debit: owed, credit: adjustment },
  } as const;
  const { name, debit, credit } = effects[kind];
  return { name, transfer: signed(debit, credit, { currency, minor }) };
}

/** Posts an entry that a bank booked, against the account `clearing`. */
export function bankEntryEffect(bank: string, added: Money): HouseEffect {
  return { name: "bank entry", transfer: signed(bankAccount(bank), clearing, added) };
}

/**
 * The opening balance of an account's first statement, posted against the account adjustment because its origin is
 * unknown.
 */
export function bankOpeningEffect(bank: string, opening: Money): HouseEffect {
  return { name: "bank opening", transfer: signed(bankAccount(bank), adjustment, opening) };
}

/** Writes off the excess of an account. An excess of one minor unit is a rounding difference. */
export function writeOffEffect(account: string, excess: Money): HouseEffect {
  const isRounding = excess.minor === 1n || excess.minor === -1n;
  return { name: "write-off", transfer: signed(isRounding ? rounding : adjustment, account, excess) };
}

/** Returns a transfer for a signed amount. A transfer is never negative; its direction is reversed instead. */
export function signed(debit: string, credit: string, { currency, minor }: Money): Transfer {
  return minor < 0n
    ? { debit: credit, credit: debit, amount: { currency, minor: -minor } }
    : { debit, credit, amount: { currency, minor } };
}
