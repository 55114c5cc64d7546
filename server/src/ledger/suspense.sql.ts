import { sql, type Tx } from "../postgres/sql.ts";

/** Money that arrived after the merchant was notified of a failure and was not returned yet, for all merchants. */
export interface Suspense {
  readonly currency: string;
  /** A metric, not used for calculations, so a floating-point number is exact enough. */
  readonly minor: number;
}

export async function listSuspense(tx: Tx): Promise<readonly Suspense[]> {
  return tx.query<{ currency: string; minor: number }>(sql`
    select currency, minor::float8 as minor from money_in_suspense()
  `);
}
