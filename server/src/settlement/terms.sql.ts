import type { ClientKey } from "../core/client-key.ts";
import { isHomeHere } from "../cells/home.sql.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Cycle, Terms } from "./batch.ts";

/**
 * Lists a merchant's terms in one currency, oldest first, and locks the terms, so that one process at a time settles
 * the merchant.
 */
export async function lockTerms(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  currency: string,
): Promise<readonly Terms[]> {
  const rows = await tx.query<TermsRow>(sql`
    select from_day::text, cycle, days_after, minimum_minor, reserve_basis_points, reserve_days, settle_in
    from settlement_terms where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
    order by from_day for update
  `);
  return rows.map((row) => ({
    fromDay: row.from_day,
    cycle: row.cycle,
    daysAfter: row.days_after,
    minimumMinor: BigInt(row.minimum_minor),
    reserveBasisPoints: row.reserve_basis_points,
    reserveDays: row.reserve_days,
    settleIn: row.settle_in ?? undefined,
  }));
}

interface TermsRow {
  readonly from_day: string;
  readonly cycle: Cycle;
  readonly days_after: number;
  readonly minimum_minor: string;
  readonly reserve_basis_points: number;
  readonly reserve_days: number;
  readonly settle_in: string | null;
}

/** Lists merchants of this cell with terms, by currency. It needs an operator with oversight over all merchants. */
export async function listMerchantsWithTerms(
  tx: Tx,
): Promise<readonly { readonly clientId: string; readonly currency: string }[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ client_id: string; currency: string }>(sql`
    select client_id, currency from settlement_terms where ${isHomeHere} group by client_id, currency order by client_id, currency
  `);
  return rows.map((row) => ({ clientId: row.client_id, currency: row.currency }));
}

/** Inserts terms, or replaces those of the same day. Terms for a future day may be changed until that day. */
export async function insertTerms(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  currency: string,
  terms: Terms,
): Promise<void> {
  await tx.query(sql`
    insert into settlement_terms
      (bucket, client_id, currency, from_day, cycle, days_after, minimum_minor, reserve_basis_points, reserve_days,
        settle_in)
    values (${bucket}, ${clientId}, ${currency}, ${terms.fromDay}, ${terms.cycle}, ${terms.daysAfter},
      ${terms.minimumMinor}, ${terms.reserveBasisPoints}, ${terms.reserveDays}, ${terms.settleIn})
    on conflict (bucket, client_id, currency, from_day) do update set cycle = excluded.cycle,
      days_after = excluded.days_after, minimum_minor = excluded.minimum_minor,
      reserve_basis_points = excluded.reserve_basis_points, reserve_days = excluded.reserve_days,
      settle_in = excluded.settle_in
  `);
}
