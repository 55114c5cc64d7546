import { sql, type Tx } from "./sql.ts";

/** Which environment this database holds. */
export async function findEnvironment(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`select name from environment`);
  return row?.name;
}
