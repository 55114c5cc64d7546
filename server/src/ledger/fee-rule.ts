import { writeFeeTerms, type FeeTerms } from "./fee.ts";

/** Which payments a rule is for; a part that is absent fits all. */
export interface FeeScope {
  /** Absent: everybody's. */
  readonly clientId: string | undefined;
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
}

/** What merchants pay from a moment on. It is never changed: another rule follows it. */
export interface FeeRule extends FeeScope {
  readonly fromAt: Date;
  /** When it was set; of two for the same moment the later one counts. */
  readonly setAt: Date;
  readonly terms: FeeTerms;
}

/** A payment, as far as rules look at it. */
export interface FeeAsked {
  readonly paymentMethodType: string | undefined;
  readonly currency: string;
  /** When the payment was created. */
  readonly at: Date;
}

/**
 * The rule for a payment, of those that are its merchant's or everybody's, in the order in which they were set. The most specific one counts (a merchant before everybody,
 * then a method before all, then a currency before all), and of those the newest that has begun when the payment was created; of two that
 * begin at one moment the one that was set later.
 */
export function feeRuleFor<Rule extends DatedScope>(
  rules: readonly Rule[],
  asked: FeeAsked,
): Rule | undefined {
  let best: Rule | undefined;
  for (const rule of rules) if (fits(rule, asked) && (!best || !isBefore(rule, best))) best = rule;
  return best;
}

/**
 * `rulesInEffect` returns the rules that apply to some payment at this time, the most specific first. A rule is left out if it has not begun,
 * or if another rule comes before it for every payment that it fits.
 */
export function rulesInEffect(rules: readonly FeeRule[], at: Date): readonly FeeRule[] {
  const applies = (rule: FeeRule): boolean => {
    const { paymentMethodType = unnamed, currency = unnamed } = rule;
    return feeRuleFor(rules, { paymentMethodType, currency, at }) === rule;
  };
  return rules.filter(applies).toSorted((a, b) => Number(isBefore(a, b)) - Number(isBefore(b, a)));
}

/** A method or currency that no rule names. */
const unnamed = "";

/** `coversAll` returns true if every payment at this time has a rule, so that the merchant's plain rate is not used. */
export function coversAll(rules: readonly FeeRule[], at: Date): boolean {
  return feeRuleFor(rules, { paymentMethodType: unnamed, currency: unnamed, at }) !== undefined;
}

type DatedScope = FeeScope & Pick<FeeRule, "fromAt">;

/** The same as a payment remembers it. */
export function feeTermsFor(rules: readonly FeeRule[], asked: FeeAsked): string | undefined {
  const rule = feeRuleFor(rules, asked);
  return rule && writeFeeTerms(rule.terms);
}

function fits({ paymentMethodType, currency, fromAt }: DatedScope, asked: FeeAsked): boolean {
  return (
    fromAt <= asked.at &&
    (paymentMethodType === undefined || paymentMethodType === asked.paymentMethodType) &&
    (currency === undefined || currency === asked.currency)
  );
}

function isBefore(a: DatedScope, b: DatedScope): boolean {
  const [left, right] = [rank(a), rank(b)];
  const at = left.findIndex((each, index) => each !== right[index]);
  return (left[at] ?? 0) < (right[at] ?? 0);
}

function rank({ clientId, paymentMethodType, currency, fromAt }: DatedScope): readonly number[] {
  const isNamed = [clientId, paymentMethodType, currency].map((part) => Number(part !== undefined));
  return [...isNamed, fromAt.getTime()];
}

/** What a wallet should keep of what it takes for us, by its contract: compared with the fees in its files. */
export interface WalletCost {
  readonly connector: string;
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
  readonly fromAt: Date;
  readonly setAt: Date;
  readonly rateMillionths: bigint;
  readonly fixedMinor: bigint;
}

/** The cost of a payment by the newest contract that fits it; undefined when there is none. Rounded to the nearest, the middle up. */
export function walletCostOn(
  costs: readonly WalletCost[],
  asked: FeeAsked & { readonly connector: string },
  minor: bigint,
): bigint | undefined {
  const own = costs.filter(({ connector }) => connector === asked.connector);
  const cost = feeRuleFor(
    own.map((each) => ({ ...each, clientId: undefined })),
    asked,
  );
  return cost && (minor * cost.rateMillionths * 2n + 1_000_000n) / 2_000_000n + cost.fixedMinor;
}
