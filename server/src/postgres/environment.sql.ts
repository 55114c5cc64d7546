import { sql, type Tx } from "./sql.ts";

/** The environment of this database. */
export async function findEnvironment(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`select name from environment`);
  return row?.name;
}

/** Makes the rest of the transaction read-only. */
export async function setReadOnly(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('transaction_read_only', 'on', true)`);
}
