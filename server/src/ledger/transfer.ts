import type { Money } from "../core/money.ts";
import {
  calculateFee,
  calculateCaptureFee,
  noRefundFee,
  type Fee,
  type FeeTerms,
  type RefundFee,
} from "./fee.ts";

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
  | "refund reversal"
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
export const payableAccount = (clientId: string): string => `merchant payable ${clientId}`;
/** Account of a merchant's balance that is frozen while it is disputed. */
export const frozenAccount = (clientId: string): string => `merchant frozen ${clientId}`;
/** Account of a provider's receivable. */
export const receivableAccount = (connector: string): string => `provider receivable ${connector}`;
/** Account of our fees from merchants. */
const feeRevenueAccount = "fee revenue";
/** Account of the tax on our fees, which we owe the tax office. */
const taxPayableAccount = "tax payable";
/** Account of money whose owner is not known yet. */
const suspenseAccount = "suspense";

/** The posting of a payment: the paid amount minus our fee is credited to the merchant. */
export function paymentEffect(clientId: string, connector: string, paid: Money, terms: FeeTerms): Effect {
  return {
    name: "payment",
    transfers: buildCaptureTransfers(clientId, connector, paid, calculateFee(terms, paid.minor)),
  };
}

/**
 * The posting of a capture after earlier captures of the payment. An authorization hold has no ledger rows, because the
 * money still belongs to the buyer.
 */
export function captureEffect(
  clientId: string,
  connector: string,
  captured: Money,
  { terms, capturedBeforeMinor }: { readonly terms: FeeTerms; readonly capturedBeforeMinor: bigint },
): Effect {
  const fee = calculateCaptureFee(terms, capturedBeforeMinor, captured.minor);
  return { name: "capture", transfers: buildCaptureTransfers(clientId, connector, captured, fee) };
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
  const refundTransfer = {
    debit: payableAccount(clientId),
    credit: receivableAccount(connector),
    amount: refunded,
  };
  const returnedFeeTransfers = reverseTransfers(buildFeeTransfers(clientId, refunded.currency, returned));
  return {
    name: "refund",
    transfers: [
      refundTransfer,
      ...returnedFeeTransfers,
      ...buildFeeTransfers(clientId, refunded.currency, charged),
    ],
  };
}

/** The posting of a refund that failed after it succeeded: it reverses the refund's posting, with its fees. */
export function refundReversalEffect(
  ...[clientId, connector, refunded, fee]: Parameters<typeof refundEffect>
): Effect {
  return {
    name: "refund reversal",
    transfers: reverseTransfers(refundEffect(clientId, connector, refunded, fee).transfers),
  };
}

/**
 * The posting of a cancel or a late success's return that failed after it succeeded. The payment is final without this
 * money, so the money is in suspense until an operator decides.
 */
export function returnedReversalEffect(connector: string, returned: Money): Effect {
  return {
    name: "refund reversal",
    transfers: [{ debit: receivableAccount(connector), credit: suspenseAccount, amount: returned }],
  };
}

/** The posting of a cancel, which reverses the payment completely, with its fee. */
export function cancelEffect(clientId: string, connector: string, paid: Money, terms: FeeTerms): Effect {
  return {
    name: "cancel",
    transfers: reverseTransfers(
      buildCaptureTransfers(clientId, connector, paid, calculateFee(terms, paid.minor)),
    ),
  };
}

/**
 * The posting of a late success: the merchant was notified of a failure, so the money is not credited to the merchant.
 */
export function lateSuccessEffect(connector: string, paid: Money): Effect {
  return {
    name: "late success",
    transfers: [{ debit: receivableAccount(connector), credit: suspenseAccount, amount: paid }],
  };
}

export function reversalEffect(connector: string, returned: Money): Effect {
  return {
    name: "reversal",
    transfers: [{ debit: suspenseAccount, credit: receivableAccount(connector), amount: returned }],
  };
}

/** Freezes a disputed amount until the dispute is decided. The merchant's balance may become negative. */
export function disputeFreezeEffect(clientId: string, frozen: Money): Effect {
  return {
    name: "dispute freeze",
    transfers: [{ debit: payableAccount(clientId), credit: frozenAccount(clientId), amount: frozen }],
  };
}

/** The merchant won the dispute. */
export function disputeReleaseEffect(clientId: string, frozen: Money): Effect {
  return {
    name: "dispute release",
    transfers: [{ debit: frozenAccount(clientId), credit: payableAccount(clientId), amount: frozen }],
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
    { debit: frozenAccount(clientId), credit: receivableAccount(connector), minor: fromFrozen },
    {
      debit: payableAccount(clientId),
      credit: receivableAccount(connector),
      minor: debited.minor - fromFrozen,
    },
    { debit: frozenAccount(clientId), credit: payableAccount(clientId), minor: frozen.minor - fromFrozen },
  ];
  return {
    name: "dispute debit",
    transfers: transfers
      .filter(({ minor }) => minor > 0n)
      .map(({ debit, credit, minor }) => ({ debit, credit, amount: { currency, minor } })),
  };
}

function buildCaptureTransfers(
  clientId: string,
  connector: string,
  amount: Money,
  fee: Fee,
): readonly Transfer[] {
  return [
    { debit: receivableAccount(connector), credit: payableAccount(clientId), amount },
    ...buildFeeTransfers(clientId, amount.currency, fee),
  ];
}

/** The transfers of a fee: one for the fee and one for its tax; none for zero. */
function buildFeeTransfers(
  clientId: string,
  currency: Money["currency"],
  { feeMinor, taxMinor }: Fee,
): readonly Transfer[] {
  const debit = payableAccount(clientId);
  return [
    { debit, credit: feeRevenueAccount, amount: { currency, minor: feeMinor } },
    { debit, credit: taxPayableAccount, amount: { currency, minor: taxMinor } },
  ].filter(({ amount }) => amount.minor > 0n);
}

function reverseTransfers(transfers: readonly Transfer[]): readonly Transfer[] {
  return transfers.map(({ debit, credit, amount }) => ({ debit: credit, credit: debit, amount }));
}

/** Returns the change of the merchant's balance by a transfer, in minor units. */
export function owedChange({ debit, credit, amount: { minor } }: Transfer, clientId: string): bigint {
  const account = payableAccount(clientId);
  return (credit === account ? minor : 0n) - (debit === account ? minor : 0n);
}

/**
 * `sumFees` sums the fees and taxes that transfers debit from a merchant, minus returned ones; zero if more is
 * returned.
 */
export function sumFees(transfers: readonly Transfer[], clientId: string): bigint {
  const account = payableAccount(clientId);
  const isFee = (other: string): boolean => other === feeRevenueAccount || other === taxPayableAccount;
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
