import { sql, type Tx } from "../postgres/sql.ts";

/** Numbers of a cell's merchants, from its database. */
export interface CellCounts {
  readonly merchants: number;
  /** Number of merchants that were moved to this cell, and whose home it is. */
  readonly arrived: number;
  readonly gone: number;
  /** Merchants with an unfinished move. */
  readonly moving: number;
}

export async function countMerchants(tx: Tx): Promise<CellCounts> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const [row] = await tx.query<CellCounts>(sql`
    select (select count(*)::int from clients
        where client_id not in (select client from client_homes where state <> 'here')) as merchants,
      (count(*) filter (where state = 'here'))::int as arrived, (count(*) filter (where state = 'gone'))::int as gone,
      (count(*) filter (where state not in ('here', 'gone')))::int as moving
    from client_homes
  `);
  return row ?? { merchants: 0, arrived: 0, gone: 0, moving: 0 };
}
