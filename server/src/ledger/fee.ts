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
const none: Fee = { feeMinor: 0n, taxMinor: 0n };
export const noRefundFee: RefundFee = { returned: none, charged: none };

/** The fee terms of the plain rate in a merchant's settings, for a payment without a fee rule. */
export function termsAtRate(basisPoints: number): FeeTerms {
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
export function feeTermsOf(payment: {
  readonly feeTerms: string | undefined;
  readonly feeBasisPoints: number;
}): FeeTerms {
  return payment.feeTerms === undefined
    ? termsAtRate(payment.feeBasisPoints)
    : readFeeTerms(payment.feeTerms);
}

/**
 * Returns the fee on the captured amount of a payment. The rate's part is rounded down, in the merchant's favour; tax
 * is rounded half to even (banker's rounding). Fee and tax together never exceed the captured amount.
 */
export function feeOn(terms: FeeTerms, takenMinor: bigint): Fee {
  if (takenMinor === 0n) return none;
  const { fixedMinor, minimumMinor, maximumMinor } = terms;
  const asked = largest(byRate(terms, takenMinor) + fixedMinor, minimumMinor);
  const feeMinor = smallest(smallest(asked, maximumMinor ?? asked), largestFeeWithin(terms, takenMinor));
  return { feeMinor, taxMinor: taxOn(terms, feeMinor) };
}

/**
 * Returns the fee on a capture, which is the increase of the fee on all captures. So in any order the fees of all
 * captures sum to the fee of the total, without rounding losses, and the fixed part and the minimum are charged once.
 */
export function feeOnPart(terms: FeeTerms, takenBeforeMinor: bigint, partMinor: bigint): Fee {
  return difference(feeOn(terms, takenBeforeMinor + partMinor), feeOn(terms, takenBeforeMinor));
}

/**
 * Returns the fee changes by a refund. The calculation uses the sum of all refunds, so a full refund returns the
 * policy's whole part. The returned fee is rounded down; the remaining tax is the tax on the remaining fee.
 */
export function feeOfRefund(
  terms: FeeTerms,
  sums: {
    /** The captured amount. */
    readonly takenMinor: bigint;
    /** The sum of this refund and earlier ones, in minor units. */
    readonly refundedMinor: bigint;
    /** The fee that earlier refunds returned, including pending ones; undefined if there were none. */
    readonly returned?: Fee | undefined;
  },
): RefundFee {
  const { takenMinor, refundedMinor, returned: earlier = none } = sums;
  assert(takenMinor > 0n && refundedMinor <= takenMinor, "refunds cannot exceed the captured amount");
  const taken = feeOn(terms, takenMinor);
  const dueMinor = (returnable(terms, takenMinor, taken.feeMinor) * refundedMinor) / takenMinor;
  const feeMinor = largest(dueMinor - earlier.feeMinor, 0n);
  const taxStays = taxOn(terms, taken.feeMinor - earlier.feeMinor - feeMinor);
  // An earlier refund may have failed since, so less tax than calculated remains; the result is at least zero.
  const taxMinor = largest(taken.taxMinor - taxStays - earlier.taxMinor, 0n);
  const chargedMinor = terms.refundFixedMinor;
  return {
    returned: { feeMinor, taxMinor },
    charged: { feeMinor: chargedMinor, taxMinor: taxOn(terms, chargedMinor) },
  };
}

/** Returns the balance change of a refund: the amount and its fee changes. The result is never negative. */
export function refundCost(amountMinor: bigint, { returned, charged }: RefundFee): bigint {
  return largest(amountMinor - totalOf(returned) + totalOf(charged), 0n);
}

/** Returns the balance change of a cancel: the paid amount minus the returned fee and tax. */
export function cancelCostOf(paidMinor: bigint, terms: FeeTerms): bigint {
  return largest(paidMinor - totalOf(feeOn(terms, paidMinor)), 0n);
}

function totalOf({ feeMinor, taxMinor }: Fee): bigint {
  return feeMinor + taxMinor;
}

function difference(now: Fee, before: Fee): Fee {
  return { feeMinor: now.feeMinor - before.feeMinor, taxMinor: now.taxMinor - before.taxMinor };
}

function returnable(terms: FeeTerms, takenMinor: bigint, feeMinor: bigint): bigint {
  switch (terms.refundPolicy) {
    case "keep":
      return 0n;
    case "return rate":
      return smallest(byRate(terms, takenMinor), largest(feeMinor - terms.fixedMinor, 0n));
    case "return all":
      return feeMinor;
  }
}

function byRate({ rateMillionths }: FeeTerms, minor: bigint): bigint {
  return (minor * rateMillionths) / million;
}

function taxOn({ taxMillionths }: FeeTerms, feeMinor: bigint): bigint {
  return divideHalfEven(feeMinor * taxMillionths, million);
}

/**
 * Returns the largest fee that, with its tax, does not exceed an amount. A division gives the fee, with a correction of
 * at most one unit for rounding.
 */
function largestFeeWithin(terms: FeeTerms, minor: bigint): bigint {
  const isWithin = (feeMinor: bigint): boolean => feeMinor + taxOn(terms, feeMinor) <= minor;
  let feeMinor = (minor * million) / (million + terms.taxMillionths);
  while (isWithin(feeMinor + 1n)) feeMinor += 1n;
  while (!isWithin(feeMinor)) feeMinor -= 1n;
  return feeMinor;
}

function smallest(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

const policyLetters = { K: "keep", R: "return rate", A: "return all" } as const;

/** Writes fee terms in a short text, because every payment stores it. */
export function writeFeeTerms(terms: FeeTerms): string {
  const { ruleId, rateMillionths, fixedMinor, minimumMinor, maximumMinor, taxMillionths, refundFixedMinor } =
    terms;
  const [letter] = Object.entries(policyLetters).find(([, policy]) => policy === terms.refundPolicy) ?? [];
  const sums = [rateMillionths, fixedMinor, minimumMinor, maximumMinor ?? "", taxMillionths];
  return [ruleId ?? "", ...sums, letter, refundFixedMinor].join(":");
}

/**
 * Parses fee terms; throws if the text is invalid, because a payment with unreadable terms must not be booked without a
 * fee.
 */
export function readFeeTerms(written: string): FeeTerms {
  const found = /^([^:]*):(\d+):(\d+):(\d+):(\d*):(\d+):([KRA]):(\d+)$/.exec(written);
  assert(found, `invalid fee terms: ${written}`);
  const [, ruleId = "", rate = "", fixed = "", minimum = "", maximum = "", tax = "", letter = "", each = ""] =
    found;
  return {
    ruleId: ruleId || undefined,
    rateMillionths: BigInt(rate),
    fixedMinor: BigInt(fixed),
    minimumMinor: BigInt(minimum),
    maximumMinor: maximum === "" ? undefined : BigInt(maximum),
    taxMillionths: BigInt(tax),
    refundPolicy: policyLetters[letter as keyof typeof policyLetters],
    refundFixedMinor: BigInt(each),
  };
}
