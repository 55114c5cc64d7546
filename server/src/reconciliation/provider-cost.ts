import { calculateProviderCost, type ProviderCost } from "../ledger/fee-rule.ts";

/** The subject of a fee: a provider with a day or a payment. */
interface CostSubject {
  readonly connector: string;
  readonly currency: string;
  /** The payment, if the provider's fees name their payments; undefined for a whole day. */
  readonly paymentId: string | undefined;
  /** The reference of a row, if the provider's file has the fee in each row; undefined for a whole payment or day. */
  readonly reference: string | undefined;
}

/** Payments or fees in a provider's files, grouped by amount and method, with their count. */
export interface ReportedByProvider extends CostSubject {
  readonly isFee: boolean;
  /** The payment method; undefined for unknown payments and for fees. */
  readonly paymentMethodType: string | undefined;
  readonly amountMinor: bigint;
  readonly at: Date;
  readonly count: number;
}

/** A provider's contractual fees, and the fees in its files. */
export interface ComparedCost extends CostSubject {
  /** Number of payments and captures in the provider's files. */
  readonly count: number;
  /** Number of payments without a contract. */
  readonly unknownCount: number;
  readonly expectedMinor: bigint;
  readonly keptMinor: bigint;
  /** Whether the fees differ. Providers round differently, so one unit per payment is not a difference. */
  readonly isDifferent: boolean;
}

/**
 * `compareCosts` compares the fees that providers deducted with their contractual fees, by provider, currency, payment
 * and row.
 */
export function compareCosts(
  costs: readonly ProviderCost[],
  reported: readonly ReportedByProvider[],
): readonly ComparedCost[] {
  const groups = Map.groupBy(
    reported,
    ({ connector, currency, paymentId = "", reference = "" }) =>
      `${connector} ${currency} ${paymentId} ${reference}`,
  );
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...others]]) => (first ? [compareCost(costs, [first, ...others])] : []));
}

function compareCost(
  costs: readonly ProviderCost[],
  reported: readonly [ReportedByProvider, ...ReportedByProvider[]],
): ComparedCost {
  const [{ connector, currency, paymentId, reference }] = reported;
  const payments = reported.filter(({ isFee }) => !isFee);
  const fees = reported.filter(({ isFee }) => isFee);
  const costOf = (each: ReportedByProvider): bigint | undefined =>
    calculateProviderCost(costs, each, each.amountMinor);
  const expectedMinor = sumOf(payments, (each) => costOf(each) ?? 0n);
  const keptMinor = sumOf(fees, ({ amountMinor }) => amountMinor);
  const count = countOf(payments);
  const unknownCount = countOf(payments.filter((each) => costOf(each) === undefined));
  const difference = keptMinor < expectedMinor ? expectedMinor - keptMinor : keptMinor - expectedMinor;
  const isDifferent = difference > BigInt(count);
  const subject = { connector, currency, paymentId, reference };
  return { ...subject, count, unknownCount, expectedMinor, keptMinor, isDifferent };
}

const sumOf = (
  reported: readonly ReportedByProvider[],
  minorOf: (each: ReportedByProvider) => bigint,
): bigint => reported.reduce((sum, each) => sum + minorOf(each) * BigInt(each.count), 0n);

const countOf = (reported: readonly ReportedByProvider[]): number =>
  reported.reduce((sum, each) => sum + each.count, 0);
