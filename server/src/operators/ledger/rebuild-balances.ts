import { formatMoney } from "../../core/money.ts";
import { rebuildBalances, type RebuildResult } from "../../ledger/balance.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { actAsOwner, type ActResult, type ActAttribution } from "../../operator-session/owner-session.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** Timeout for one read of the whole ledger, which may be large. */
const statementTimeoutMs = 60 * 60 * 1000;

/** `rebuildAllBalances` sums all balances again, for a database that was restored on another server. */
export async function rebuildAllBalances(
  url: string,
  environment: Environment,
  by: ActAttribution = {},
): Promise<RebuildResult> {
  const rebuild = async (tx: Tx): Promise<ActResult<RebuildResult>> => {
    const value = await rebuildBalances(tx);
    const after = { rowCount: value.rowCount, changedCount: value.differences.length };
    return { value, audit: { act: "balances rebuild", subject: "all balances", after } };
  };
  return actAsOwner({ url, environment, by }, systemScope, rebuild, { statementTimeoutMs });
}

/** Formats the balances that were wrong. */
export function rebuildTable({ rowCount, differences }: RebuildResult): string {
  const summary = `${rowCount} ledger rows, ${differences.length} balances changed.`;
  const head = ["client", "account", "was", "is"];
  const rows = differences.map(({ clientId, account, currency, wasMinor, sumMinor }) => [
    clientId,
    account,
    formatMoney({ currency, minor: wasMinor }),
    formatMoney({ currency, minor: sumMinor }),
  ]);
  return differences.length === 0 ? summary : `${formatTextTable([head, ...rows])}\n${summary}`;
}
