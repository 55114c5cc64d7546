import { requireCommitted, openDatabase, systemScope } from "../../server/src/postgres/database.ts";
import type { Tx } from "../../server/src/postgres/sql.ts";

const reportTimeoutMs = 10 * 60_000;

/** `runAsOwner` runs one transaction of a command with the owner's database login. */
export async function runAsOwner<Value>(url: string, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const database = openDatabase({
    url,
    applicationName: "tollgate accounts command",
    connectionsMax: 1,
    statementTimeoutMs: reportTimeoutMs,
    readsWholeTables: true,
    onFault: () => undefined,
  });
  try {
    return requireCommitted(await database.transaction(systemScope, work));
  } finally {
    await database.close();
  }
}
