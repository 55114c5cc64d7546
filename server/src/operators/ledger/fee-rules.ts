import { randomInt } from "node:crypto";
import { accountingDayOf, isAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { isCurrency } from "../../core/currency.ts";
import { newShortId } from "../../core/short-id.ts";
import { formatMoney } from "../../core/money.ts";
import { parseRequestTime } from "../../core/request-time.ts";
import { insertFeeRule, listFeeRules } from "../../ledger/fee-rule.sql.ts";
import { selectFeeRule, type FeeRule, type FeeScope } from "../../ledger/fee-rule.ts";
import { calculateFee, flatRateTerms, type Fee, type FeeTerms } from "../../ledger/fee.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { requireClient } from "../merchants/merchant.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** A fee rule as an operator enters it. `from` is an accounting day, or in the sandbox any time. */
export interface FeeRuleRequest extends FeeScope {
  readonly from: string;
  readonly terms: Omit<FeeTerms, "ruleId">;
}

/**
 * Minimum time in milliseconds until a new rule starts. By its start every process has loaded the rule, because cached
 * client settings are at most a second old.
 */
const noticePeriodMs = 60_000;

/** `setFeeRule` adds a fee rule. The rule applies to payments that are created at or after its start. */
export async function setFeeRule(operator: Operator, request: FeeRuleRequest): Promise<FeeRule> {
  const { from, terms, ...scope } = request;
  const fromAt = parseStart(from, operator.environment);
  rejectInvalidScope(scope);
  rejectInvalidAmounts(scope, terms);
  const { clientId } = scope;
  return actAsOwner(operator, clientId === undefined ? systemScope : [clientId], async (tx) => {
    if (clientId !== undefined) await requireClient(tx, clientId);
    const rulesInScope = (await listFeeRules(tx, clientId)).filter((rule) => isSameScope(rule, scope));
    const before = rulesInScope
      .filter((rule) => rule.fromAt <= fromAt)
      .toSorted((a, b) => a.fromAt.getTime() - b.fromAt.getTime())
      .at(-1);
    const ruleId = newRuleId();
    await insertFeeRule(tx, { ...scope, fromAt, terms: { ...terms, ruleId } });
    const audit = {
      act: "fee set",
      subject: `${scopeText(scope)} from ${ruleStartText(fromAt)}`,
      clientId,
      // The audit row omits the id of the rule, because the id differs when the command runs again after an approval.
      before: before && auditFieldsOf(before.terms),
      after: auditFieldsOf(terms),
    };
    return { value: { ...scope, fromAt, setAt: new Date(), terms: { ...terms, ruleId } }, audit };
  });
}

export async function findFeeRules(
  { url, environment }: Operator,
  clientId: string | undefined,
): Promise<readonly FeeRule[]> {
  const rules = await queryAsOwner(url, environment, systemScope, (tx) => listFeeRules(tx, clientId));
  return rules.toSorted((a, b) => b.fromAt.getTime() - a.fromAt.getTime());
}

/** The fee rule of a payment, and the calculated fee. */
export interface FeeDetails {
  readonly at: Date;
  readonly rule: FeeRule | undefined;
  readonly terms: FeeTerms;
  readonly onAmount: (Fee & { readonly amountMinor: bigint }) | undefined;
}

/** Returns the fee of a payment of this kind that is created at this time. The time may be in the past. */
export async function findFee(
  { url, environment }: Operator,
  request: {
    readonly clientId: string;
    readonly paymentMethodType: string | undefined;
    readonly currency: string;
    readonly at: Date;
    readonly amountMinor: bigint | undefined;
  },
): Promise<FeeDetails> {
  const { clientId, at, amountMinor } = request;
  const client = await queryAsOwner(url, environment, [clientId], (tx) => requireClient(tx, clientId));
  const rule = selectFeeRule(client.feeRules, request);
  const terms = rule?.terms ?? flatRateTerms(client.feeBasisPoints);
  const onAmount =
    amountMinor === undefined ? undefined : { amountMinor, ...calculateFee(terms, amountMinor) };
  return { at, rule, terms, onAmount };
}

function parseStart(from: string, environment: Environment): Date {
  const exactMs = environment === "sandbox" && from[10] === "T" ? parseRequestTime(from) : undefined;
  if (exactMs !== undefined) return new Date(exactMs);
  if (!isAccountingDay(from))
    throw new CommandFailed(
      `${from} is not a valid start. A rule begins at midnight UTC+8 of a day, such as 2026-12-01; in the ` +
        "sandbox also at a time in ISO 8601 with a zone.",
    );
  const fromAt = startOfAccountingDay(from);
  if (environment === "live" && fromAt.getTime() < Date.now() + noticePeriodMs)
    throw new CommandFailed(
      `${from}: this midnight (UTC+8) is in the past or less than a minute away. Choose a later day, because ` +
        "existing payments keep their fee.",
    );
  return fromAt;
}

export function rejectInvalidScope({ currency, paymentMethodType }: FeeScope): void {
  if (currency !== undefined && !isCurrency(currency))
    throw new CommandFailed(`${currency} is not a currency code.`);
  if (paymentMethodType !== undefined && !/^[A-Z0-9_]{1,64}$/.test(paymentMethodType))
    throw new CommandFailed(
      `${paymentMethodType} is not a payment method. Write it as in \`pay\`: GCASH, CARD.`,
    );
}

export const currencyRequiredMessage =
  "A fixed amount needs a currency. Give it with --currency. Only a rate applies to all currencies.";

function rejectInvalidAmounts({ currency }: FeeScope, terms: Omit<FeeTerms, "ruleId">): void {
  const { fixedMinor, minimumMinor, maximumMinor, refundFixedMinor } = terms;
  const hasAmounts = fixedMinor + minimumMinor + refundFixedMinor > 0n || maximumMinor !== undefined;
  if (currency === undefined && hasAmounts) throw new CommandFailed(currencyRequiredMessage);
  if (maximumMinor !== undefined && maximumMinor < minimumMinor)
    throw new CommandFailed("The maximum is less than the minimum.");
}

function isSameScope(a: FeeScope, b: FeeScope): boolean {
  return (
    a.clientId === b.clientId && a.paymentMethodType === b.paymentMethodType && a.currency === b.currency
  );
}

export function newRuleId(): string {
  return newShortId("FEE_", 10, (below) => randomInt(below));
}

function auditFieldsOf(terms: Omit<FeeTerms, "ruleId">): object {
  const { fixedMinor, minimumMinor, maximumMinor, refundFixedMinor, refundPolicy } = terms;
  return {
    rate: percentText(terms.rateMillionths),
    fixedMinor: String(fixedMinor),
    minimumMinor: String(minimumMinor),
    ...(maximumMinor !== undefined && { maximumMinor: String(maximumMinor) }),
    tax: percentText(terms.taxMillionths),
    refundPolicy,
    refundFixedMinor: String(refundFixedMinor),
  };
}

export function scopeText({ clientId, paymentMethodType, currency }: FeeScope): string {
  return [clientId ?? "everybody", paymentMethodType ?? "all methods", currency ?? "all currencies"].join(
    ", ",
  );
}

/** Formats the start of a rule: the day if it is midnight of an accounting day, else the time. */
export function ruleStartText(fromAt: Date): string {
  const day = accountingDayOf(fromAt);
  return startOfAccountingDay(day).getTime() === fromAt.getTime() ? day : fromAt.toISOString();
}

export function percentText(millionths: bigint): string {
  return `${Number(millionths) / 10_000} %`;
}

export function feeRuleTable(rules: readonly FeeRule[], now: Date): string {
  if (rules.length === 0)
    return (
      "There are no fee rules. Every payment has the rate in `tollgate merchant show`. Add a rule with " +
      "`tollgate fee set`."
    );
  const head = ["from", "for", "method", "currency", "fee", "tax", "refund policy", "rule", ""];
  const rows = rules.map(({ clientId, paymentMethodType, currency, fromAt, terms }) => [
    ruleStartText(fromAt),
    clientId ?? "everybody",
    paymentMethodType ?? "all",
    currency ?? "all",
    feeText(terms, currency),
    percentText(terms.taxMillionths),
    refundText(terms, currency),
    terms.ruleId ?? "",
    fromAt > now ? "future" : "",
  ]);
  return formatTextTable([head, ...rows]);
}

export function feeText(terms: FeeTerms, currency: string | undefined): string {
  const { fixedMinor, minimumMinor, maximumMinor } = terms;
  return [
    [percentText(terms.rateMillionths), ...(fixedMinor > 0n ? [amountText(fixedMinor, currency)] : [])].join(
      " + ",
    ),
    ...(minimumMinor > 0n ? [`at least ${amountText(minimumMinor, currency)}`] : []),
    ...(maximumMinor === undefined ? [] : [`at most ${amountText(maximumMinor, currency)}`]),
  ].join(", ");
}

function refundText({ refundPolicy, refundFixedMinor }: FeeTerms, currency: string | undefined): string {
  return refundFixedMinor > 0n
    ? `${refundPolicy}, ${amountText(refundFixedMinor, currency)} each`
    : refundPolicy;
}

export function amountText(minor: bigint, currency: string | undefined): string {
  return currency === undefined ? String(minor) : formatMoney({ currency, minor });
}

export function feeDetailsText({ at, rule, terms, onAmount }: FeeDetails, currency: string): string {
  const from = rule
    ? `rule ${terms.ruleId}: ${scopeText(rule)}, from ${ruleStartText(rule.fromAt)}`
    : "no rule applies: the merchant's own rate";
  return formatTextTable([
    ["created at", at.toISOString()],
    ["terms", from],
    ["fee", feeText(terms, currency)],
    ["tax on the fee", percentText(terms.taxMillionths)],
    ["refund policy", refundText(terms, currency)],
    ...(onAmount
      ? [
          [
            `for ${amountText(onAmount.amountMinor, currency)}`,
            `${amountText(onAmount.feeMinor, currency)}, plus tax of ${amountText(onAmount.taxMinor, currency)}`,
          ],
        ]
      : []),
  ]);
}
