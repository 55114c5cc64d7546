import { formatMoney } from "../core/money.ts";
import { rebuildBalances, type Rebuilt } from "../ledger/balance.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import { asOwner } from "./as-owner.ts";
import { align } from "./table.ts";

/** Timeout for one read of the whole ledger, which may be large. */
const statementTimeoutMs = 60 * 60 * 1000;

/** Sums all balances anew, for a database restored on another server. */
export async function rebuildAllBalances(url: string, environment: Environment): Promise<Rebuilt> {
  return asOwner(url, environment, systemScope, rebuildBalances, { statementTimeoutMs });
}

/** For people: which balances were wrong. */
export function rebuiltTable({ rowCount, differences }: Rebuilt): string {
  const summary = `${rowCount} rows of the ledger, ${differences.length} balances changed.`;
  const head = ["client", "account", "was", "is"];
  const rows = differences.map(({ clientId, account, currency, wasMinor, sumMinor }) => [
    clientId,
    account,
    formatMoney({ currency, minor: wasMinor }),
    formatMoney({ currency, minor: sumMinor }),
  ]);
  return differences.length === 0 ? summary : `${align([head, ...rows])}\n${summary}`;
}
