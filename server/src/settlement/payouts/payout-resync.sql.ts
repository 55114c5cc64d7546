import { sql, type Tx } from "../../postgres/sql.ts";

/** The newest payout file in a bank's folder, as two people stated it after a restore. */
export interface Resync {
  readonly bank: string;
  readonly newestFile: string;
}

export async function insertResync(
  tx: Tx,
  { bank, newestFile, by }: Resync & { readonly by: string },
): Promise<void> {
  await tx.query(sql`
    insert into payout_resyncs (bank, newest_file, requested_by) values (${bank}, ${newestFile}, ${by})
  `);
}

/** Returns an unconfirmed request of the last 24 hours to record the newest payout file. */
export async function findOpenResync(
  tx: Tx,
  bank: string,
  newestFile: string,
): Promise<{ readonly requestedAt: string; readonly isOwn: boolean } | undefined> {
  const [row] = await tx.query<{ requested_at: string; is_own: boolean }>(sql`
    select requested_at::text, requested_login = session_user as is_own from payout_resyncs
    where bank = ${bank} and newest_file = ${newestFile} and confirmed_at is null
      and requested_at > clock_timestamp() - interval '1 day'
    order by requested_at desc limit 1
  `);
  return row && { requestedAt: row.requested_at, isOwn: row.is_own };
}

/** Confirms a request to record the newest payout file. In live the database rejects the login that requested it. */
export async function updateResyncConfirmed(
  tx: Tx,
  { bank, newestFile, requestedAt }: Resync & { readonly requestedAt: string },
  by: string,
): Promise<void> {
  await tx.query(sql`
    update payout_resyncs set confirmed_by = ${by}
    where bank = ${bank} and newest_file = ${newestFile} and requested_at = ${requestedAt}::timestamptz
  `);
}

export async function findConfirmedResync(
  tx: Tx,
  bank: string,
): Promise<{ readonly newestFile: string; readonly confirmedAt: Date } | undefined> {
  const [row] = await tx.query<{ newest_file: string; confirmed_at: Date }>(sql`
    select newest_file, confirmed_at from payout_resyncs
    where bank = ${bank} and confirmed_at is not null order by confirmed_at desc limit 1
  `);
  return row && { newestFile: row.newest_file, confirmedAt: row.confirmed_at };
}
