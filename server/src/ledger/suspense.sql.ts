import { sql, type Tx } from "../postgres/sql.ts";

/** Money of all merchants that arrived after the merchant was notified of a failure, and was not returned yet. */
export interface Suspense {
  readonly currency: string;
  /** The amount in minor units. It is only for a metric, so a floating-point number is exact enough. */
  readonly minor: number;
}

export async function listSuspense(tx: Tx): Promise<readonly Suspense[]> {
  return tx.query<{ currency: string; minor: number }>(sql`
    select currency, minor::float8 as minor from money_in_suspense()
  `);
}
