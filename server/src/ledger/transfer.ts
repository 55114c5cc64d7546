import type { Money } from "../core/money.ts";
import { feeOn, feeOnPart, noRefundFee, type Fee, type FeeTerms, type RefundFee } from "./fee.ts";

/** Double entry: moves an amount from one account to another, so it balances by its shape. */
export interface Transfer {
  readonly debit: string;
  readonly credit: string;
  readonly amount: Money;
}

/** A posting, once for each subject: its name is part of the ledger's unique key. */
export interface Effect {
  readonly name: EffectName;
  readonly transfers: readonly Transfer[];
}

export type EffectName =
  | "payment"
  | "capture"
  | "refund"
  | "cancel"
  | "late success"
  | "reversal"
  | "dispute freeze"
  | "dispute release"
  | "dispute debit"
  | "reserve hold"
  | "reserve release"
  | "exchange"
  | "payout"
  | "payout paid"
  | "payout failed"
  | "payout returned";

/** What we owe the merchant. Every account has its place in `account.ts`. */
export const payable = (clientId: string): string => `merchant payable ${clientId}`;
/** What we owe the merchant, and keep back for as long as it is disputed. */
export const frozenOf = (clientId: string): string => `merchant frozen ${clientId}`;
/** What the wallet owes us. */
export const receivable = (connector: string): string => `wallet receivable ${connector}`;
/** What the merchant pays us for our work. */
const feeRevenue = "fee revenue";
/** Tax on it, which is not ours. */
const taxPayable = "tax payable";
/** Money whose owner is not decided yet. */
const suspense = "suspense";

/** The buyer has paid, and the money is the merchant's, less our fee. */
export function paymentEffect(clientId: string, connector: string, paid: Money, terms: FeeTerms): Effect {
  return { name: "payment", transfers: taken(clientId, connector, paid, feeOn(terms, paid.minor)) };
}

/** A capture, of a payment of which some was taken before. Held money is still the buyer's, so it is in no account before. */
export function captureEffect(
  clientId: string,
  connector: string,
  captured: Money,
  { terms, takenBeforeMinor }: { readonly terms: FeeTerms; readonly takenBeforeMinor: bigint },
): Effect {
  const fee = feeOnPart(terms, takenBeforeMinor, captured.minor);
  return { name: "capture", transfers: taken(clientId, connector, captured, fee) };
}

/** The buyer gets it back, and the merchant what its terms return of the fee, less what a refund costs. */
export function refundEffect(
  clientId: string,
  connector: string,
  refunded: Money,
  { returned, charged }: RefundFee = noRefundFee,
): Effect {
  const given = { debit: payable(clientId), credit: receivable(connector), amount: refunded };
  const back = undone(feeTransfers(clientId, refunded.currency, returned));
  return {
    name: "refund",
    transfers: [given, ...back, ...feeTransfers(clientId, refunded.currency, charged)],
  };
}

/** As if the payment had never been made, the fee included. */
export function cancelEffect(clientId: string, connector: string, paid: Money, terms: FeeTerms): Effect {
  return {
    name: "cancel",
    transfers: undone(taken(clientId, connector, paid, feeOn(terms, paid.minor))),
  };
}

/** Late success: the merchant was told "no", so the money is not the merchant's. */
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

/** Freezes disputed money until the dispute is decided. The merchant's balance may become negative. */
export function disputeFreezeEffect(clientId: string, frozen: Money): Effect {
  return {
    name: "dispute freeze",
    transfers: [{ debit: payable(clientId), credit: frozenOf(clientId), amount: frozen }],
  };
}

/** The merchant keeps it after all. */
export function disputeReleaseEffect(clientId: string, frozen: Money): Effect {
  return {
    name: "dispute release",
    transfers: [{ debit: frozenOf(clientId), credit: payable(clientId), amount: frozen }],
  };
}

/** The buyer gets it back from the wallet, of what was frozen first; what was frozen beyond that is let go. */
export function disputeDebitEffect(
  clientId: string,
  connector: string,
  { frozen, debited }: { readonly frozen: Money; readonly debited: Money },
): Effect {
  const { currency } = debited;
  const fromFrozen = frozen.minor < debited.minor ? frozen.minor : debited.minor;
  const transfers = [
    { debit: frozenOf(clientId), credit: receivable(connector), minor: fromFrozen },
    { debit: payable(clientId), credit: receivable(connector), minor: debited.minor - fromFrozen },
    { debit: frozenOf(clientId), credit: payable(clientId), minor: frozen.minor - fromFrozen },
  ];
  return {
    name: "dispute debit",
    transfers: transfers
      .filter(({ minor }) => minor > 0n)
      .map(({ debit, credit, minor }) => ({ debit, credit, amount: { currency, minor } })),
  };
}

function taken(clientId: string, connector: string, amount: Money, fee: Fee): readonly Transfer[] {
  return [
    { debit: receivable(connector), credit: payable(clientId), amount },
    ...feeTransfers(clientId, amount.currency, fee),
  ];
}

/** One transfer for the fee and one for its tax; none of zero. */
function feeTransfers(
  clientId: string,
  currency: Money["currency"],
  { feeMinor, taxMinor }: Fee,
): readonly Transfer[] {
  const debit = payable(clientId);
  return [
    { debit, credit: feeRevenue, amount: { currency, minor: feeMinor } },
    { debit, credit: taxPayable, amount: { currency, minor: taxMinor } },
  ].filter(({ amount }) => amount.minor > 0n);
}

function undone(transfers: readonly Transfer[]): readonly Transfer[] {
  return transfers.map(({ debit, credit, amount }) => ({ debit: credit, credit: debit, amount }));
}

/** What a transfer changes in what we owe the merchant, in minor units. */
export function owedChange({ debit, credit, amount: { minor } }: Transfer, clientId: string): bigint {
  const account = payable(clientId);
  return (credit === account ? minor : 0n) - (debit === account ? minor : 0n);
}

/** `feesOf` sums the fees and their tax that transfers take of a merchant, less what they return; zero if they return more. */
export function feesOf(transfers: readonly Transfer[], clientId: string): bigint {
  const account = payable(clientId);
  const isFee = (other: string): boolean => other === feeRevenue || other === taxPayable;
  const sum = transfers.reduce((minor, { debit, credit, amount }) => {
    if (debit === account && isFee(credit)) return minor + amount.minor;
    return credit === account && isFee(debit) ? minor - amount.minor : minor;
  }, 0n);
  return sum > 0n ? sum : 0n;
}

/** A transfer as it stands in the books: which record caused it, how, and when. */
export interface PostedTransfer extends Transfer {
  readonly subjectId: string;
  readonly effect: EffectName;
  readonly line: number;
  readonly at: Date;
}
