import { formatMoney } from "../../core/money.ts";
import { rebuildBalances, type Rebuilt } from "../../ledger/balance.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { actAsOwner, type Acted, type ActsFor } from "../../operator-session/as-owner.ts";
import { align } from "../../formats/text-table.ts";

/** Timeout for one read of the whole ledger, which may be large. */
const statementTimeoutMs = 60 * 60 * 1000;

/** `rebuildAllBalances` sums all balances again, for a database that was restored on another server. */
export async function rebuildAllBalances(
  url: string,
  environment: Environment,
  by: ActsFor = {},
): Promise<Rebuilt> {
  const rebuild = async (tx: Tx): Promise<Acted<Rebuilt>> => {
    const value = await rebuildBalances(tx);
    const after = { rowCount: value.rowCount, changedCount: value.differences.length };
    return { value, audit: { act: "balances rebuild", subject: "all balances", after } };
  };
  return actAsOwner({ url, environment, by }, systemScope, rebuild, { statementTimeoutMs });
}

/** Formats the balances that were wrong. */
export function rebuiltTable({ rowCount, differences }: Rebuilt): string {
  const summary = `${rowCount} ledger rows, ${differences.length} balances changed.`;
  const head = ["client", "account", "was", "is"];
  const rows = differences.map(({ clientId, account, currency, wasMinor, sumMinor }) => [
    clientId,
    account,
    formatMoney({ currency, minor: wasMinor }),
    formatMoney({ currency, minor: sumMinor }),
  ]);
  return differences.length === 0 ? summary : `${align([head, ...rows])}\n${summary}`;
}
