import { accountingDayOf, nextAccountingDay, startOfAccountingDay } from "../core/accounting-day.ts";
import type { ClientKey } from "../core/client-key.ts";
import { formatCsvLine } from "../formats/csv-line.ts";
import { pageOf, type Page } from "../core/page-window.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { grossFeeTax } from "../ledger/statement.sql.ts";
import {
  formatStatementCursor,
  findDaysRefusal,
  parseStatementCursor,
  searchStart,
  type StatementPosition,
} from "../ledger/statement.ts";
import { effectsAfterBatches } from "../ledger/payout-effects.ts";
import { payableAccount } from "../ledger/transfer.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { findBatchView, toBatchConversion, type ConversionRow } from "../settlement/settlement.sql.ts";
import type { BatchView } from "../settlement/settlement.ts";
import {
  reportCells,
  reportFile,
  reportHead,
  summarizeRows,
  transactionTypeOf,
  type ReportRequest,
  type ReportName,
  type ReportPart,
  type ReportRow,
} from "./report.ts";

/** `findReport` returns a page of a merchant's report. */
export async function findReport(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  request: ReportRequest,
): Promise<ReportPart | Refusal<"PARAM_ILLEGAL">> {
  const key = { bucket, clientId };
  return request.report === "TRANSACTION_DETAIL"
    ? findTransactions(tx, key, request)
    : findBatch(tx, key, request);
}

const limitDefault = 500;

async function findTransactions(
  tx: Tx,
  key: ClientKey,
  { report, fromDay = "", toDay = fromDay, cursor, limit = limitDefault }: ReportRequest,
): Promise<ReportPart | Refusal<"PARAM_ILLEGAL">> {
  const refusal = findDaysRefusal(fromDay, toDay);
  if (refusal) return refusal;
  const found = await listTransactionRows(tx, key, {
    from: startOfAccountingDay(fromDay),
    until: startOfAccountingDay(nextAccountingDay(toDay)),
    after: cursor === undefined ? undefined : parseStatementCursor(cursor),
    limit,
  });
  return toReportPart(report, reportFile(report, key.clientId, toDay), pageOfRows(found, limit));
}

async function findBatch(
  tx: Tx,
  key: ClientKey,
  { report, batchId: id = "", cursor, limit = limitDefault }: ReportRequest,
): Promise<ReportPart | Refusal<"PARAM_ILLEGAL">> {
  const batch = await findBatchView(tx, key, id);
  if (!batch) return refuse("PARAM_ILLEGAL", { field: "batchId", detail: "There is no such batch." });
  const { batchId } = batch;
  const file = reportFile(report, batchId, accountingDayOf(batch.closedAt));
  if (report === "SETTLEMENT_SUMMARY") {
    const rows = summarizeRows(await listBatchSums(tx, key, batch));
    return toReportPart(report, file, { items: rows, nextCursor: undefined });
  }
  const after = cursor === undefined ? undefined : parseStatementCursor(cursor);
  return toReportPart(
    report,
    file,
    pageOfRows(await listBatchRows(tx, key, batchId, { after, limit }), limit),
  );
}

function pageOfRows(found: readonly PositionedRow[], limit: number): Page<ReportRow> {
  const page = pageOf(found, { limit }, ({ place }) => formatStatementCursor(place));
  return { items: page.items.map(({ row }) => row), nextCursor: page.nextCursor };
}

function toReportPart(report: ReportName, file: string, { items, nextCursor }: Page<ReportRow>): ReportPart {
  return {
    file,
    head: lineOf(reportHead(report)),
    lines: items.map((row) => lineOf(reportCells(report, row))),
    nextCursor,
  };
}

/** Without the line end. */
function lineOf(cells: readonly string[]): string {
  return formatCsvLine(cells).slice(0, -2);
}

/** A row and its position, for the next page. */
interface PositionedRow {
  readonly row: ReportRow;
  readonly place: StatementPosition;
}

/**
 * Lists changes of the merchant's balance in a time range, without payouts and their results. It returns one row more
 * than requested, to show whether there is a next page.
 */
async function listTransactionRows(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  {
    from,
    until,
    after,
    limit,
  }: {
    readonly from: Date;
    readonly until: Date;
    readonly after: StatementPosition | undefined;
    readonly limit: number;
  },
): Promise<readonly PositionedRow[]> {
  const account = payableAccount(clientId);
  const rows = await tx.query<DetailRow>(sql`
    with lines as materialized (
      -- The rows are in the order of the index, so that a page reads only its own rows and not those of all days. All
      -- lines of a movement have one time.
      select l.bucket, l.subject_id, l.effect, l.at, l.currency,
        case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
        case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other
      from ledger_transfers as l
      where l.client_id collate "C" = ${clientId} and l.at >= ${searchStart(from, after)} and l.at < ${until}
        and ${account} in (l.debit_account, l.credit_account) and l.effect <> all (${effectsAfterBatches}::text[])
        and (${after?.atMicros}::bigint is null or (l.at, l.subject_id, l.effect)
          > (timestamptz 'epoch' + ${after?.atMicros}::bigint * interval '1 microsecond', ${after?.subjectId}::text, ${after?.effect}::text))
      order by l.at fetch first (${(limit + 1) * linesMax}::int) rows with ties
    ), moved as materialized (
      select bucket, subject_id, effect, at, currency,
        ${grossFeeTax}
      from lines group by at, subject_id, effect, bucket, currency
      order by at, subject_id, effect limit ${limit}::int + 1
    ), listed as materialized (
      select moved.*, item.batch_id from moved left join settlement_items as item
        on item.bucket = moved.bucket and item.subject_id = moved.subject_id and item.effect = moved.effect
    ), ${records}
    left join settlement_batches as batch
      on batch.bucket = ${bucket} and batch.client_id = ${clientId} and batch.batch_id = found.batch_id
    order by found.at, found.subject_id, found.effect
  `);
  return rows.map((row) => toPositionedRow(clientId, row));
}

