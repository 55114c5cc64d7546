import { sql, type Tx } from "./sql.ts";

/** The newest applied migration. */
export async function findNewestMigration(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ name: string }>(sql`select name from migrations order by name desc limit 1`);
  return row?.name.replace(/\.sql$/, "") ?? "none";
}
