import { bookMonth, isBookMonth } from "../core/book-day.ts";
import {
  findLastClosed,
  insertClosedMonth,
  listAccountSums,
  listClosedMonths,
  type ClosedMonth,
} from "../ledger/trial-balance.sql.ts";
import { trialTotals } from "../ledger/trial-balance.ts";
import { lockMatching } from "../reconciliation/compare.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { actAsOwner, asOwner, type Acted, type Operator } from "./as-owner.ts";
import { Impossible, UsageError } from "./command.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

/** Timeout for reads of the whole ledger. */
const statementTimeoutMs = 30 * 60 * 1000;
/** How long after its end a month can be closed: what was posted in its last moment has been committed by then. */
const restMs = 60 * 60 * 1000;

export interface Closed {
  readonly month: string;
  readonly rowCount: number;
  readonly sumCount: number;
}

/** Closes a month of the books: writes down what stands in each account at its end, for `match` to compare. */
export async function closeMonth(operator: Operator, month: string, now: Date): Promise<Closed> {
  if (!isBookMonth(month)) throw new UsageError("Say which month, such as 2026-11.");
  const ends = bookMonth(month);
  if (ends.until.getTime() + restMs > now.getTime())
    throw new Impossible(`${month} ends at ${ends.until.toISOString()}: it can be closed an hour later.`);
  const close = async (tx: Tx): Promise<Acted<Closed>> => {
    // A bank's statement is posted at its booking dates: not into a month that is closed at the same moment.
    await lockMatching(tx);
    const last = await findLastClosed(tx);
    if (last !== undefined && month <= last)
      throw new Impossible(
        `${last} was closed, and with it all months before. What was posted since, \`match\` tells.`,
      );
    const totals = trialTotals(await listAccountSums(tx, ends.until));
    if (totals.some(({ debitMinor, creditMinor }) => debitMinor !== creditMinor))
      throw new Impossible("Debits are not credits: `trial-balance` shows where. Nothing was closed.");
    const value = { month, ...(await insertClosedMonth(tx, { month, ...ends }, now)) };
    return { value, audit: { act: "period close", subject: month, after: value } };
  };
  return actAsOwner(operator, systemScope, close, { statementTimeoutMs });
}

export async function findClosedMonths({ url, environment }: Operator): Promise<readonly ClosedMonth[]> {
  return asOwner(url, environment, systemScope, listClosedMonths);
}

export function closedTable(months: readonly ClosedMonth[]): string {
  if (months.length === 0) return "No month was closed yet.";
  const rows = months.map(({ month, closedAt, rowCount }) => [month, shownTime(closedAt), String(rowCount)]);
  return align([["month", "closed", "rows"], ...rows]);
}
