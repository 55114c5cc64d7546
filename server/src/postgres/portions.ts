import { sql, type Tx } from "./sql.ts";

/** Row-level security holds each row against all merchants of its transaction: of thousands, against this many at a time. */
const merchantsAtOnce = 100;

/** Goes through rows of many merchants, all of which the transaction was begun for, and sees those of one portion at a time. */
export async function inPortions<Row extends { readonly clientId: string }>(
  tx: Tx,
  rows: readonly Row[],
  work: (some: readonly Row[], clientIds: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += merchantsAtOnce) {
    const some = rows.slice(from, from + merchantsAtOnce);
    const clientIds = [...new Set(some.map(({ clientId }) => clientId))];
    await tx.query(sql`select set_config('app.clients', ${clientIds}::text[]::text, true)`);
    await work(some, clientIds);
  }
}
