import { walletCostOn, type WalletCost } from "../ledger/fee-rule.ts";

/** Whose fee: a wallet's, of a day or of one payment. */
interface CostOf {
  readonly connector: string;
  readonly currency: string;
  /** Where the wallet's fees name their payments; undefined for all of a day together. */
  readonly paymentId: string | undefined;
}

/** What a wallet's files say that it took of buyers, or kept for its work: so often, in one sum and by one method. */
export interface ToldByWallet extends CostOf {
  readonly isFee: boolean;
  /** Undefined for payments that nobody here knows, and for fees. */
  readonly paymentMethodType: string | undefined;
  readonly amountMinor: bigint;
  readonly at: Date;
  readonly count: number;
}

/** What a wallet should have kept, and what its files say that it kept. */
export interface ComparedCost extends CostOf {
  /** Payments and captures in the wallet's files. */
  readonly count: number;
  /** Those that no contract fits: nobody said what they cost. */
  readonly unknownCount: number;
  readonly expectedMinor: bigint;
  readonly keptMinor: bigint;
  /** Wallets round each in their own way: a unit for each payment is no difference. */
  readonly isDifferent: boolean;
}

/** Holds what wallets kept against what they should have kept, by wallet, currency and payment. */
export function comparedCosts(
  costs: readonly WalletCost[],
  told: readonly ToldByWallet[],
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
  costs: readonly WalletCost[],
  told: readonly [ToldByWallet, ...ToldByWallet[]],
): ComparedCost {
  const [{ connector, currency, paymentId }] = told;
  const taken = told.filter(({ isFee }) => !isFee);
  const kept = told.filter(({ isFee }) => isFee);
  const costOf = (each: ToldByWallet): bigint | undefined => walletCostOn(costs, each, each.amountMinor);
  const expectedMinor = sumOf(taken, (each) => costOf(each) ?? 0n);
  const keptMinor = sumOf(kept, ({ amountMinor }) => amountMinor);
  const count = countOf(taken);
  const unknownCount = countOf(taken.filter((each) => costOf(each) === undefined));
  const apart = keptMinor < expectedMinor ? expectedMinor - keptMinor : keptMinor - expectedMinor;
  const isDifferent = apart > BigInt(count);
  return { connector, currency, paymentId, count, unknownCount, expectedMinor, keptMinor, isDifferent };
}

const sumOf = (told: readonly ToldByWallet[], minorOf: (each: ToldByWallet) => bigint): bigint =>
  told.reduce((sum, each) => sum + minorOf(each) * BigInt(each.count), 0n);

const countOf = (told: readonly ToldByWallet[]): number => told.reduce((sum, each) => sum + each.count, 0);
