import { accountingMonth, isAccountingMonth } from "../../core/accounting-day.ts";
import {
  findLastClosed,
  insertClosedMonth,
  listAccountSums,
  listClosedMonths,
  type ClosedMonth,
} from "../../ledger/trial-balance.sql.ts";
import { trialTotals } from "../../ledger/trial-balance.ts";
import { lockReconciliation } from "../../reconciliation/compare.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { actAsOwner, asOwner, type Acted, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { shownTime, align } from "../../formats/text-table.ts";

/** Timeout for reads of the whole ledger. */
const statementTimeoutMs = 30 * 60 * 1000;
/** Minimum time from the end of a month to its closing, so that transactions of its last moment have committed. */
const restMs = 60 * 60 * 1000;

export interface Closed {
  readonly month: string;
  readonly rowCount: number;
  readonly sumCount: number;
}

/**
 * `closeMonth` closes a month of the books: it stores the closing balance of each account, with which `reconcile`
 * compares later.
 */
export async function closeMonth(operator: Operator, month: string, now: Date): Promise<Closed> {
  if (!isAccountingMonth(month))
    throw new UsageError("The month is missing or invalid. Write it as 2026-11.");
  const ends = accountingMonth(month);
  if (ends.until.getTime() + restMs > now.getTime())
    throw new CommandFailed(
      `${month} ends at ${ends.until.toISOString()}. It can be closed one hour after that.`,
    );
  const close = async (tx: Tx): Promise<Acted<Closed>> => {
    // Lock: a concurrent bank import posts at booking dates, which may be in the month that is being closed.
    await lockReconciliation(tx);
    const last = await findLastClosed(tx);
    if (last !== undefined && month <= last)
      throw new CommandFailed(
        `${last} is already closed, and all months before it. \`match\` reports later postings.`,
      );
    const totals = trialTotals(await listAccountSums(tx, ends.until));
    if (totals.some(({ debitMinor, creditMinor }) => debitMinor !== creditMinor))
      throw new CommandFailed(
        "Debits do not equal credits, so the month was not closed. See `tollgate trial-balance`.",
      );
    const value = { month, ...(await insertClosedMonth(tx, { month, ...ends }, now)) };
    return { value, audit: { act: "period close", subject: month, after: value } };
  };
  return actAsOwner(operator, systemScope, close, { statementTimeoutMs });
}

export async function findClosedMonths({ url, environment }: Operator): Promise<readonly ClosedMonth[]> {
  return asOwner(url, environment, systemScope, listClosedMonths);
}

export function closedTable(months: readonly ClosedMonth[]): string {
  if (months.length === 0) return "No month is closed yet.";
  const rows = months.map(({ month, closedAt, rowCount }) => [month, shownTime(closedAt), String(rowCount)]);
  return align([["month", "closed", "rows"], ...rows]);
}
