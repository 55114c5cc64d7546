import { bucketOf } from "../../core/bucket.ts";
import { isHomeHere } from "../../cells/home.sql.ts";
import type { ClientKey } from "../../core/client-key.ts";
import { parseId } from "../../core/id.ts";
import { fragment, sql, type Tx } from "../../postgres/sql.ts";
import {
  voidCode,
  type Payout,
  type PayoutStatus,
  type PayoutTrail,
  type TrailBreak,
  type TrailLine,
} from "./payout.ts";

/** Inserts a payout. A batch has at most one open payout: a unique index rejects a second one. */
export function insertPayout(tx: Tx, { bucket, clientId }: ClientKey, payout: Payout): void {
  tx.write(sql`
    insert into payouts (bucket, client_id, payout_id, batch_id, currency, amount_minor, account_id, bank, end_to_end_id,
      status, file_id, created_at)
    values (${bucket}, ${clientId}, ${payout.payoutId}, ${payout.batchId}, ${payout.amount.currency},
      ${payout.amount.minor}, ${payout.accountId}, ${payout.bank}, ${payout.payoutId}, ${payout.status}, ${payout.fileId},
      ${payout.createdAt})
  `);
}

/** Lists the payouts of a file, of all merchants, in file order. */
export async function listPayoutsOfFile(tx: Tx, fileId: string): Promise<readonly Payout[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<PayoutRow>(sql`
    select ${columns} from payouts where file_id = ${fileId} and ${isHomeHere} order by client_id, batch_id
  `);
  return rows.map(toPayout);
}

/**
 * Returns the payouts that are in the bytes of a file. A payout that failed with VOID left the file before it was
 * written. The bank may have rejected a payout before the handover was stored; it is in the file that the bank has.
 */
export async function listPayoutsInFile(tx: Tx, fileId: string): Promise<readonly Payout[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<PayoutRow>(sql`
    select ${columns} from payouts
    where file_id = ${fileId} and ${isHomeHere} and (status <> 'FAILED' or reason_code is distinct from ${voidCode})
    order by client_id, batch_id
  `);
  return rows.map(toPayout);
}

/**
 * Returns payouts of a file whose account ended, or whose merchant was held, after their creation. The database
 * rejects their handover.
 */
export async function listUnpayable(tx: Tx, fileId: string): Promise<ReadonlySet<string>> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ payout_id: string }>(sql`
    select p.payout_id from (select * from payouts where file_id = ${fileId} and status = 'CREATED' and ${isHomeHere}) as p
    join bank_accounts as a on a.bucket = p.bucket and a.client_id = p.client_id and a.account_id = p.account_id
    where a.ended_at is not null or payouts_are_held(p.bucket, p.client_id)
  `);
  return new Set(rows.map((row) => row.payout_id));
}

/** A payout with its reference at the bank. */
export interface ReferencedPayout extends Payout {
  readonly endToEndId: string;
}

/** Lists payouts of all merchants of this cell by their references at a bank. */
export async function listPayoutsByReference(
  tx: Tx,
  endToEndIds: readonly string[],
  fileIds: readonly string[],
): Promise<readonly ReferencedPayout[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<NamedRow>(sql`
    select ${columns}, end_to_end_id from payouts
    where (end_to_end_id = any (${endToEndIds}::text[]) or file_id = any (${fileIds}::text[])) and ${isHomeHere}
    order by payout_id
  `);
  return rows.map(toNamed);
}

export async function listPayouts(
  tx: Tx,
  { clientId, limit }: { readonly clientId: string | undefined; readonly limit: number },
): Promise<readonly (Payout & { readonly reasonCode: string | undefined })[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await (clientId === undefined
    ? tx.query<PayoutRow>(
        sql`select ${columns} from payouts where ${isHomeHere} order by payout_id desc limit ${limit}`,
      )
    : // This query reads by primary key: with an optional condition PostgreSQL would read all payouts of all merchants.
      tx.query<PayoutRow>(sql`
        select ${columns} from payouts where bucket = ${bucketOf(clientId)} and client_id = ${clientId} and ${isHomeHere}
        order by payout_id desc limit ${limit}
      `));
  return rows.map((row) => ({ ...toPayout(row), reasonCode: row.reason_code ?? undefined }));
}

/**
 * Lists the newest payouts of all merchants, or those of a reference: a payout id (end-to-end id), a batch id or a
 * file id.
 */
