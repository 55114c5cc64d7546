import { isHomeHere } from "../cells/home.sql.ts";
import { bucketOf } from "../core/bucket.ts";
import type { ClientKey } from "../core/client-key.ts";
import { effectsAfterBatches } from "../ledger/payout-effects.ts";
import { payableAccount } from "../ledger/transfer.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Batch, BatchStatus, DueBatch, HeldReserve, MovementSum } from "./batch.ts";
import { payoutIdOf } from "./payouts/payout-id.ts";

/** A merchant and a currency. */
export interface SettlementKey extends ClientKey {
  readonly currency: string;
}

/** Returns the last accounting day that a batch of the merchant covers. */
export async function findClosedDay(tx: Tx, key: SettlementKey): Promise<string | undefined> {
  const [row] = await tx.query<{ day: string | null }>(sql`
    select max(to_day)::text as day from settlement_batches
    where bucket = ${key.bucket} and client_id = ${key.clientId} and currency = ${key.currency}
  `);
  return row?.day ?? undefined;
}

/** Condition: no batch contains row `l` of the ledger. */
const isInNoBatch = fragment`not exists (select from settlement_items as i
  where i.bucket = l.bucket and i.subject_id = l.subject_id and i.effect = l.effect)`;

/** The posting times of the movements to find. */
export interface MovementWindow {
  readonly from: Date;
  readonly before: Date;
}

/** Returns the posting time of the oldest movement that is in no batch yet. */
export async function findOldestUnsettled(
  tx: Tx,
  { clientId, currency }: SettlementKey,
  { from, before }: MovementWindow,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ at: Date | null }>(sql`
    select min(l.at) as at from ledger_transfers as l
    where l.client_id collate "C" = ${clientId} and l.at >= ${from} and l.at < ${before}
      and l.currency = ${currency} and ${payableAccount(clientId)} in (l.debit_account, l.credit_account)
      and l.effect <> all (${effectsAfterBatches}::text[])
      and ${isInNoBatch}
  `);
  return row?.at ?? undefined;
}

/**
 * Inserts all unsettled movements of the window into a batch; returns their number. The primary key rejects a movement
 * that is already in a batch.
 */
export async function insertBatchItems(
  tx: Tx,
  { clientId, currency }: SettlementKey,
  batchId: string,
  { from, before }: MovementWindow,
): Promise<number> {
  const rows = await tx.query(sql`
    insert into settlement_items (bucket, client_id, subject_id, effect, batch_id)
    select distinct l.bucket, l.client_id, l.subject_id, l.effect, ${batchId} from ledger_transfers as l
    where l.client_id collate "C" = ${clientId} and l.at >= ${from} and l.at < ${before}
      and l.currency = ${currency} and ${payableAccount(clientId)} in (l.debit_account, l.credit_account)
      and l.effect <> all (${effectsAfterBatches}::text[])
      and ${isInNoBatch}
    returning 1
  `);
  return rows.length;
}

export function insertBatchItem(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  item: { readonly subjectId: string; readonly effect: string; readonly batchId: string },
): void {
  tx.write(sql`
    insert into settlement_items (bucket, client_id, subject_id, effect, batch_id)
    values (${bucket}, ${clientId}, ${item.subjectId}, ${item.effect}, ${item.batchId})
  `);
}

/** Sums the movements of a batch by effect and by the account on the other side. */
export async function listMovementSums(
  tx: Tx,
  key: SettlementKey,
  batchId: string,
): Promise<readonly MovementSum[]> {
  const account = payableAccount(key.clientId);
  const rows = await tx.query<{ effect: string; other: string; minor: string }>(sql`
    select l.effect, case when l.debit_account = ${account} then l.credit_account else l.debit_account end as other,
      sum(case when l.debit_account = ${account} then -l.amount_minor else l.amount_minor end)::text as minor
    from settlement_items as i
    join ledger_transfers as l on l.bucket = i.bucket and l.subject_id = i.subject_id and l.effect = i.effect
    where i.bucket = ${key.bucket} and i.client_id = ${key.clientId} and i.batch_id = ${batchId}
      and ${account} in (l.debit_account, l.credit_account)
    group by 1, 2 order by 1, 2
  `);
  return rows.map(({ effect, other, minor }) => ({ effect, otherAccount: other, minor: BigInt(minor) }));
}

/** Returns the first day on which an amount held in reserve is released. */
export async function findReleaseDay(tx: Tx, key: SettlementKey): Promise<string | undefined> {
  const [row] = await tx.query<{ day: string | null }>(sql`
    select min(release_day)::text as day from settlement_batches
    where bucket = ${key.bucket} and client_id = ${key.clientId} and currency = ${key.currency}
      and held_minor > 0 and released_in is null
  `);
  return row?.day ?? undefined;
}

