import { isAccountingDay, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { insertProviderCost, listProviderCosts } from "../../ledger/fee-rule.sql.ts";
import type { ProviderCost } from "../../ledger/fee-rule.ts";
import { termsAtRate } from "../../ledger/fee.ts";
import { systemScope } from "../../postgres/database.ts";
import { listReportedByProviders } from "../../reconciliation/provider-cost.sql.ts";
import { comparedCosts, type ComparedCost } from "../../reconciliation/provider-cost.ts";
import { actAsOwner, asOwner, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { findConnector } from "../providers/connector.ts";
import {
  beginningText,
  feeText,
  needsCurrency,
  newRuleId,
  percentText,
  refuseOddScope,
  scopeText,
  sumText,
} from "../ledger/fee.ts";
import { align } from "../../formats/text-table.ts";

/**
 * `setProviderCost` sets a provider's contractual cost from a day on. The cost moves no money: the reconciliation
 * compares it with the fees in the provider's files.
 */
export async function setProviderCost(
  operator: Operator,
  asked: Omit<ProviderCost, "fromAt" | "setAt"> & { readonly from: string },
): Promise<ProviderCost> {
  const { from, ...cost } = asked;
  const scope = { ...cost, clientId: undefined };
  const fromAt = startOf(from);
  refuseOddScope(scope);
  if (cost.currency === undefined && cost.fixedMinor > 0n) throw new CommandFailed(needsCurrency);
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
  const costs = await asOwner(url, environment, systemScope, (tx) => listProviderCosts(tx, connector));
  return costs.toSorted((a, b) => b.fromAt.getTime() - a.fromAt.getTime());
}

function startOf(day: string): Date {
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
  const [from, until] = [startOf(day), startOf(nextAccountingDay(day))];
  return asOwner(url, environment, systemScope, async (tx) => {
    const told = await listReportedByProviders(tx, { connector, from, until });
    const ofProviders = told.map((each) => ({ ...each, paymentId: undefined }));
    return comparedCosts(await listProviderCosts(tx, connector), ofProviders);
  });
}

export function comparedCostTable(compared: readonly ComparedCost[]): string {
  if (compared.length === 0) return "The providers' files have no movements on that day.";
  const head = ["provider", "currency", "payments", "expected", "kept", ""];
  const rows = compared.map((each) => [
    each.connector,
    each.currency,
    String(each.count),
    sumText(each.expectedMinor, each.currency),
    sumText(each.keptMinor, each.currency),
    [
      ...(each.isDifferent ? ["differs"] : []),
      ...(each.unknownCount > 0 ? [`${each.unknownCount} without a contract`] : []),
    ].join(", "),
  ]);
  return align([head, ...rows]);
}

export function providerCostTable(costs: readonly ProviderCost[]): string {
  if (costs.length === 0) return "There are no contractual costs. Set one with `tollgate fee cost set`.";
  const head = ["from", "provider", "method", "currency", "keeps"];
  const rows = costs.map(({ connector, paymentMethodType, currency, fromAt, rateMillionths, fixedMinor }) => [
    beginningText(fromAt),
    connector,
    paymentMethodType ?? "all",
    currency ?? "all",
    feeText({ ...termsAtRate(0), rateMillionths, fixedMinor }, currency),
  ]);
  return align([head, ...rows]);
}
