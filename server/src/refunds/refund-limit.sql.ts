import { sql, type Tx } from "../postgres/sql.ts";

export interface PersonRefunds {
  readonly personId: string;
  /** The client ids of the person's access token. */
  readonly clientIds: readonly string[];
  readonly currency: string;
  readonly since: Date;
}

/**
 * `sumPersonRefunds` sums the refunds that a person requested in the console since a moment, in minor units, from the
 * audit log. A repeated request counts once.
 *
 * Call it after the audit row of the current refund is inserted. That insert holds the audit lock until the commit, so
 * refunds of one person are summed one after the other (no lost update). The function extends the transaction to all
 * clients of the person, so it must be the last statement.
 */
export async function sumPersonRefunds(
  tx: Tx,
  { personId, clientIds, currency, since }: PersonRefunds,
): Promise<bigint> {
  await tx.query(sql`select set_config('app.clients', ${clientIds}::text[]::text, true)`);
  // The query reads each client's audit rows backwards by the index, and stops after the first row that is too old.
  const [row] = await tx.query<{ minor: string }>(sql`
    with recursive entries as (
      select newest.* from unnest(${clientIds}::text[]) as client (id) cross join lateral (
        select seq, at, actor_kind, actor, act, about_client, after from audit
        where about_client = client.id order by seq desc limit 1) as newest
      union all
      select older.* from entries cross join lateral (
        select seq, at, actor_kind, actor, act, about_client, after from audit
        where about_client = entries.about_client and seq < entries.seq order by seq desc limit 1) as older
      where entries.at >= ${since}
    ), refunds as (
      select distinct on (about_client, after ->> 'refundRequestId') (after -> 'refundAmount' ->> 'value')::numeric as minor
      from entries where at >= ${since} and actor_kind = 'person' and actor = ${personId} and act = 'payments/refund'
        and after -> 'refundAmount' ->> 'currency' = ${currency}
    )
    select coalesce(sum(minor), 0)::text as minor from refunds
  `);
  return BigInt(row?.minor ?? 0);
}
