import assert from "node:assert/strict";
import { divideHalfEven } from "../core/divide-half-even.ts";

/**
 * What refunds return of our fee. The work was done: nothing. Or the part by rate, in the proportion that is refunded; not the fixed part,
 * nor what a minimum added. Or all of it, in that proportion.
 */
export type RefundPolicy = "keep" | "return rate" | "return all";

/** What a merchant pays for a payment. Sums are in the smallest unit of the payment's currency, rates in millionths. */
export interface FeeTerms {
  /** The rule that they were taken from; undefined for the plain rate in a merchant's settings. */
  readonly ruleId: string | undefined;
  readonly rateMillionths: bigint;
  readonly fixedMinor: bigint;
  readonly minimumMinor: bigint;
  readonly maximumMinor: bigint | undefined;
  /** On the fee, and on top of it. */
  readonly taxMillionths: bigint;
  readonly refundPolicy: RefundPolicy;
  /** For each refund that is made. */
  readonly refundFixedMinor: bigint;
}

/** A fee, and the tax on it. */
export interface Fee {
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
}

/** What a refund changes in fees: what comes back of the payment's, and what the refund itself costs. */
export interface RefundFee {
  readonly returned: Fee;
  readonly charged: Fee;
}

const million = 1_000_000n;
const none: Fee = { feeMinor: 0n, taxMinor: 0n };
export const noRefundFee: RefundFee = { returned: none, charged: none };

/** The plain rate in a merchant's settings, for as long as no rule fits. */
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

/** The terms of a payment: those of the rule that it began under, or else the rate of its merchant at that moment. */
export function feeTermsOf(payment: {
  readonly feeTerms: string | undefined;
  readonly feeBasisPoints: number;
}): FeeTerms {
  return payment.feeTerms === undefined
    ? termsAtRate(payment.feeBasisPoints)
    : readFeeTerms(payment.feeTerms);
}

/**
 * The fee on all that was taken of a payment. The part by rate is rounded down, in the merchant's favour; tax to the nearest, and
 * from the middle to the even (banker's rounding). Fee and tax together are never more than what was taken, whatever the fixed part and the
 * minimum.
 */
export function feeOn(terms: FeeTerms, takenMinor: bigint): Fee {
  if (takenMinor === 0n) return none;
  const { fixedMinor, minimumMinor, maximumMinor } = terms;
  const asked = largest(byRate(terms, takenMinor) + fixedMinor, minimumMinor);
  const feeMinor = smallest(smallest(asked, maximumMinor ?? asked), largestFeeWithin(terms, takenMinor));
  return { feeMinor, taxMinor: taxOn(terms, feeMinor) };
}

/**
 * The fee on a capture: by how much it raises the fee on the whole. So the fees of all captures are the fee of their sum, whatever
 * the order: nothing is lost in rounding, and the fixed part and the minimum are taken once.
 */
export function feeOnPart(terms: FeeTerms, takenBeforeMinor: bigint, partMinor: bigint): Fee {
  return difference(feeOn(terms, takenBeforeMinor + partMinor), feeOn(terms, takenBeforeMinor));
}

/**
 * What a refund changes in fees. By the sum of all refunds, as with captures: when everything is given back, all comes back that the
 * policy returns. Rounded down; the tax that stays is the tax on the fee that stays.
 */
export function feeOfRefund(
  terms: FeeTerms,
  sums: {
    /** What was taken of the buyer. */
    readonly takenMinor: bigint;
    /** What goes back to the buyer, this refund and earlier ones together. */
    readonly refundedMinor: bigint;
    /** What earlier refunds have returned, those under way included; undefined when there were none. */
    readonly returned?: Fee | undefined;
  },
): RefundFee {
  const { takenMinor, refundedMinor, returned: earlier = none } = sums;
  assert(takenMinor > 0n && refundedMinor <= takenMinor, "no more is given back than was taken");
  const taken = feeOn(terms, takenMinor);
  const dueMinor = (returnable(terms, takenMinor, taken.feeMinor) * refundedMinor) / takenMinor;
  const feeMinor = largest(dueMinor - earlier.feeMinor, 0n);
  const taxStays = taxOn(terms, taken.feeMinor - earlier.feeMinor - feeMinor);
  // One that was counted among the earlier ones may have failed since, so it may be nothing.
  const taxMinor = largest(taken.taxMinor - taxStays - earlier.taxMinor, 0n);
  const chargedMinor = terms.refundFixedMinor;
  return {
    returned: { feeMinor, taxMinor },
    charged: { feeMinor: chargedMinor, taxMinor: taxOn(terms, chargedMinor) },
  };
}

/** What a refund takes of the merchant's balance: what the buyer gets, and what it changes in fees. Never less than nothing. */
export function refundCost(amountMinor: bigint, { returned, charged }: RefundFee): bigint {
  return largest(amountMinor - totalOf(returned) + totalOf(charged), 0n);
}

/** What a cancel takes of the merchant's balance: what was paid, less the fee and its tax, which come back. */
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

/** The largest fee that leaves nothing negative of a sum when its tax is added. By division, and by at most a unit more or less for rounding. */
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

/** Terms in one word, as a payment remembers them: short, because every payment has it. */
export function writeFeeTerms(terms: FeeTerms): string {
  const { ruleId, rateMillionths, fixedMinor, minimumMinor, maximumMinor, taxMillionths, refundFixedMinor } =
    terms;
  const [letter] = Object.entries(policyLetters).find(([, policy]) => policy === terms.refundPolicy) ?? [];
  const sums = [rateMillionths, fixedMinor, minimumMinor, maximumMinor ?? "", taxMillionths];
  return [ruleId ?? "", ...sums, letter, refundFixedMinor].join(":");
}

/** Throws for anything else than what was written: a payment with terms that nobody can read must not be booked without a fee. */
export function readFeeTerms(written: string): FeeTerms {
  const found = /^([^:]*):(\d+):(\d+):(\d+):(\d*):(\d+):([KRA]):(\d+)$/.exec(written);
  assert(found, `these are no terms of a fee: ${written}`);
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
