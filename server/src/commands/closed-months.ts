import { bookMonth } from "../core/book-day.ts";
import { findLastClosed, listChangedSums } from "../ledger/trial-balance.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Break } from "../reconciliation/break.ts";

/** Breaks of `match`: accounts in which something else stands than when their month was closed. */
export async function listChangedMonths(tx: Tx): Promise<readonly Break[]> {
  const month = await findLastClosed(tx);
  if (month === undefined) return [];
  const changed = await listChangedSums(tx, month, bookMonth(month).until);
  return changed.map(({ client, account, currency, closedMinor, nowMinor }) => ({
    kind: "closed month",
    connector: undefined,
    subject: account,
    reference: `${month} ${client}`,
    paymentId: undefined,
    currency,
    sums: {
      written: { currency, minor: closedMinor },
      expected: { currency, minor: nowMinor },
    },
    at: undefined,
  }));
}
