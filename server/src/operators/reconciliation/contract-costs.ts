import { isAccountingDay, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { insertProviderCost, listProviderCosts } from "../../ledger/fee-rule.sql.ts";
import type { ProviderCost } from "../../ledger/fee-rule.ts";
import { flatRateTerms } from "../../ledger/fee.ts";
import { systemScope } from "../../postgres/database.ts";
import { listReportedByProviders } from "../../reconciliation/provider-cost.sql.ts";
import { compareCosts, type ComparedCost } from "../../reconciliation/provider-cost.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { findConnector } from "../providers/connector-settings.ts";
import {
  ruleStartText,
  feeText,
  currencyRequiredMessage,
  newRuleId,
  percentText,
  rejectInvalidScope,
  scopeText,
  amountText,
} from "../ledger/fee-rules.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/**
 * `setProviderCost` sets a provider's contractual cost from a day on. The cost moves no money: the reconciliation
 * compares it with the fees in the provider's files.
 */
export async function setProviderCost(
  operator: Operator,
  request: Omit<ProviderCost, "fromAt" | "setAt"> & { readonly from: string },
): Promise<ProviderCost> {
  const { from, ...cost } = request;
  const scope = { ...cost, clientId: undefined };
  const fromAt = parseDay(from);
  rejectInvalidScope(scope);
  if (cost.currency === undefined && cost.fixedMinor > 0n) throw new CommandFailed(currencyRequiredMessage);
  await findConnector(operator, cost.connector);
  return actAsOwner(operator, systemScope, async (tx) => {
    await insertProviderCost(tx, { ...cost, fromAt, costId: newRuleId() });
    const { rateMillionths, fixedMinor } = cost;
    const after = { rate: percentText(rateMillionths), fixedMinor: String(fixedMinor) };
    const subject = `${cost.connector}, ${scopeText(scope)} from ${from}`;
    return { value: { ...cost, fromAt, setAt: new Date() }, audit: { act: "fee cost set", subject, after } };
  });
}

export async function findProviderCosts(
  { url, environment }: Operator,
  connector: string | undefined,
): Promise<readonly ProviderCost[]> {
  const costs = await queryAsOwner(url, environment, systemScope, (tx) => listProviderCosts(tx, connector));
  return costs.toSorted((a, b) => b.fromAt.getTime() - a.fromAt.getTime());
}

function parseDay(day: string): Date {
  if (!isAccountingDay(day)) throw new CommandFailed(`${day} is not a calendar day. Write it as 2026-12-01.`);
  return startOfAccountingDay(day);
}

/**
 * Compares the fees of one accounting day with the contracts, by the times in the providers' files. A contract begins
 * with a day, so one contract applies to the whole day.
 */
export async function compareProviderCosts(
  { url, environment }: Operator,
  { connector, day }: { readonly connector: string | undefined; readonly day: string },
): Promise<readonly ComparedCost[]> {
  const [from, until] = [parseDay(day), parseDay(nextAccountingDay(day))];
  return queryAsOwner(url, environment, systemScope, async (tx) => {
    const reported = await listReportedByProviders(tx, { connector, from, until });
    const reportedCosts = reported.map((each) => ({ ...each, paymentId: undefined, reference: undefined }));
    return compareCosts(await listProviderCosts(tx, connector), reportedCosts);
  });
}

export function costComparisonTable(compared: readonly ComparedCost[]): string {
  if (compared.length === 0) return "The providers' files have no movements on that day.";
  const head = ["provider", "currency", "payments", "expected", "kept", ""];
  const rows = compared.map((each) => [
    each.connector,
    each.currency,
    String(each.count),
    amountText(each.expectedMinor, each.currency),
    amountText(each.keptMinor, each.currency),
    [
      ...(each.isDifferent ? ["differs"] : []),
      ...(each.unknownCount > 0 ? [`${each.unknownCount} without a contract`] : []),
    ].join(", "),
  ]);
  return formatTextTable([head, ...rows]);
}

export function providerCostTable(costs: readonly ProviderCost[]): string {
  if (costs.length === 0) return "There are no contractual costs. Set one with `tollgate fee cost set`.";
  const head = ["from", "provider", "method", "currency", "keeps"];
  const rows = costs.map(({ connector, paymentMethodType, currency, fromAt, rateMillionths, fixedMinor }) => [
    ruleStartText(fromAt),
    connector,
    paymentMethodType ?? "all",
    currency ?? "all",
    feeText({ ...flatRateTerms(0), rateMillionths, fixedMinor }, currency),
  ]);
  return formatTextTable([head, ...rows]);
}
