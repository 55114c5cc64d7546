import { sql, type Tx } from "./sql.ts";

export async function databaseTimeMs(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ ms: number }>(sql`
    select extract(epoch from clock_timestamp())::double precision * 1000 as ms
  `);
  if (!row) throw new Error("The database did not return its time.");
  return row.ms;
}
