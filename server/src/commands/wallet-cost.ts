import { isBookDay, nextBookDay, startOfBookDay } from "../core/book-day.ts";
import { insertWalletCost, listWalletCosts } from "../ledger/fee-rule.sql.ts";
import type { WalletCost } from "../ledger/fee-rule.ts";
import { termsAtRate } from "../ledger/fee.ts";
import { systemScope } from "../postgres/database.ts";
import { listToldByWallets } from "../reconciliation/wallet-cost.sql.ts";
import { comparedCosts, type ComparedCost } from "../reconciliation/wallet-cost.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { findConnector } from "./connector.ts";
import {
  beginningText,
  feeText,
  needsCurrency,
  newRuleId,
  percentText,
  refuseOddScope,
  scopeText,
  sumText,
} from "./fee.ts";
import { align } from "./table.ts";

/** Adds what a wallet should keep from a day on. It moves no money: the fees in its files are compared with it. */
export async function setWalletCost(
  operator: Operator,
  asked: Omit<WalletCost, "fromAt" | "setAt"> & { readonly from: string },
): Promise<WalletCost> {
  const { from, ...cost } = asked;
  const scope = { ...cost, clientId: undefined };
  const fromAt = startOf(from);
  refuseOddScope(scope);
  if (cost.currency === undefined && cost.fixedMinor > 0n) throw new Impossible(needsCurrency);
  await findConnector(operator, cost.connector);
  return actAsOwner(operator, systemScope, async (tx) => {
    await insertWalletCost(tx, { ...cost, fromAt, costId: newRuleId() });
    const { rateMillionths, fixedMinor } = cost;
    const after = { rate: percentText(rateMillionths), fixedMinor: String(fixedMinor) };
    const subject = `${cost.connector}, ${scopeText(scope)} from ${from}`;
    return { value: { ...cost, fromAt, setAt: new Date() }, audit: { act: "fee cost set", subject, after } };
  });
}

export async function findWalletCosts(
  { url, environment }: Operator,
  connector: string | undefined,
): Promise<readonly WalletCost[]> {
  const costs = await asOwner(url, environment, systemScope, (tx) => listWalletCosts(tx, connector));
  return costs.toSorted((a, b) => b.fromAt.getTime() - a.fromAt.getTime());
}

function startOf(day: string): Date {
  if (!isBookDay(day))
    throw new Impossible(`${day}: it has to be a day of the calendar, such as 2026-12-01.`);
  return startOfBookDay(day);
}

/** Compares a day of the books, by the times in the wallets' files. Contracts begin with a day, so one is good for all of it. */
export async function compareWalletCosts(
  { url, environment }: Operator,
  { connector, day }: { readonly connector: string | undefined; readonly day: string },
): Promise<readonly ComparedCost[]> {
  const [from, until] = [startOf(day), startOf(nextBookDay(day))];
  return asOwner(url, environment, systemScope, async (tx) => {
    const told = await listToldByWallets(tx, { connector, from, until });
    const ofWallets = told.map((each) => ({ ...each, paymentId: undefined }));
    return comparedCosts(await listWalletCosts(tx, connector), ofWallets);
  });
}

export function comparedCostTable(compared: readonly ComparedCost[]): string {
  if (compared.length === 0) return "The wallets' files have nothing of that day.";
  const head = ["wallet", "currency", "payments", "should keep", "kept", ""];
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

export function walletCostTable(costs: readonly WalletCost[]): string {
  if (costs.length === 0) return "There are none: `tollgate fee cost set` adds one.";
  const head = ["from", "wallet", "method", "currency", "keeps"];
  const rows = costs.map(({ connector, paymentMethodType, currency, fromAt, rateMillionths, fixedMinor }) => [
    beginningText(fromAt),
    connector,
    paymentMethodType ?? "all",
    currency ?? "all",
    feeText({ ...termsAtRate(0), rateMillionths, fixedMinor }, currency),
  ]);
  return align([head, ...rows]);
}
