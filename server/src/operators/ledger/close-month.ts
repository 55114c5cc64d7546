import { accountingMonth, isAccountingMonth } from "../../core/accounting-day.ts";
import {
  findLastClosedMonth,
  insertClosedMonth,
  listAccountSums,
  listClosedMonths,
  type ClosedMonth,
} from "../../ledger/trial-balance.sql.ts";
import { sumByCurrency } from "../../ledger/trial-balance.ts";
import { lockReconciliation } from "../../reconciliation/compare.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  actAsOwner,
  queryAsOwner,
  type ActResult,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/** Timeout for reads of the whole ledger. */
const statementTimeoutMs = 30 * 60 * 1000;
/** Minimum time from the end of a month to its closing, so that transactions of its last moment have committed. */
const closingDelayMs = 60 * 60 * 1000;

export interface ClosingResult {
  readonly month: string;
  readonly rowCount: number;
  readonly sumCount: number;
}

/**
 * `closeMonth` closes a month of the books: it stores the closing balance of each account, with which `reconcile`
 * compares later.
 */
export async function closeMonth(operator: Operator, month: string, now: Date): Promise<ClosingResult> {
  if (!isAccountingMonth(month))
    throw new UsageError("The month is missing or invalid. Write it as 2026-11.");
  const period = accountingMonth(month);
  if (period.until.getTime() + closingDelayMs > now.getTime())
    throw new CommandFailed(
      `${month} ends at ${period.until.toISOString()}. It can be closed one hour after that.`,
    );
  const close = async (tx: Tx): Promise<ActResult<ClosingResult>> => {
    // Lock: a concurrent bank import posts at booking dates, which may be in the month that is being closed.
    await lockReconciliation(tx);
    const last = await findLastClosedMonth(tx);
    if (last !== undefined && month <= last)
      throw new CommandFailed(
        `${last} is already closed, and all months before it. \`reconcile\` reports later postings.`,
      );
    const totals = sumByCurrency(await listAccountSums(tx, period.until));
    if (totals.some(({ debitMinor, creditMinor }) => debitMinor !== creditMinor))
      throw new CommandFailed(
        "Debits do not equal credits, so the month was not closed. See `tollgate trial-balance`.",
      );
    const value = { month, ...(await insertClosedMonth(tx, { month, ...period }, now)) };
    return { value, audit: { act: "period close", subject: month, after: value } };
  };
  return actAsOwner(operator, systemScope, close, { statementTimeoutMs });
}

export async function findClosedMonths({ url, environment }: Operator): Promise<readonly ClosedMonth[]> {
  return queryAsOwner(url, environment, systemScope, listClosedMonths);
}

export function closedMonthsTable(months: readonly ClosedMonth[]): string {
  if (months.length === 0) return "No month is closed yet.";
  const rows = months.map(({ month, closedAt, rowCount }) => [
    month,
    formatUtcTime(closedAt),
    String(rowCount),
  ]);
  return formatTextTable([["month", "closed", "rows"], ...rows]);
}
