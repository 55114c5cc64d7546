import { randomInt } from "node:crypto";
import { bookDayOf, isBookDay, startOfBookDay } from "../core/book-day.ts";
import { isCurrency } from "../core/currency.ts";
import { newShortId } from "../core/short-id.ts";
import { formatMoney } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { insertFeeRule, listFeeRules } from "../ledger/fee-rule.sql.ts";
import { feeRuleFor, type FeeRule, type FeeScope } from "../ledger/fee-rule.ts";
import { feeOn, termsAtRate, type Fee, type FeeTerms } from "../ledger/fee.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { existing } from "./merchant.ts";
import { align } from "./table.ts";

/** A rule as an operator sets it: `from` is a day of the books, or in the sandbox any time. */
export interface AskedFeeRule extends FeeScope {
  readonly from: string;
  readonly terms: Omit<FeeTerms, "ruleId">;
}

/** Every process has read a new rule long before: a client's settings are at most a second old. */
const knownAfterMs = 60_000;

/** Adds a rule of fees. Payments that are created at its beginning or later go by it, and no payment before. */
export async function setFeeRule(operator: Operator, asked: AskedFeeRule): Promise<FeeRule> {
  const { from, terms, ...scope } = asked;
  const fromAt = beginningOf(from, operator.environment);
  refuseOddScope(scope);
  refuseOddSums(scope, terms);
  const { clientId } = scope;
  return actAsOwner(operator, clientId === undefined ? systemScope : [clientId], async (tx) => {
    if (clientId !== undefined) await existing(tx, clientId);
    const same = (await listFeeRules(tx, clientId)).filter((rule) => isSameScope(rule, scope));
    const before = same
      .filter((rule) => rule.fromAt <= fromAt)
      .toSorted((a, b) => a.fromAt.getTime() - b.fromAt.getTime())
      .at(-1);
    const ruleId = newRuleId();
    await insertFeeRule(tx, { ...scope, fromAt, terms: { ...terms, ruleId } });
    const audit = {
      act: "fee set",
      subject: `${scopeText(scope)} from ${beginningText(fromAt)}`,
      clientId,
      // Without the id, which is another one when the command is run again after somebody has approved it.
      before: before && auditedOf(before.terms),
      after: auditedOf(terms),
    };
    return { value: { ...scope, fromAt, setAt: new Date(), terms: { ...terms, ruleId } }, audit };
  });
}

export async function findFeeRules(
  { url, environment }: Operator,
  clientId: string | undefined,
): Promise<readonly FeeRule[]> {
  const rules = await asOwner(url, environment, systemScope, (tx) => listFeeRules(tx, clientId));
  return rules.toSorted((a, b) => b.fromAt.getTime() - a.fromAt.getTime());
}

/** Which rule a payment goes by, and what it comes to. */
export interface ShownFee {
  readonly at: Date;
  readonly rule: FeeRule | undefined;
  readonly terms: FeeTerms;
  readonly onAmount: (Fee & { readonly amountMinor: bigint }) | undefined;
}

/** What a payment of this kind pays, or has paid, when it is created at this time. */
export async function findFee(
  { url, environment }: Operator,
  asked: {
    readonly clientId: string;
    readonly paymentMethodType: string | undefined;
    readonly currency: string;
    readonly at: Date;
    readonly amountMinor: bigint | undefined;
  },
): Promise<ShownFee> {
  const { clientId, at, amountMinor } = asked;
  const client = await asOwner(url, environment, [clientId], (tx) => existing(tx, clientId));
  const rule = feeRuleFor(client.feeRules, asked);
  const terms = rule?.terms ?? termsAtRate(client.feeBasisPoints);
  const onAmount = amountMinor === undefined ? undefined : { amountMinor, ...feeOn(terms, amountMinor) };
  return { at, rule, terms, onAmount };
}

function beginningOf(from: string, environment: Environment): Date {
  const anyMs = environment === "sandbox" && from[10] === "T" ? parseRequestTime(from) : undefined;
  if (anyMs !== undefined) return new Date(anyMs);
  if (!isBookDay(from))
    throw new Impossible(
      `${from}: a rule begins at midnight of UTC+8 of a day, such as 2026-12-01; in the sandbox also at any time in ISO 8601 with a zone.`,
    );
  const fromAt = startOfBookDay(from);
  if (environment === "live" && fromAt.getTime() < Date.now() + knownAfterMs)
    throw new Impossible(
      `${from}: that midnight of UTC+8 is over, or less than a minute away. What was agreed with a buyer already keeps its fee.`,
    );
  return fromAt;
}

