import assert from "node:assert/strict";
import { divideHalfEven } from "../core/divide-half-even.ts";

/**
 * The part of our fee that a refund returns. "keep": nothing. "return rate": the rate's part in proportion, without the
 * fixed part and the minimum. "return all": the whole fee in proportion.
 */
export type RefundPolicy = "keep" | "return rate" | "return all";

/** The fee terms of a payment. Amounts are in minor units of the payment's currency, rates in millionths. */
export interface FeeTerms {
  /** The fee rule of the terms; undefined for the plain rate in a merchant's settings. */
  readonly ruleId: string | undefined;
  readonly rateMillionths: bigint;
  readonly fixedMinor: bigint;
  readonly minimumMinor: bigint;
  readonly maximumMinor: bigint | undefined;
  /** The tax rate on the fee; the tax is added to the fee. */
  readonly taxMillionths: bigint;
  readonly refundPolicy: RefundPolicy;
  /** Fixed fee for each refund. */
  readonly refundFixedMinor: bigint;
}

/** A fee and its tax. */
export interface Fee {
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
}

/** The fee changes by a refund: the returned part of the payment's fee, and the fee of the refund itself. */
export interface RefundFee {
  readonly returned: Fee;
  readonly charged: Fee;
}

const million = 1_000_000n;
const noFee: Fee = { feeMinor: 0n, taxMinor: 0n };
export const noRefundFee: RefundFee = { returned: noFee, charged: noFee };

/** The fee terms of the plain rate in a merchant's settings, for a payment without a fee rule. */
export function flatRateTerms(basisPoints: number): FeeTerms {
  return {
    ruleId: undefined,
    rateMillionths: BigInt(basisPoints) * 100n,
    fixedMinor: 0n,
    minimumMinor: 0n,
    maximumMinor: undefined,
    taxMillionths: 0n,
    refundPolicy: "keep",
    refundFixedMinor: 0n,
  };
}

/**
 * Returns the fee terms of a payment: the terms of its rule, or the rate of its merchant when the payment was created.
 */
export function paymentFeeTerms(payment: {
  readonly feeTerms: string | undefined;
  readonly feeBasisPoints: number;
}): FeeTerms {
  return payment.feeTerms === undefined
    ? flatRateTerms(payment.feeBasisPoints)
    : parseFeeTerms(payment.feeTerms);
}

/**
 * Returns the fee on the captured amount of a payment. The rate's part is rounded down, in the merchant's favour; tax
 * is rounded half to even (banker's rounding). Fee and tax together never exceed the captured amount.
 */
export function calculateFee(terms: FeeTerms, capturedMinor: bigint): Fee {
  if (capturedMinor === 0n) return noFee;
  const { fixedMinor, minimumMinor, maximumMinor } = terms;
  const uncappedMinor = larger(applyRate(terms, capturedMinor) + fixedMinor, minimumMinor);
  const feeMinor = smaller(
    smaller(uncappedMinor, maximumMinor ?? uncappedMinor),
    largestFeeWithin(terms, capturedMinor),
  );
  return { feeMinor, taxMinor: calculateTax(terms, feeMinor) };
}

/**
 * Returns the fee on a capture, which is the increase of the fee on all captures. So in any order the fees of all
 * captures sum to the fee of the total, without rounding losses, and the fixed part and the minimum are charged once.
 */
export function calculateCaptureFee(terms: FeeTerms, capturedBeforeMinor: bigint, partMinor: bigint): Fee {
  return difference(
    calculateFee(terms, capturedBeforeMinor + partMinor),
    calculateFee(terms, capturedBeforeMinor),
  );
}

/**
 * Returns the fee changes by a refund. The calculation uses the sum of all refunds, so a full refund returns the
 * policy's whole part. The returned fee is rounded down; the remaining tax is the tax on the remaining fee.
 */
export function calculateRefundFee(
  terms: FeeTerms,
  sums: {
    /** The captured amount. */
    readonly capturedMinor: bigint;
    /** The sum of this refund and earlier ones, in minor units. */
    readonly refundedMinor: bigint;
    /** The fee that earlier refunds returned, including pending ones; undefined if there were none. */
    readonly returned?: Fee | undefined;
  },
): RefundFee {
  const { capturedMinor, refundedMinor, returned: alreadyReturned = noFee } = sums;
  assert(capturedMinor > 0n && refundedMinor <= capturedMinor, "refunds cannot exceed the captured amount");
  const captureFee = calculateFee(terms, capturedMinor);
  const dueMinor =
    (returnableFeeMinor(terms, capturedMinor, captureFee.feeMinor) * refundedMinor) / capturedMinor;
  const feeMinor = larger(dueMinor - alreadyReturned.feeMinor, 0n);
  const remainingTaxMinor = calculateTax(terms, captureFee.feeMinor - alreadyReturned.feeMinor - feeMinor);
  // An earlier refund may have failed since, so less tax than calculated remains; the result is at least zero.
  const taxMinor = larger(captureFee.taxMinor - remainingTaxMinor - alreadyReturned.taxMinor, 0n);
  const chargedMinor = terms.refundFixedMinor;
  return {
    returned: { feeMinor, taxMinor },
    charged: { feeMinor: chargedMinor, taxMinor: calculateTax(terms, chargedMinor) },
  };
}

