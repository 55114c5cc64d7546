import type { ClientKey } from "../core/client-key.ts";
import { parseStoredPrice } from "../ledger/currency-conversion.sql.ts";
import { grossFeeTax } from "../ledger/statement.sql.ts";
import { payableAccount, type EffectName } from "../ledger/transfer.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { BatchStatus, BatchConversion } from "./batch.ts";
import type { PayoutStatus } from "./payouts/payout.ts";
import type { BatchItem, BatchOfRecord, BatchView } from "./settlement.ts";

interface BatchFilter {
  readonly currency: string | undefined;
  /** The first day of a range; only batches that overlap the range are listed. */
  readonly fromDay: string | undefined;
  readonly toDay: string | undefined;
  readonly idBefore: string | undefined;
  readonly limit: number;
}

/** Lists batches, newest first. It returns one more than requested, to show whether there is a next page. */
export async function listBatchViews(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { currency, fromDay, toDay, idBefore, limit }: BatchFilter,
): Promise<readonly BatchView[]> {
  const rows = await tx.query<BatchRow>(sql`
    select ${columns} from settlement_batches as b
    where b.bucket = ${bucket} and b.client_id = ${clientId}
      and (${idBefore}::text is null or b.batch_id < ${idBefore})
      and (${currency}::text is null or b.currency = ${currency})
      and (${fromDay}::date is null or b.to_day >= ${fromDay}::date)
      and (${toDay}::date is null or b.from_day <= ${toDay}::date)
    order by b.batch_id desc limit ${limit}::int + 1
  `);
  return rows.map(toBatch);
}

/** Finds a batch by its id, or by the id of one of its payouts (the end-to-end id on a bank statement). */
export async function findBatchView(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  id: string,
): Promise<BatchView | undefined> {
  const [row] = await tx.query<BatchRow>(sql`
    select ${columns} from settlement_batches as b
    where b.bucket = ${bucket} and b.client_id = ${clientId} and b.batch_id in (${id},
      (select batch_id from payouts where bucket = ${bucket} and client_id = ${clientId} and payout_id = ${id}))
  `);
  return row && toBatch(row);
}

/** Lists the batches with movements of these records, oldest first. */
export async function listBatchesOf(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  subjectIds: readonly string[],
): Promise<readonly BatchOfRecord[]> {
  const rows = await tx.query<Pick<BatchRow, "batch_id" | "to_day" | "status">>(sql`
    with settled as materialized (
      -- "offset 0" makes PostgreSQL search each record by primary key. A plain join would read all items of the bucket.
      select distinct item.batch_id from unnest(${subjectIds}::text[]) as given (id) cross join lateral (
        select batch_id from settlement_items where bucket = ${bucket} and subject_id = given.id offset 0
      ) as item
    )
    select batch.batch_id, batch.to_day::text, batch.status from settled
    join settlement_batches as batch
      on batch.bucket = ${bucket} and batch.client_id = ${clientId} and batch.batch_id = settled.batch_id
    order by batch.batch_id
  `);
  return rows.map((row) => ({ batchId: row.batch_id, toDay: row.to_day, status: row.status }));
}

/**
 * Lists the movements of a batch by record, with their ledger amounts. It returns one more than requested, to show
 * whether there is a next page.
 */
export async function listBatchItems(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  batchId: string,
  {
    after,
    limit,
  }: {
    readonly after: { readonly subjectId: string; readonly effect: string } | undefined;
    readonly limit: number;
  },
): Promise<readonly BatchItem[]> {
  const account = payableAccount(clientId);
  const rows = await tx.query<ItemRow>(sql`
    select item.subject_id, item.effect, moved.*,
      coalesce(payment.payment_id, refund.payment_id, capture.payment_id, dispute.payment_id) as payment_id
    from (
      select bucket, subject_id, effect from settlement_items
      where bucket = ${bucket} and client_id = ${clientId} and batch_id = ${batchId}
        and (${after?.subjectId}::text is null or (subject_id, effect) > (${after?.subjectId}, ${after?.effect}))
      order by subject_id, effect limit ${limit}::int + 1
    ) as item
    cross join lateral (
      select min(at) as at,
        ${grossFeeTax}
      from (
        select l.at, case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
          case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other
        from ledger_transfers as l
        where l.bucket = item.bucket and l.subject_id = item.subject_id and l.effect = item.effect
          and ${account} in (l.debit_account, l.credit_account)
      ) as changes
    ) as moved
    left join payments as payment on payment.bucket = item.bucket and payment.payment_id = item.subject_id
    left join refunds as refund on refund.bucket = item.bucket and refund.refund_id = item.subject_id
    left join captures as capture on capture.bucket = item.bucket and capture.capture_id = item.subject_id
    left join disputes as dispute on dispute.bucket = item.bucket and dispute.dispute_id = item.subject_id
    order by item.subject_id, item.effect
  `);
  return rows.map((row) => ({
    subjectId: row.subject_id,
    effect: row.effect,
    paymentId: row.payment_id ?? undefined,
    grossMinor: BigInt(row.gross),
    feeMinor: BigInt(row.fee),
    taxMinor: BigInt(row.tax),
    at: row.at,
  }));
}

