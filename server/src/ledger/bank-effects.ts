import type { Money } from "../core/money.ts";
import { receivable, type Transfer } from "./transfer.ts";

/** Effects in which no merchant has a part. They stand under `house`, and nobody but the operator sees them. */
export type HouseEffectName =
  | "wallet fee"
  | "wallet payout"
  | "wallet adjustment"
  | "bank entry"
  | "bank opening"
  | "write-off"
  | "exchange sold"
  | "exchange bought"
  | "exchange difference";

/** A posting of the house: each is one transfer. */
export interface HouseEffect {
  readonly name: HouseEffectName;
  readonly transfer: Transfer;
}

/** Money on its way between a wallet or a merchant and our bank. */
export const clearing = "clearing";
export const bankAccount = (bank: string): string => `bank ${bank}`;
const walletFee = (connector: string): string => `wallet fee ${connector}`;
const adjustment = "adjustment";
const rounding = "rounding";

/** What a wallet does to what it owes us, apart from payments: the kinds of its file that are posted as they are imported. */
export const accountKinds = ["fee", "payout", "adjustment"] as const;
export type AccountKind = (typeof accountKinds)[number];

export function isAccountKind(kind: string): kind is AccountKind {
  return (accountKinds as readonly string[]).includes(kind);
}

/** A fee is kept, a payout is on its way to us, an adjustment adds to what the wallet owes. Below zero it is the other way round. */
export function walletEffect(connector: string, kind: AccountKind, { currency, minor }: Money): HouseEffect {
  const owed = receivable(connector);
  const effects = {
    fee: { name: "wallet fee", debit: walletFee(connector), credit: owed },
    payout: { name: "wallet payout", debit: clearing, credit: owed },
    adjustment: { name: "wallet adjustment", debit: owed, credit: adjustment },
  } as const;
  const { name, debit, credit } = effects[kind];
  return { name, transfer: signed(debit, credit, { currency, minor }) };
}

/** What a bank has booked: it came out of clearing, or went into it. */
export function bankEntryEffect(bank: string, added: Money): HouseEffect {
  return { name: "bank entry", transfer: signed(bankAccount(bank), clearing, added) };
}

/** What was in an account before its first statement: nobody has told where it came from. */
export function bankOpeningEffect(bank: string, opening: Money): HouseEffect {
  return { name: "bank opening", transfer: signed(bankAccount(bank), adjustment, opening) };
}

/** Gives up what an account has too much of. What is only a smallest unit was lost in rounding. */
export function writeOffEffect(account: string, excess: Money): HouseEffect {
  const isRounding = excess.minor === 1n || excess.minor === -1n;
  return { name: "write-off", transfer: signed(isRounding ? rounding : adjustment, account, excess) };
}

/** No transfer is below zero: it then goes the other way. */
export function signed(debit: string, credit: string, { currency, minor }: Money): Transfer {
  return minor < 0n
    ? { debit: credit, credit: debit, amount: { currency, minor: -minor } }
    : { debit, credit, amount: { currency, minor } };
}
