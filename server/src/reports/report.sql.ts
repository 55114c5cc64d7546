import { bookDayOf, nextBookDay, startOfBookDay } from "../core/book-day.ts";
import type { ClientKey } from "../core/client-key.ts";
import { csvLine } from "../core/csv-line.ts";
import { pageOf, type Page } from "../core/page.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { grossFeeTax } from "../ledger/statement.sql.ts";
import { cursorOf, daysRefusal, placeOf, type StatementPlace } from "../ledger/statement.ts";
import { effectsAfterBatches } from "../ledger/payout-effects.ts";
import { payable } from "../ledger/transfer.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { findShownBatch, toChanged, type ChangedRow } from "../settlement/settlement.sql.ts";
import type { ShownBatch } from "../settlement/settlement.ts";
import {
  reportCells,
  reportFile,
  reportHead,
  summaryOf,
  transactionTypeOf,
  type ReportAsked,
  type ReportName,
  type ReportPart,
  type ReportRow,
} from "./report.ts";

/** A page of a report of one merchant. */
export async function findReport(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  asked: ReportAsked,
): Promise<ReportPart | Refusal<"PARAM_ILLEGAL">> {
  const key = { bucket, clientId };
  return asked.report === "TRANSACTION_DETAIL" ? findTransactions(tx, key, asked) : findBatch(tx, key, asked);
}

const limitUsual = 500;

async function findTransactions(
  tx: Tx,
  key: ClientKey,
  { report, fromDay = "", toDay = fromDay, cursor, limit = limitUsual }: ReportAsked,
): Promise<ReportPart | Refusal<"PARAM_ILLEGAL">> {
  const refusal = daysRefusal(fromDay, toDay);
  if (refusal) return refusal;
  const found = await listTransactionRows(tx, key, {
    from: startOfBookDay(fromDay),
    until: startOfBookDay(nextBookDay(toDay)),
    after: cursor === undefined ? undefined : placeOf(cursor),
    limit,
  });
  return partOf(report, reportFile(report, key.clientId, toDay), pageOfRows(found, limit));
}

async function findBatch(
  tx: Tx,
  key: ClientKey,
  { report, batchId: id = "", cursor, limit = limitUsual }: ReportAsked,
): Promise<ReportPart | Refusal<"PARAM_ILLEGAL">> {
  const batch = await findShownBatch(tx, key, id);
  if (!batch) return refuse("PARAM_ILLEGAL", { field: "batchId", detail: "There is no such batch." });
  const { batchId } = batch;
  const file = reportFile(report, batchId, bookDayOf(batch.closedAt));
  if (report === "SETTLEMENT_SUMMARY") {
    const rows = summaryOf(await listBatchSums(tx, key, batch));
    return partOf(report, file, { items: rows, nextCursor: undefined });
  }
  const after = cursor === undefined ? undefined : placeOf(cursor);
  return partOf(report, file, pageOfRows(await listBatchRows(tx, key, batchId, { after, limit }), limit));
}

function pageOfRows(found: readonly PlacedRow[], limit: number): Page<ReportRow> {
  const page = pageOf(found, { limit }, ({ place }) => cursorOf(place));
  return { items: page.items.map(({ row }) => row), nextCursor: page.nextCursor };
}

function partOf(report: ReportName, file: string, { items, nextCursor }: Page<ReportRow>): ReportPart {
  return {
    file,
    head: lineOf(reportHead(report)),
    lines: items.map((row) => lineOf(reportCells(report, row))),
    nextCursor,
  };
}

/** Without its end. */
function lineOf(cells: readonly string[]): string {
  return csvLine(cells).slice(0, -2);
}

/** A row, and where it stands, for the next page. */
interface PlacedRow {
  readonly row: ReportRow;
  readonly place: StatementPlace;
}