/**
 * Maximum number of lines of one movement on a merchant's account: a refund has its amount, returned fee and tax,
 * charged fee and tax.
 */
const linesMax = 6;

/**
 * Lists the movements of a settlement batch with their records. It returns one row more than requested, to show whether
 * there is a next page.
 */
async function listBatchRows(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  batchId: string,
  {
    after,
    limit,
  }: { readonly after: Omit<StatementPosition, "atMicros"> | undefined; readonly limit: number },
): Promise<readonly PositionedRow[]> {
  const account = payableAccount(clientId);
  const rows = await tx.query<DetailRow>(sql`
    with item as materialized (
      select bucket, client_id, subject_id, effect, batch_id from settlement_items
      where bucket = ${bucket} and client_id = ${clientId} and batch_id = ${batchId}
        and (subject_id, effect) > (${after?.subjectId ?? ""}, ${after?.effect ?? ""})
      order by subject_id, effect limit ${limit}::int + 1
    ), listed as materialized (
      select moved.*, item.batch_id from item cross join lateral (
        select l.bucket, l.subject_id, l.effect, l.at, l.currency,
          ${grossFeeTax}
        from ledger_transfers as l
        cross join lateral (select
          case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
          case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other) as side
        where l.bucket = item.bucket and l.subject_id = item.subject_id and l.effect = item.effect
          and ${account} in (l.debit_account, l.credit_account)
        group by l.at, l.subject_id, l.effect, l.bucket, l.currency
      ) as moved
    ), ${records}
    left join settlement_batches as batch
      on batch.bucket = ${bucket} and batch.client_id = ${clientId} and batch.batch_id = found.batch_id
    order by found.subject_id, found.effect
  `);
  return rows.map((row) => toPositionedRow(clientId, row));
}

/** Sums the movements of a batch by kind. */
async function listBatchSums(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { batchId, closedAt, conversion }: BatchView,
): Promise<readonly ReportRow[]> {
  const account = payableAccount(clientId);
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
    ...unknownFields,
    clientId,
    batchId,
    type: transactionTypeOf(row.effect),
    count: row.count,
    completedAt: row.at,
    settledAt: closedAt,
    conversion,
    currency: row.currency,
    grossMinor: BigInt(row.gross),
    feeMinor: BigInt(row.fee),
    taxMinor: BigInt(row.tax),
  }));
}

interface SumRow extends Pick<DetailRow, "effect" | "currency" | "gross" | "fee" | "tax" | "at"> {
  readonly count: number;
}

const unknownFields = {
  transactionId: "",
  requestId: undefined,
  originalRequestId: undefined,
  originalId: undefined,
  providerReference: undefined,
  orderDescription: undefined,
  paymentMethodType: undefined,
  provider: undefined,
  productCode: undefined,
  reason: undefined,
  createdAt: undefined,
};

/**
 * The records of the movements in `listed`. `found` computes the payment id, so that payments are joined by a plain
 * column: under row-level security PostgreSQL does not use an index for a condition with `coalesce`, which it does not
 * consider leakproof.
 */
const records = fragment`found as materialized (
      select listed.*, coalesce(refund.payment_id, capture.payment_id, dispute.payment_id, listed.subject_id) as about_id,
        coalesce(refund.connector, capture.connector, dispute.connector) as own_connector,
        coalesce(refund.reference, capture.reference, dispute.provider_dispute_id) as own_reference,
        coalesce(refund.refund_request_id, capture.capture_request_id) as own_request_id,
        coalesce(refund.created_at, capture.created_at, dispute.created_at) as own_created_at,
        coalesce(refund.reason, dispute.reason_code) as reason
      from listed
      left join refunds as refund on refund.bucket = listed.bucket and refund.refund_id = listed.subject_id
      left join captures as capture on capture.bucket = listed.bucket and capture.capture_id = listed.subject_id
      left join disputes as dispute on dispute.bucket = listed.bucket and dispute.dispute_id = listed.subject_id
    )
    select found.*, batch.closed_at as settled_at, batch.settle_currency, batch.settle_minor, batch.quote_id, batch.quote_price,
      (extract(epoch from found.at) * 1000000)::bigint::text as at_micros,
      payment.payment_id, payment.payment_request_id, payment.payment_method_type, payment.product_code,
      payment.order_description, coalesce(own_connector, payment.connector) as connector,
      coalesce(own_reference, payment.provider_reference) as provider_reference,
      coalesce(own_created_at, payment.created_at) as created_at
    from found
    left join payments as payment on payment.bucket = found.bucket and payment.payment_id = found.about_id`;

interface DetailRow extends ConversionRow {
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
  readonly provider_reference: string | null;
  readonly own_request_id: string | null;
  readonly created_at: Date | null;
  readonly reason: string | null;
}

function toPositionedRow(clientId: string, row: DetailRow): PositionedRow {
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
      providerReference: row.provider_reference ?? undefined,
      orderDescription: row.order_description ?? undefined,
      paymentMethodType: row.payment_method_type ?? undefined,
      provider: row.connector ?? undefined,
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
      conversion: toBatchConversion(row),
      count: 1,
    },
  };
}
