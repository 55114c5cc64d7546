import { bookDayOf, nextBookDay, startOfBookDay } from "../core/book-day.ts";
import { listWalletCosts } from "../ledger/fee-rule.sql.ts";
import type { WalletCost } from "../ledger/fee-rule.ts";
import { findHasHouse } from "../ledger/house.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { costBreakKinds, type Break, type BreakKind } from "../reconciliation/break.ts";
import type { CutOff } from "../reconciliation/compare.sql.ts";
import {
  listDaysWithDifference,
  listToldByWallets,
  listToldDays,
} from "../reconciliation/wallet-cost.sql.ts";
import { comparedCosts, type ComparedCost } from "../reconciliation/wallet-cost.ts";

interface Scope {
  readonly connector: string | undefined;
  readonly cutOffs: readonly CutOff[];
  /** A day of the books, of which alone fees are compared, beside those that differed before; all of them when absent. */
  readonly day: string | undefined;
}

/** What wallets kept for their work, against their contracts. Of a wallet without a contract nothing is expected, and nothing compared. */
export async function compareWithContracts(
  tx: Tx,
  { connector, cutOffs, day }: Scope,
): Promise<{ readonly breaks: readonly Break[]; readonly lookedFor: readonly BreakKind[] }> {
  if (!(await findHasHouse(tx))) return { breaks: [], lookedFor: [] };
  const costs = await listWalletCosts(tx, connector);
  const breaks: Break[] = [];
  for (const each of await daysToCompare(tx, costs, day)) {
    const [from, until] = [startOfBookDay(each), startOfBookDay(nextBookDay(each))];
    const isDue = (wallet: string): boolean =>
      costs.some((cost) => cost.connector === wallet && cost.fromAt <= from) &&
      cutOffs.some((cutOff) => cutOff.connector === wallet && cutOff.until >= until);
    const compared = comparedCosts(costs, await listToldByWallets(tx, { connector, from, until }));
    const found = compared.filter((cost) => cost.isDifferent && isDue(cost.connector));
    breaks.push(...found.map((cost) => costBreak(cost, each)));
  }
  return { breaks, lookedFor: costBreakKinds };
}

async function daysToCompare(
  tx: Tx,
  costs: readonly WalletCost[],
  day: string | undefined,
): Promise<readonly string[]> {
  const [first] = costs.map(({ fromAt }) => bookDayOf(fromAt)).toSorted();
  if (first === undefined) return [];
  return day === undefined
    ? listToldDays(tx, first)
    : [...new Set([day, ...(await listDaysWithDifference(tx))])];
}

function costBreak(
  { connector, currency, paymentId, expectedMinor, keptMinor }: ComparedCost,
  day: string,
): Break {
  return {
    kind: "wallet fee differs",
    connector,
    subject: "wallet fee",
    reference: paymentId ?? day,
    paymentId,
    currency,
    sums: { wallet: { currency, minor: keptMinor }, expected: { currency, minor: expectedMinor } },
    at: startOfBookDay(day),
  };
}
