import { sql, type Tx } from "../postgres/sql.ts";

/** Money that came after its merchant was told "no" and has not gone back, of all merchants together. */
export interface Suspense {
  readonly currency: string;
  /** A count for a metric, and no amount to reckon with: so a number is exact enough. */
  readonly minor: number;
}

export async function listSuspense(tx: Tx): Promise<readonly Suspense[]> {
  return tx.query<{ currency: string; minor: number }>(sql`
    select currency, minor::float8 as minor from money_in_suspense()
  `);
}