/** Marks reserves until this day as released in a batch; returns their sum. */
export async function updateReservesReleased(
  tx: Tx,
  key: SettlementKey,
  batchId: string,
  untilDay: string,
): Promise<readonly HeldReserve[]> {
  const rows = await tx.query<{ batch_id: string; held_minor: string }>(sql`
    update settlement_batches set released_in = ${batchId}
    where bucket = ${key.bucket} and client_id = ${key.clientId} and currency = ${key.currency}
      and held_minor > 0 and released_in is null and release_day <= ${untilDay}
    returning batch_id, held_minor
  `);
  return rows.map((row) => ({ batchId: row.batch_id, minor: BigInt(row.held_minor) }));
}

/** Returns the sum of carried batches that are not yet part of a later batch. */
export async function findCarriedSum(tx: Tx, key: SettlementKey): Promise<bigint> {
  const [row] = await tx.query<{ sum: string }>(sql`
    select coalesce(sum(net_minor), 0)::text as sum from settlement_batches
    where bucket = ${key.bucket} and client_id = ${key.clientId} and currency = ${key.currency}
      and status = 'CARRIED' and carried_to is null
  `);
  return BigInt(row?.sum ?? 0);
}

/**
 * Locks the due batches in a currency that no payout has, latest due day first. A batch that was converted is due in
 * its settlement currency.
 */
export async function lockDueBatches(tx: Tx, key: SettlementKey): Promise<readonly DueBatch[]> {
  const rows = await tx.query<{ batch_id: string; minor: string }>(sql`
    select batch_id, coalesce(settle_minor, net_minor) as minor from settlement_batches
    where bucket = ${key.bucket} and client_id = ${key.clientId} and status = 'DUE'
      and coalesce(settle_currency, currency) = ${key.currency}
    order by due_day desc, batch_id desc for update
  `);
  return rows.map((row) => ({ batchId: row.batch_id, minor: BigInt(row.minor) }));
}

/** Makes due batches part of another batch. */
export async function updateBatchesJoined(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  batchId: string,
  joined: readonly DueBatch[],
): Promise<void> {
  await tx.query(sql`
    update settlement_batches set status = 'CARRIED', carried_to = ${batchId}, waits_for = null
    where bucket = ${bucket} and client_id = ${clientId} and status = 'DUE'
      and batch_id = any (${joined.map((each) => each.batchId)}::text[])
  `);
}

/** Makes all carried batches part of this batch; returns their sum. */
export async function updateBatchesCarried(tx: Tx, key: SettlementKey, batchId: string): Promise<bigint> {
  const rows = await tx.query<{ net_minor: string }>(sql`
    update settlement_batches set carried_to = ${batchId}
    where bucket = ${key.bucket} and client_id = ${key.clientId} and currency = ${key.currency}
      and status = 'CARRIED' and carried_to is null
    returning net_minor
  `);
  return rows.reduce((sum, row) => sum + BigInt(row.net_minor), 0n);
}

export function insertBatch(tx: Tx, { bucket, clientId }: ClientKey, batch: Batch): void {
  const { sums, changed } = batch;
  tx.write(sql`
    insert into settlement_batches (bucket, client_id, batch_id, currency, from_day, to_day, due_day, gross_minor,
      refunds_minor, disputes_minor, fees_minor, tax_minor, other_minor, reserve_minor, carried_minor, net_minor, held_minor,
      release_day, status, closed_at, settle_currency, settle_minor, quote_id, quote_price)
    values (${bucket}, ${clientId}, ${batch.batchId}, ${batch.currency}, ${batch.fromDay}, ${batch.toDay}, ${batch.dueDay},
      ${sums.gross}, ${sums.refunds}, ${sums.disputes}, ${sums.fees}, ${sums.tax}, ${sums.other}, ${sums.reserve},
      ${sums.carried}, ${sums.net}, ${sums.held}, ${batch.releaseDay}, ${batch.status}, ${batch.closedAt}, ${changed?.got.currency}, ${changed?.got.minor},
      ${changed?.quoteId}, ${changed?.price}::numeric)
  `);
}

/** A payable batch, in its payout currency. */
export interface PayableBatch {
  readonly clientId: string;
  readonly batchId: string;
  readonly currency: string;
  readonly dueDay: string;
  readonly netMinor: bigint;
  readonly status: BatchStatus;
  /** The payout that pays the batch or has paid it; undefined if there is none. */
  readonly paidBy: string | undefined;
  /** The id that the batch's payout has in the next plan. */
  readonly payoutId: string;
  /**
   * Number of the payout attempt: 1 for the first payout of the batch; one more after each that failed or was returned.
   */
  readonly attempt: number;
}

/**
 * Lists the batches of all merchants of this cell that are due by a day. It needs an operator with oversight over all
 * merchants.
 */
export async function listDueBatches(tx: Tx, day: string): Promise<readonly PayableBatch[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<PayableRow>(sql`
    select ${payableColumns} from settlement_batches as b
    where status = 'DUE' and due_day <= ${day} and ${isHomeHere}
    order by client_id, b.due_day, b.to_day, b.currency, batch_id
  `);
  return rows.map(toPayable);
}

export async function lockBatch(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  batchId: string,
): Promise<PayableBatch | undefined> {
  const [row] = await tx.query<PayableRow>(sql`
    select ${payableColumns} from settlement_batches as b
    where bucket = ${bucket} and client_id = ${clientId} and batch_id = ${batchId} for update
  `);
  return row && toPayable(row);
}

