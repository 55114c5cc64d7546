import { accountingMonth } from "../core/accounting-day.ts";
import { findLastClosedMonth, listChangedSums } from "../ledger/trial-balance.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Break } from "./break.ts";

/** Returns the breaks of closed months: accounts whose closing balance changed after the month was closed. */
export async function listChangedMonths(tx: Tx): Promise<readonly Break[]> {
  const month = await findLastClosedMonth(tx);
  if (month === undefined) return [];
  const changed = await listChangedSums(tx, month, accountingMonth(month).until);
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
