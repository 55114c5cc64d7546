import type { Money } from "../core/money.ts";
import { feeOn, feeOnPart, noRefundFee, type Fee, type FeeTerms, type RefundFee } from "./fee.ts";

/** A double-entry transfer: moves an amount from one account to another, so it always balances. */
export interface Transfer {
  readonly debit: string;
  readonly credit: string;
  readonly amount: Money;
}

/** A posting to the ledger, at most once per record: its name is part of the ledger's unique key. */
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

/** Account of a merchant's balance. All accounts are in `account.ts`. */
export const payable = (clientId: string): string => `merchant payable ${clientId}`;
/** Account of a merchant's balance that is frozen while it is disputed. */
export const frozenOf = (clientId: string): string => `merchant frozen ${clientId}`;
/** Account of a provider's receivable. */
export const receivable = (connector: string): string => `provider receivable ${connector}`;
/** Account of our fees from merchants. */
const feeRevenue = "fee revenue";
/** Account of the tax on our fees, which we owe the tax office. */
const taxPayable = "tax payable";
/** Account of money whose owner is not known yet. */
const suspense = "suspense";

/** The posting of a payment: the paid amount minus our fee is credited to the merchant. */
export function paymentEffect(clientId: string, connector: string, paid: Money, terms: FeeTerms): Effect {
  return { name: "payment", transfers: taken(clientId, connector, paid, feeOn(terms, paid.minor)) };
}

/**
 * The posting of a capture after earlier captures of the payment. An authorization hold has no ledger rows, because the
 * money still belongs to the buyer.
 */
export function captureEffect(
  clientId: string,
  connector: string,
  captured: Money,
  { terms, takenBeforeMinor }: { readonly terms: FeeTerms; readonly takenBeforeMinor: bigint },
): Effect {
  const fee = feeOnPart(terms, takenBeforeMinor, captured.minor);
  return { name: "capture", transfers: taken(clientId, connector, captured, fee) };
}

/**
 * The posting of a refund to the buyer. The merchant gets back the part of the fee that the payment's terms return,
 * minus the refund's fee.
 */
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

/** The posting of a cancel, which reverses the payment completely, with its fee. */
export function cancelEffect(clientId: string, connector: string, paid: Money, terms: FeeTerms): Effect {
  return {
    name: "cancel",
    transfers: undone(taken(clientId, connector, paid, feeOn(terms, paid.minor))),
  };
}

/**
 * The posting of a late success: the merchant was notified of a failure, so the money is not credited to the merchant.
 */
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

/** Freezes a disputed amount until the dispute is decided. The merchant's balance may become negative. */
export function disputeFreezeEffect(clientId: string, frozen: Money): Effect {
  return {
    name: "dispute freeze",
    transfers: [{ debit: payable(clientId), credit: frozenOf(clientId), amount: frozen }],
  };
}

/** The merchant won the dispute. */
export function disputeReleaseEffect(clientId: string, frozen: Money): Effect {
  return {
    name: "dispute release",
    transfers: [{ debit: frozenOf(clientId), credit: payable(clientId), amount: frozen }],
  };
}

/**
 * The posting of a dispute that the merchant lost: the provider returns the amount to the buyer, from the frozen amount
 * first. The rest of the frozen amount is released.
 */
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

/** The transfers of a fee: one for the fee and one for its tax; none for zero. */
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

/** Returns the change of the merchant's balance by a transfer, in minor units. */
export function owedChange({ debit, credit, amount: { minor } }: Transfer, clientId: string): bigint {
  const account = payable(clientId);
  return (credit === account ? minor : 0n) - (debit === account ? minor : 0n);
}

/**
 * `feesOf` sums the fees and taxes that transfers debit from a merchant, minus returned ones; zero if more is
 * returned.
 */
export function feesOf(transfers: readonly Transfer[], clientId: string): bigint {
  const account = payable(clientId);
  const isFee = (other: string): boolean => other === feeRevenue || other === taxPayable;
  const sum = transfers.reduce((minor, { debit, credit, amount }) => {
    if (debit === account && isFee(credit)) return minor + amount.minor;
    return credit === account && isFee(debit) ? minor - amount.minor : minor;
  }, 0n);
  return sum > 0n ? sum : 0n;
}

/** A posted transfer with its record, effect and time. */
export interface PostedTransfer extends Transfer {
  readonly subjectId: string;
  readonly effect: EffectName;
  readonly line: number;
  readonly at: Date;
}
