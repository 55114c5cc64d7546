import { sql, type Tx } from "./sql.ts";

/** Which environment this database holds. */
export async function findEnvironment(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`select name from environment`);
  return row?.name;
}

/** From here on the transaction refuses to change anything. */
export async function setReadOnly(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('transaction_read_only', 'on', true)`);
}
