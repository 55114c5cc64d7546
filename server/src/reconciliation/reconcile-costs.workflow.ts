import { accountingDayOf, nextAccountingDay, startOfAccountingDay } from "../core/accounting-day.ts";
import { listProviderCosts } from "../ledger/fee-rule.sql.ts";
import type { ProviderCost } from "../ledger/fee-rule.ts";
import { hasHouseAccount } from "../ledger/house-account.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { costBreakKinds, type Break, type BreakKind } from "./break.ts";
import type { CutOff } from "./compare.sql.ts";
import { listDifferentPayouts, type ComparedPayout } from "./provider-payout.sql.ts";
import { listDaysWithDifference, listReportedByProviders, listReportedDays } from "./provider-cost.sql.ts";
import { compareCosts, type ComparedCost } from "./provider-cost.ts";

interface Scope {
  readonly connector: string | undefined;
  readonly cutOffs: readonly CutOff[];
  /** The accounting day whose fees are compared, together with days that differed before; absent for all days. */
  readonly day: string | undefined;
}

/**
 * `compareWithContracts` compares providers' fees with their contracts, and providers' payouts with their rows. Fees of
 * providers without a contract are skipped.
 */
export async function compareWithContracts(
  tx: Tx,
  { connector, cutOffs, day }: Scope,
): Promise<{ readonly breaks: readonly Break[]; readonly checkedKinds: readonly BreakKind[] }> {
  if (!(await hasHouseAccount(tx))) return { breaks: [], checkedKinds: [] };
  const costs = await listProviderCosts(tx, connector);
  const payouts = await listDifferentPayouts(tx, { connector, day });
  const breaks: Break[] = payouts.filter((payout) => isPayoutDue(payout, cutOffs)).map(payoutBreak);
  for (const each of await daysToCompare(tx, costs, day)) {
    const [from, until] = [startOfAccountingDay(each), startOfAccountingDay(nextAccountingDay(each))];
    const isDue = (provider: string): boolean =>
      costs.some((cost) => cost.connector === provider && cost.fromAt <= from) &&
      cutOffs.some((cutOff) => cutOff.connector === provider && cutOff.until >= until);
    const compared = compareCosts(costs, await listReportedByProviders(tx, { connector, from, until }));
    const found = compared.filter((cost) => cost.isDifferent && isDue(cost.connector));
    breaks.push(...found.map((cost) => costBreak(cost, each)));
  }
  return { breaks, checkedKinds: costBreakKinds };
}

async function daysToCompare(
  tx: Tx,
  costs: readonly ProviderCost[],
  day: string | undefined,
): Promise<readonly string[]> {
  const [first] = costs.map(({ fromAt }) => accountingDayOf(fromAt)).toSorted();
  if (first === undefined) return [];
  return day === undefined
    ? listReportedDays(tx, first)
    : [...new Set([day, ...(await listDaysWithDifference(tx))])];
}

/**
 * A payout is compared when the provider's files reach beyond its row, or beyond the value date of its rows if it has no
 * row.
 */
function isPayoutDue({ connector, at }: ComparedPayout, cutOffs: readonly CutOff[]): boolean {
  return cutOffs.some((cutOff) => cutOff.connector === connector && at !== undefined && at < cutOff.until);
}

function payoutBreak({ connector, payoutId, currency, paidMinor, rowsMinor, at }: ComparedPayout): Break {
  return {
    kind: "provider payout differs",
    connector,
    subject: "payout",
    reference: payoutId,
    paymentId: undefined,
    currency,
    sums: { provider: { currency, minor: paidMinor }, expected: { currency, minor: rowsMinor } },
    at,
  };
}

function costBreak(
  { connector, currency, paymentId, reference, expectedMinor, keptMinor }: ComparedCost,
  day: string,
): Break {
  return {
    kind: "provider fee differs",
    connector,
    subject: "provider fee",
    reference: reference ?? paymentId ?? day,
    paymentId,
    currency,
    sums: { provider: { currency, minor: keptMinor }, expected: { currency, minor: expectedMinor } },
    at: startOfAccountingDay(day),
  };
}
