import { committed, openDatabase, systemScope } from "../../server/src/postgres/database.ts";
import type { Tx } from "../../server/src/postgres/sql.ts";

const reportTimeoutMs = 10 * 60_000;

/** `asOwner` runs one transaction of a command with the owner's database login. */
export async function asOwner<Value>(url: string, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const database = openDatabase({
    url,
    applicationName: "tollgate accounts command",
    connectionsMax: 1,
    statementTimeoutMs: reportTimeoutMs,
    readsWholeTables: true,
    onFault: () => undefined,
  });
  try {
    return committed(await database.transaction(systemScope, work));
  } finally {
    await database.close();
  }
}