export function refuseOddScope({ currency, paymentMethodType }: FeeScope): void {
  if (currency !== undefined && !isCurrency(currency)) throw new Impossible(`${currency}: is no currency.`);
  if (paymentMethodType !== undefined && !/^[A-Z0-9_]{1,64}$/.test(paymentMethodType))
    throw new Impossible(`${paymentMethodType}: a payment method is written as in \`pay\`: GCASH, CARD.`);
}

export const needsCurrency =
  "A sum is in a currency: say which, with --currency. A rate alone is for all of them.";

function refuseOddSums({ currency }: FeeScope, terms: Omit<FeeTerms, "ruleId">): void {
  const { fixedMinor, minimumMinor, maximumMinor, refundFixedMinor } = terms;
  const hasSums = fixedMinor + minimumMinor + refundFixedMinor > 0n || maximumMinor !== undefined;
  if (currency === undefined && hasSums) throw new Impossible(needsCurrency);
  if (maximumMinor !== undefined && maximumMinor < minimumMinor)
    throw new Impossible("The maximum is less than the minimum.");
}

function isSameScope(a: FeeScope, b: FeeScope): boolean {
  return (
    a.clientId === b.clientId && a.paymentMethodType === b.paymentMethodType && a.currency === b.currency
  );
}

export function newRuleId(): string {
  return newShortId("FEE_", 10, (below) => randomInt(below));
}

function auditedOf(terms: Omit<FeeTerms, "ruleId">): object {
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

/** A day where it is a midnight of the books, and else the time. */
export function beginningText(fromAt: Date): string {
  const day = bookDayOf(fromAt);
  return startOfBookDay(day).getTime() === fromAt.getTime() ? day : fromAt.toISOString();
}

export function percentText(millionths: bigint): string {
  return `${Number(millionths) / 10_000} %`;
}

export function feeRuleTable(rules: readonly FeeRule[], now: Date): string {
  if (rules.length === 0)
    return "There are none: everybody pays the rate of `tollgate merchant show`. `tollgate fee set` adds one.";
  const head = ["from", "for", "method", "currency", "fee", "tax", "of refunds", "rule", ""];
  const rows = rules.map(({ clientId, paymentMethodType, currency, fromAt, terms }) => [
    beginningText(fromAt),
    clientId ?? "everybody",
    paymentMethodType ?? "all",
    currency ?? "all",
    feeText(terms, currency),
    percentText(terms.taxMillionths),
    refundText(terms, currency),
    terms.ruleId ?? "",
    fromAt > now ? "to come" : "",
  ]);
  return align([head, ...rows]);
}

export function feeText(terms: FeeTerms, currency: string | undefined): string {
  const { fixedMinor, minimumMinor, maximumMinor } = terms;
  return [
    [percentText(terms.rateMillionths), ...(fixedMinor > 0n ? [sumText(fixedMinor, currency)] : [])].join(
      " + ",
    ),
    ...(minimumMinor > 0n ? [`at least ${sumText(minimumMinor, currency)}`] : []),
    ...(maximumMinor === undefined ? [] : [`at most ${sumText(maximumMinor, currency)}`]),
  ].join(", ");
}

function refundText({ refundPolicy, refundFixedMinor }: FeeTerms, currency: string | undefined): string {
  return refundFixedMinor > 0n
    ? `${refundPolicy}, ${sumText(refundFixedMinor, currency)} each`
    : refundPolicy;
}

export function sumText(minor: bigint, currency: string | undefined): string {
  return currency === undefined ? String(minor) : formatMoney({ currency, minor });
}

export function shownFeeText({ at, rule, terms, onAmount }: ShownFee, currency: string): string {
  const from = rule
    ? `rule ${terms.ruleId}: ${scopeText(rule)}, from ${beginningText(rule.fromAt)}`
    : "no rule fits: the merchant's own rate";
  return align([
    ["created at", at.toISOString()],
    ["goes by", from],
    ["fee", feeText(terms, currency)],
    ["tax on it", percentText(terms.taxMillionths)],
    ["of refunds", refundText(terms, currency)],
    ...(onAmount
      ? [
          [
            `on ${sumText(onAmount.amountMinor, currency)}`,
            `${sumText(onAmount.feeMinor, currency)}, and tax of ${sumText(onAmount.taxMinor, currency)}`,
          ],
        ]
      : []),
  ]);
}