export async function listPayoutTrails(
  tx: Tx,
  { reference, limit }: { readonly reference: string | undefined; readonly limit: number },
): Promise<readonly PayoutTrail[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  // A batch id contains its bucket, which is the first column of the index.
  const bucket = reference === undefined ? undefined : parseId(reference)?.bucket;
  const rows = await tx.query<TrailRow>(sql`
    select p.client_id, p.payout_id, p.batch_id, p.currency, p.amount_minor, p.status, p.reason_code, p.bank, p.file_id,
      p.created_at, p.sent_at, p.finished_at, a.holder, a.iban_shown, (
        select coalesce(jsonb_agg(jsonb_build_object('bank', l.bank, 'entryReference', l.entry_reference, 'bookedAt', l.booked_at,
          'minor', (case when l.is_credit then l.amount_minor else -l.amount_minor end)::text) order by l.booked_at), '[]')
        from bank_lines as l where l.end_to_end_id = p.end_to_end_id
      ) as lines, (
        select coalesce(jsonb_agg(jsonb_build_object('breakId', b.break_id, 'kind', b.kind, 'isClosed', b.closed_at is not null)
          order by b.break_id), '[]')
        from breaks as b where coalesce(b.connector, '') = '' and b.subject = 'payout' and b.reference = p.end_to_end_id
          and b.resolved_at is null
      ) as breaks
    from (select * from payouts where ${isHomeHere}) as p
    join bank_accounts as a on a.bucket = p.bucket and a.client_id = p.client_id and a.account_id = p.account_id
    where ${reference}::text is null or p.end_to_end_id = ${reference} or p.file_id = ${reference}
      or (p.bucket = ${bucket}::smallint and p.batch_id = ${reference})
    order by p.payout_id desc limit ${limit}
  `);
  return rows.map(toTrail);
}

/** Locks payouts in the order of their ids, so that two imports cannot deadlock. */
export async function lockPayouts(
  tx: Tx,
  payouts: readonly Pick<ReferencedPayout, "endToEndId">[],
): Promise<readonly ReferencedPayout[]> {
  const rows = await tx.query<NamedRow>(sql`
    select ${columns}, end_to_end_id from payouts
    where end_to_end_id = any (${payouts.map(({ endToEndId }) => endToEndId)}::text[])
    order by payout_id for update
  `);
  return rows.map(toNamed);
}

type NamedRow = PayoutRow & { readonly end_to_end_id: string };

const toNamed = (row: NamedRow): ReferencedPayout => ({ ...toPayout(row), endToEndId: row.end_to_end_id });

/** Marks payouts as sent; returns those that were not sent before. */
export async function updatePayoutsSent(
  tx: Tx,
  payoutIds: readonly string[],
  at: Date,
): Promise<readonly Payout[]> {
  const rows = await tx.query<PayoutRow>(sql`
    update payouts set status = 'SENT', sent_at = ${at}
    where end_to_end_id = any (${payoutIds}::text[]) and status = 'CREATED'
    returning ${columns}
  `);
  return rows.map(toPayout);
}

export function updatePayoutStatus(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  payoutId: string,
  change: {
    readonly status: PayoutStatus;
    readonly reasonCode: string | undefined;
    readonly at: Date;
  },
): void {
  const isSent = change.status === "SENT";
  tx.write(sql`
    update payouts set status = ${change.status}, reason_code = coalesce(${change.reasonCode}, reason_code),
      sent_at = case when ${isSent} then ${change.at} else sent_at end,
      finished_at = case when ${isSent} then finished_at else ${change.at} end
    where bucket = ${bucket} and client_id = ${clientId} and payout_id = ${payoutId}
  `);
}

const columns = fragment`client_id, payout_id, batch_id, currency, amount_minor, account_id, bank, status, reason_code, file_id, created_at`;

interface PayoutRow {
  readonly client_id: string;
  readonly payout_id: string;
  readonly batch_id: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly account_id: string;
  readonly bank: string;
  readonly status: PayoutStatus;
  readonly reason_code: string | null;
  readonly file_id: string | null;
  readonly created_at: Date;
}

function toPayout(row: PayoutRow): Payout {
  return {
    clientId: row.client_id,
    payoutId: row.payout_id,
    batchId: row.batch_id,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    accountId: row.account_id,
    bank: row.bank,
    status: row.status,
    fileId: row.file_id ?? undefined,
    createdAt: row.created_at,
  };
}

interface TrailRow {
  readonly client_id: string;
  readonly payout_id: string;
  readonly batch_id: string;
  readonly currency: string;
  readonly amount_minor: string;
  readonly status: PayoutStatus;
  readonly reason_code: string | null;
  readonly bank: string;
  readonly file_id: string | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly finished_at: Date | null;
  readonly holder: string;
  readonly iban_shown: string;
  readonly lines: readonly TrailLine[];
  readonly breaks: readonly TrailBreak[];
}

function toTrail(row: TrailRow): PayoutTrail {
  return {
    clientId: row.client_id,
    payoutId: row.payout_id,
    batchId: row.batch_id,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    status: row.status,
    reasonCode: row.reason_code ?? undefined,
    bank: row.bank,
    fileId: row.file_id ?? undefined,
    holder: row.holder,
    ibanShown: row.iban_shown,
    createdAt: row.created_at,
    sentAt: row.sent_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
    lines: row.lines,
    breaks: row.breaks,
  };
}
