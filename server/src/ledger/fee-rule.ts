import { formatFeeTerms, type FeeTerms } from "./fee.ts";

/** The payments to which a fee rule applies; an absent field matches all payments. */
export interface FeeScope {
  /** Absent for a general rule. */
  readonly clientId: string | undefined;
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
}

/** Fee terms from a time on. A fee rule is never changed, only followed by another one. */
export interface FeeRule extends FeeScope {
  readonly fromAt: Date;
  /** Creation time of the rule. Of two rules with the same start, the later one applies. */
  readonly setAt: Date;
  readonly terms: FeeTerms;
}

/** The fields of a payment that select a fee rule. */
export interface FeeRuleQuery {
  readonly paymentMethodType: string | undefined;
  readonly currency: string;
  /** Creation time of the payment. */
  readonly at: Date;
}

/**
 * Returns the fee rule for a payment, from the merchant's and the general rules in the order of their creation. The
 * most specific rule applies (merchant before general, then method, then currency). Of several such rules, the newest
 * that had begun when the payment was created applies; of two with the same start, the one created later.
 */
export function selectFeeRule<Rule extends DatedScope>(
  rules: readonly Rule[],
  query: FeeRuleQuery,
): Rule | undefined {
  let best: Rule | undefined;
  for (const rule of rules) if (matches(rule, query) && (!best || !isLessSpecific(rule, best))) best = rule;
  return best;
}

/**
 * `rulesInEffect` returns the fee rules that apply to any payment at this time, the most specific first. It omits a
 * rule that has not begun, or for whose payments another rule takes precedence.
 */
export function rulesInEffect(rules: readonly FeeRule[], at: Date): readonly FeeRule[] {
  const applies = (rule: FeeRule): boolean => {
    const { paymentMethodType = unnamedValue, currency = unnamedValue } = rule;
    return selectFeeRule(rules, { paymentMethodType, currency, at }) === rule;
  };
  return rules
    .filter(applies)
    .toSorted((a, b) => Number(isLessSpecific(a, b)) - Number(isLessSpecific(b, a)));
}

/** Represents a payment method or currency that no fee rule names. */
const unnamedValue = "";

/**
 * `coversAllPayments` returns true if a fee rule covers every payment at this time, so that the merchant's plain rate is not
 * used.
 */
export function coversAllPayments(rules: readonly FeeRule[], at: Date): boolean {
  return selectFeeRule(rules, { paymentMethodType: unnamedValue, currency: unnamedValue, at }) !== undefined;
}

type DatedScope = FeeScope & Pick<FeeRule, "fromAt">;

/** Returns the fee terms in the form in which a payment stores them. */
export function selectFeeTerms(rules: readonly FeeRule[], query: FeeRuleQuery): string | undefined {
  const rule = selectFeeRule(rules, query);
  return rule && formatFeeTerms(rule.terms);
}

function matches({ paymentMethodType, currency, fromAt }: DatedScope, query: FeeRuleQuery): boolean {
  return (
    fromAt <= query.at &&
    (paymentMethodType === undefined || paymentMethodType === query.paymentMethodType) &&
    (currency === undefined || currency === query.currency)
  );
}

function isLessSpecific(a: DatedScope, b: DatedScope): boolean {
  const [left, right] = [rank(a), rank(b)];
  const at = left.findIndex((each, index) => each !== right[index]);
  return (left[at] ?? 0) < (right[at] ?? 0);
}

function rank({ clientId, paymentMethodType, currency, fromAt }: DatedScope): readonly number[] {
  const specificity = [clientId, paymentMethodType, currency].map((part) => Number(part !== undefined));
  return [...specificity, fromAt.getTime()];
}

/** A payment provider's contractual fee, compared with the fees in its files. */
export interface ProviderCost {
  readonly connector: string;
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
  readonly fromAt: Date;
  readonly setAt: Date;
  readonly rateMillionths: bigint;
  readonly fixedMinor: bigint;
}

/**
 * Returns the provider's fee for a payment by the newest applicable contract, rounded half up; undefined if there is
 * none.
 */
export function calculateProviderCost(
  costs: readonly ProviderCost[],
  query: FeeRuleQuery & { readonly connector: string },
  minor: bigint,
): bigint | undefined {
  const connectorCosts = costs.filter(({ connector }) => connector === query.connector);
  const cost = selectFeeRule(
    connectorCosts.map((each) => ({ ...each, clientId: undefined })),
    query,
  );
  return cost && (minor * cost.rateMillionths * 2n + 1_000_000n) / 2_000_000n + cost.fixedMinor;
}