/** Returns the balance change of a refund: the amount and its fee changes. The result is never negative. */
export function refundCost(amountMinor: bigint, { returned, charged }: RefundFee): bigint {
  return larger(amountMinor - sumFee(returned) + sumFee(charged), 0n);
}

/** Returns the balance change of a cancel: the paid amount minus the returned fee and tax. */
export function calculateCancelCost(paidMinor: bigint, terms: FeeTerms): bigint {
  return larger(paidMinor - sumFee(calculateFee(terms, paidMinor)), 0n);
}

function sumFee({ feeMinor, taxMinor }: Fee): bigint {
  return feeMinor + taxMinor;
}

function difference(now: Fee, before: Fee): Fee {
  return { feeMinor: now.feeMinor - before.feeMinor, taxMinor: now.taxMinor - before.taxMinor };
}

function returnableFeeMinor(terms: FeeTerms, capturedMinor: bigint, feeMinor: bigint): bigint {
  switch (terms.refundPolicy) {
    case "keep":
      return 0n;
    case "return rate":
      return smaller(applyRate(terms, capturedMinor), larger(feeMinor - terms.fixedMinor, 0n));
    case "return all":
      return feeMinor;
  }
}

function applyRate({ rateMillionths }: FeeTerms, minor: bigint): bigint {
  return (minor * rateMillionths) / million;
}

function calculateTax({ taxMillionths }: FeeTerms, feeMinor: bigint): bigint {
  return divideHalfEven(feeMinor * taxMillionths, million);
}

/**
 * Returns the largest fee that, with its tax, does not exceed an amount. A division gives the fee, with a correction of
 * at most one unit for rounding.
 */
function largestFeeWithin(terms: FeeTerms, minor: bigint): bigint {
  const isWithin = (feeMinor: bigint): boolean => feeMinor + calculateTax(terms, feeMinor) <= minor;
  let feeMinor = (minor * million) / (million + terms.taxMillionths);
  while (isWithin(feeMinor + 1n)) feeMinor += 1n;
  while (!isWithin(feeMinor)) feeMinor -= 1n;
  return feeMinor;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

const policyCodes = { K: "keep", R: "return rate", A: "return all" } as const;

/** Writes fee terms in a short text, because every payment stores it. */
export function formatFeeTerms(terms: FeeTerms): string {
  const { ruleId, rateMillionths, fixedMinor, minimumMinor, maximumMinor, taxMillionths, refundFixedMinor } =
    terms;
  const [policyCode] = Object.entries(policyCodes).find(([, policy]) => policy === terms.refundPolicy) ?? [];
  const sums = [rateMillionths, fixedMinor, minimumMinor, maximumMinor ?? "", taxMillionths];
  return [ruleId ?? "", ...sums, policyCode, refundFixedMinor].join(":");
}

/**
 * Parses fee terms; throws if the text is invalid, because a payment with unreadable terms must not be booked without a
 * fee.
 */
export function parseFeeTerms(text: string): FeeTerms {
  const match = /^([^:]*):(\d+):(\d+):(\d+):(\d*):(\d+):([KRA]):(\d+)$/.exec(text);
  assert(match, `invalid fee terms: ${text}`);
  const [
    ,
    ruleId = "",
    rate = "",
    fixed = "",
    minimum = "",
    maximum = "",
    tax = "",
    policyCode = "",
    refundFixed = "",
  ] = match;
  return {
    ruleId: ruleId || undefined,
    rateMillionths: BigInt(rate),
    fixedMinor: BigInt(fixed),
    minimumMinor: BigInt(minimum),
    maximumMinor: maximum === "" ? undefined : BigInt(maximum),
    taxMillionths: BigInt(tax),
    refundPolicy: policyCodes[policyCode as keyof typeof policyCodes],
    refundFixedMinor: BigInt(refundFixed),
  };
}