/** Columns of a batch, with all its payout attempts, newest last. */
const columns = fragment`b.batch_id, b.currency, b.from_day::text, b.to_day::text, b.due_day::text, b.status, b.closed_at,
      b.gross_minor, b.refunds_minor, b.disputes_minor, b.fees_minor, b.tax_minor, b.other_minor, b.reserve_minor,
      b.carried_minor, b.net_minor, b.settle_currency, b.settle_minor, b.quote_id, b.quote_price, (
        select coalesce(jsonb_agg(jsonb_build_object('payoutId', p.payout_id, 'amount', p.amount_minor::text, 'status', p.status,
          'reasonCode', p.reason_code, 'createdAt', p.created_at, 'sentAt', p.sent_at, 'finishedAt', p.finished_at)
          order by p.payout_id), '[]')
        from payouts as p where p.bucket = b.bucket and p.client_id = b.client_id and p.batch_id = b.batch_id
      ) as payouts`;

interface BatchRow {
  readonly batch_id: string;
  readonly currency: string;
  readonly from_day: string;
  readonly to_day: string;
  readonly due_day: string;
  readonly status: BatchStatus;
  readonly closed_at: Date;
  readonly gross_minor: string;
  readonly refunds_minor: string;
  readonly disputes_minor: string;
  readonly fees_minor: string;
  readonly tax_minor: string;
  readonly other_minor: string;
  readonly reserve_minor: string;
  readonly carried_minor: string;
  readonly net_minor: string;
  readonly settle_currency: string | null;
  readonly settle_minor: string | null;
  readonly quote_id: string | null;
  readonly quote_price: string | null;
  readonly payouts: readonly PayoutJson[];
}

interface PayoutJson {
  readonly payoutId: string;
  readonly amount: string;
  readonly status: PayoutStatus;
  readonly reasonCode: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
  readonly finishedAt: string | null;
}

interface ItemRow {
  readonly subject_id: string;
  readonly effect: EffectName;
  readonly payment_id: string | null;
  readonly at: Date;
  readonly gross: string;
  readonly fee: string;
  readonly tax: string;
}

function toBatch(row: BatchRow): BatchView {
  return {
    batchId: row.batch_id,
    currency: row.currency,
    fromDay: row.from_day,
    toDay: row.to_day,
    dueDay: row.due_day,
    status: row.status,
    closedAt: row.closed_at,
    sums: {
      gross: BigInt(row.gross_minor),
      refunds: BigInt(row.refunds_minor),
      disputes: BigInt(row.disputes_minor),
      fees: BigInt(row.fees_minor),
      tax: BigInt(row.tax_minor),
      other: BigInt(row.other_minor),
      reserve: BigInt(row.reserve_minor),
      carried: BigInt(row.carried_minor),
      net: BigInt(row.net_minor),
    },
    conversion: toBatchConversion(row),
    payouts: row.payouts.map(({ amount, reasonCode, createdAt, sentAt, finishedAt, ...payout }) => ({
      ...payout,
      amountMinor: BigInt(amount),
      reasonCode: reasonCode ?? undefined,
      createdAt: new Date(createdAt),
      sentAt: sentAt === null ? undefined : new Date(sentAt),
      finishedAt: finishedAt === null ? undefined : new Date(finishedAt),
    })),
  };
}

/** Columns of a batch with its conversion. */
export type ConversionRow = Pick<BatchRow, "settle_currency" | "settle_minor" | "quote_id" | "quote_price">;

/** The conversion of a batch from its columns: either all columns are set, or none. */
export function toBatchConversion(row: ConversionRow): BatchConversion | undefined {
  const { settle_currency: currency, settle_minor: minor, quote_id: quoteId, quote_price: price } = row;
  if (currency === null || minor === null || quoteId === null || price === null) return undefined;
  return { quoteId, price: parseStoredPrice(price), got: { currency, minor: BigInt(minor) } };
}
