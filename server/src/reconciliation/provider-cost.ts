import { providerCostOn, type ProviderCost } from "../ledger/fee-rule.ts";

/** The subject of a fee: a provider with a day or a payment. */
interface CostOf {
  readonly connector: string;
  readonly currency: string;
  /** The payment, if the provider's fees name their payments; undefined for a whole day. */
  readonly paymentId: string | undefined;
}

/** Payments or fees in a provider's files, grouped by amount and method, with their count. */
export interface ReportedByProvider extends CostOf {
  readonly isFee: boolean;
  /** The payment method; undefined for unknown payments and for fees. */
  readonly paymentMethodType: string | undefined;
  readonly amountMinor: bigint;
  readonly at: Date;
  readonly count: number;
}

/** A provider's contractual fees, and the fees in its files. */
export interface ComparedCost extends CostOf {
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
 * `comparedCosts` compares the fees that providers deducted with their contractual fees, by provider, currency and
 * payment.
 */
export function comparedCosts(
  costs: readonly ProviderCost[],
  told: readonly ReportedByProvider[],
): readonly ComparedCost[] {
  const groups = Map.groupBy(
    told,
    ({ connector, currency, paymentId = "" }) => `${connector} ${currency} ${paymentId}`,
  );
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...others]]) => (first ? [comparedCost(costs, [first, ...others])] : []));
}

function comparedCost(
  costs: readonly ProviderCost[],
  told: readonly [ReportedByProvider, ...ReportedByProvider[]],
): ComparedCost {
  const [{ connector, currency, paymentId }] = told;
  const taken = told.filter(({ isFee }) => !isFee);
  const kept = told.filter(({ isFee }) => isFee);
  const costOf = (each: ReportedByProvider): bigint | undefined =>
    providerCostOn(costs, each, each.amountMinor);
  const expectedMinor = sumOf(taken, (each) => costOf(each) ?? 0n);
  const keptMinor = sumOf(kept, ({ amountMinor }) => amountMinor);
  const count = countOf(taken);
  const unknownCount = countOf(taken.filter((each) => costOf(each) === undefined));
  const apart = keptMinor < expectedMinor ? expectedMinor - keptMinor : keptMinor - expectedMinor;
  const isDifferent = apart > BigInt(count);
  return { connector, currency, paymentId, count, unknownCount, expectedMinor, keptMinor, isDifferent };
}

const sumOf = (told: readonly ReportedByProvider[], minorOf: (each: ReportedByProvider) => bigint): bigint =>
  told.reduce((sum, each) => sum + minorOf(each) * BigInt(each.count), 0n);

const countOf = (told: readonly ReportedByProvider[]): number =>
  told.reduce((sum, each) => sum + each.count, 0);