const payableColumns = fragment`client_id, batch_id, currency as sale_currency, to_day::text,
      coalesce(settle_currency, currency) as currency, due_day::text, coalesce(settle_minor, net_minor) as net_minor, status,
      payout_id, (select count(*)::int from payouts as p
        where p.bucket = b.bucket and p.client_id = b.client_id and p.batch_id = b.batch_id) as payout_count`;

interface PayableRow {
  readonly client_id: string;
  readonly batch_id: string;
  readonly sale_currency: string;
  readonly to_day: string;
  readonly currency: string;
  readonly due_day: string;
  readonly net_minor: string;
  readonly status: BatchStatus;
  readonly payout_id: string | null;
  readonly payout_count: number;
}

function toPayable(row: PayableRow): PayableBatch {
  const attempt = row.payout_count + 1;
  return {
    clientId: row.client_id,
    batchId: row.batch_id,
    currency: row.currency,
    dueDay: row.due_day,
    netMinor: BigInt(row.net_minor),
    status: row.status,
    paidBy: row.payout_id ?? undefined,
    payoutId: payoutIdOf({
      clientId: row.client_id,
      currency: row.sale_currency,
      toDay: row.to_day,
      attempt,
    }),
    attempt,
  };
}

/** Changes the status of a batch: the payout and bank that pay it, or the reason why it is not paid. */
export function updateBatch(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  batchId: string,
  change: {
    readonly status: BatchStatus;
    readonly payoutId: string | undefined;
    readonly waitsFor: string | undefined;
    readonly bank?: string;
  },
): void {
  tx.write(sql`
    update settlement_batches set status = ${change.status}, payout_id = ${change.payoutId}, waits_for = ${change.waitsFor},
      bank = case when ${change.status} = 'DUE' then null else coalesce(${change.bank}, bank) end
    where bucket = ${bucket} and client_id = ${clientId} and batch_id = ${batchId}
  `);
}

/** Stores the reasons why due batches are not paid now; returns the number of changed batches. */
export async function updateWaitReasons(
  tx: Tx,
  batches: readonly {
    readonly clientId: string;
    readonly batchId: string;
    readonly waitsFor: string | undefined;
  }[],
): Promise<number> {
  const rows = await tx.query(sql`
    update settlement_batches as b set waits_for = due.waits_for
    from unnest(${batches.map(({ clientId }) => bucketOf(clientId))}::int[], ${batches.map(({ clientId }) => clientId)}::text[],
      ${batches.map(({ batchId }) => batchId)}::text[], ${batches.map(({ waitsFor }) => waitsFor ?? null)}::text[])
      as due (bucket, client_id, batch_id, waits_for)
    where b.bucket = due.bucket and b.client_id = due.client_id and b.batch_id = due.batch_id and b.status = 'DUE'
      and b.waits_for is distinct from due.waits_for
    returning 1
  `);
  return rows.length;
}

/**
 * A movement that is in no batch, although it is older than the merchant's newest batch or the merchant has no terms.
 */
export interface UnsettledMovement {
  readonly clientId: string;
  readonly currency: string;
  readonly hasTerms: boolean;
  readonly count: number;
  readonly oldestAt: Date;
  readonly minor: bigint;
}

/**
 * Lists movements that are in no batch although they should be. It reads the whole ledger of the cell's merchants, and
 * needs an operator with oversight over all merchants.
 */
export async function listUnsettledMovements(tx: Tx): Promise<readonly UnsettledMovement[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<UnsettledRow>(sql`
    with closed as (
      select bucket, client_id, currency, max(to_day) as day from settlement_batches group by bucket, client_id, currency
    ), settled as (
      select distinct bucket, client_id, currency from settlement_terms
    )
    select l.client_id, l.currency, settled.client_id is not null as has_terms,
      count(distinct (l.subject_id, l.effect))::int as count, min(l.at) as oldest_at,
      sum(case when l.credit_account = 'merchant payable ' || l.client_id then l.amount_minor else -l.amount_minor end)::text
        as minor
    from ledger_transfers as l
    left join settled using (bucket, client_id, currency)
    left join closed using (bucket, client_id, currency)
    where 'merchant payable ' || l.client_id in (l.debit_account, l.credit_account)
      and ${isHomeHere} and l.effect <> all (${effectsAfterBatches}::text[])
      and (settled.client_id is null or l.at < ((closed.day + 1)::timestamp at time zone interval '8 hours'))
      and ${isInNoBatch}
    group by l.client_id, l.currency, settled.client_id is not null
    order by l.client_id, l.currency
  `);
  return rows.map((row) => ({
    clientId: row.client_id,
    currency: row.currency,
    hasTerms: row.has_terms,
    count: row.count,
    oldestAt: row.oldest_at,
    minor: BigInt(row.minor),
  }));
}

interface UnsettledRow {
  readonly client_id: string;
  readonly currency: string;
  readonly has_terms: boolean;
  readonly count: number;
  readonly oldest_at: Date;
  readonly minor: string;
}