/** What changed what is owed from one moment up to another, without payouts and what became of them; one more than asked for. */
async function listTransactionRows(
  tx: Tx,
  { clientId }: ClientKey,
  {
    from,
    until,
    after,
    limit,
  }: {
    readonly from: Date;
    readonly until: Date;
    readonly after: StatementPlace | undefined;
    readonly limit: number;
  },
): Promise<readonly PlacedRow[]> {
  const account = payable(clientId);
  const rows = await tx.query<DetailRow>(sql`
    select moved.*, ${details}
    from (
      select l.bucket, l.subject_id, l.effect, l.at, l.currency,
        ${grossFeeTax}
      from ledger_transfers as l
      cross join (select ${after?.subjectId}::text as subject_id, ${after?.effect}::text as effect,
        timestamptz 'epoch' + ${after?.atMicros}::bigint * interval '1 microsecond' as at) as place
      cross join lateral (select
        case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
        case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other) as side
      where l.client_id collate "C" = ${clientId} and l.at >= ${from} and l.at < ${until}
        and ${account} in (l.debit_account, l.credit_account) and l.effect <> all (${effectsAfterBatches}::text[])
        and l.at >= coalesce(place.at, ${from})
        and (place.at is null or (l.at, l.subject_id, l.effect) > (place.at, place.subject_id, place.effect))
      group by l.bucket, l.at, l.subject_id, l.effect, l.currency
      order by l.at, l.subject_id, l.effect limit ${limit}::int + 1
    ) as moved
    left join settlement_items as item
      on item.bucket = moved.bucket and item.subject_id = moved.subject_id and item.effect = moved.effect
    ${records}
    order by moved.at, moved.subject_id, moved.effect
  `);
  return rows.map((row) => toPlaced(clientId, row));
}

/** The movements of a batch by the records that caused them; one more than asked for. */
async function listBatchRows(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  batchId: string,
  { after, limit }: { readonly after: Omit<StatementPlace, "atMicros"> | undefined; readonly limit: number },
): Promise<readonly PlacedRow[]> {
  const account = payable(clientId);
  const rows = await tx.query<DetailRow>(sql`
    select moved.*, ${details}
    from (
      select bucket, client_id, subject_id, effect, batch_id from settlement_items
      where bucket = ${bucket} and client_id = ${clientId} and batch_id = ${batchId}
        and (${after?.subjectId}::text is null or (subject_id, effect) > (${after?.subjectId}, ${after?.effect}))
      order by subject_id, effect limit ${limit}::int + 1
    ) as item
    cross join lateral (
      select l.bucket, l.subject_id, l.effect, l.at, l.currency,
        ${grossFeeTax}
      from ledger_transfers as l
      cross join lateral (select
        case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
        case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other) as side
      where l.bucket = item.bucket and l.subject_id = item.subject_id and l.effect = item.effect
        and ${account} in (l.debit_account, l.credit_account)
      group by l.bucket, l.at, l.subject_id, l.effect, l.currency
    ) as moved
    ${records}
    order by moved.subject_id, moved.effect
  `);
  return rows.map((row) => toPlaced(clientId, row));
}

/** What each kind of movement of a batch comes to. */
async function listBatchSums(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { batchId, closedAt, changed }: ShownBatch,
): Promise<readonly ReportRow[]> {
  const account = payable(clientId);
  const rows = await tx.query<SumRow>(sql`
    select item.effect, l.currency, count(distinct item.subject_id)::int as count, max(l.at) as at,
      ${grossFeeTax}
    from settlement_items as item
    join ledger_transfers as l
      on l.bucket = item.bucket and l.subject_id = item.subject_id and l.effect = item.effect
    cross join lateral (select
      case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
      case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other) as side
    where item.bucket = ${bucket} and item.client_id = ${clientId} and item.batch_id = ${batchId}
      and ${account} in (l.debit_account, l.credit_account)
    group by item.effect, l.currency order by item.effect
  `);
  return rows.map((row) => ({
    ...nothingKnown,
    clientId,
    batchId,
    type: transactionTypeOf(row.effect),
    count: row.count,
    completedAt: row.at,
    settledAt: closedAt,
    changed,
    currency: row.currency,
    grossMinor: BigInt(row.gross),
    feeMinor: BigInt(row.fee),
    taxMinor: BigInt(row.tax),
  }));
}

interface SumRow extends Pick<DetailRow, "effect" | "currency" | "gross" | "fee" | "tax" | "at"> {
  readonly count: number;
}

const nothingKnown = {
  transactionId: "",
  requestId: undefined,
  originalRequestId: undefined,
  originalId: undefined,
  walletReference: undefined,
  orderDescription: undefined,
  paymentMethodType: undefined,
  wallet: undefined,
  productCode: undefined,
  reason: undefined,
  createdAt: undefined,
};

/** Columns of records, whichever of them a movement is about. */
const details = fragment`item.batch_id, batch.closed_at as settled_at, batch.settle_currency, batch.settle_minor, batch.quote_id, batch.quote_price,
      (extract(epoch from moved.at) * 1000000)::bigint::text as at_micros,
      payment.payment_id, payment.payment_request_id, payment.payment_method_type, payment.product_code,
      payment.order_description, coalesce(refund.connector, capture.connector, dispute.connector, payment.connector) as connector,
      coalesce(refund.reference, capture.reference, dispute.wallet_dispute_id, payment.wallet_reference) as wallet_reference,
      coalesce(refund.refund_request_id, capture.capture_request_id) as own_request_id,
      coalesce(refund.created_at, capture.created_at, dispute.created_at, payment.created_at) as created_at,
      coalesce(refund.reason, dispute.reason_code) as reason`;

const records = fragment`left join settlement_batches as batch
      on batch.bucket = item.bucket and batch.client_id = item.client_id and batch.batch_id = item.batch_id
    left join refunds as refund on refund.bucket = moved.bucket and refund.refund_id = moved.subject_id
    left join captures as capture on capture.bucket = moved.bucket and capture.capture_id = moved.subject_id
    left join disputes as dispute on dispute.bucket = moved.bucket and dispute.dispute_id = moved.subject_id
    left join payments as payment on payment.bucket = moved.bucket
      and payment.payment_id = coalesce(refund.payment_id, capture.payment_id, dispute.payment_id, moved.subject_id)`;

interface DetailRow extends ChangedRow {
  readonly subject_id: string;
  readonly effect: string;
  readonly at: Date;
  readonly at_micros: string;
  readonly currency: string;
  readonly gross: string;
  readonly fee: string;
  readonly tax: string;
  readonly batch_id: string | null;
  readonly settled_at: Date | null;
  readonly payment_id: string | null;
  readonly payment_request_id: string | null;
  readonly payment_method_type: string | null;
  readonly product_code: string | null;
  readonly order_description: string | null;
  readonly connector: string | null;
  readonly wallet_reference: string | null;
  readonly own_request_id: string | null;
  readonly created_at: Date | null;
  readonly reason: string | null;
}

function toPlaced(clientId: string, row: DetailRow): PlacedRow {
  const { subject_id: subjectId, effect } = row;
  const isPayment = row.payment_id === subjectId;
  const paymentRequestId = row.payment_request_id ?? undefined;
  return {
    place: { atMicros: row.at_micros, subjectId, effect },
    row: {
      clientId,
      type: transactionTypeOf(effect),
      transactionId: subjectId,
      requestId: isPayment ? paymentRequestId : (row.own_request_id ?? undefined),
      originalRequestId: isPayment ? undefined : paymentRequestId,
      originalId: isPayment ? undefined : (row.payment_id ?? undefined),
      walletReference: row.wallet_reference ?? undefined,
      orderDescription: row.order_description ?? undefined,
      paymentMethodType: row.payment_method_type ?? undefined,
      wallet: row.connector ?? undefined,
      productCode: row.product_code ?? undefined,
      reason: row.reason ?? undefined,
      createdAt: row.created_at ?? undefined,
      completedAt: row.at,
      currency: row.currency,
      grossMinor: BigInt(row.gross),
      feeMinor: BigInt(row.fee),
      taxMinor: BigInt(row.tax),
      batchId: row.batch_id ?? undefined,
      settledAt: row.settled_at ?? undefined,
      changed: toChanged(row),
      count: 1,
    },
  };
}
