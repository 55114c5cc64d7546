import type { Cluster } from "../installation/postgres-cluster.ts";
import { database } from "../installation/installation.ts";

/** The state of the database at the end, read without row-level security. */
export interface DatabaseState {
  readonly payments: readonly PaymentRow[];
  readonly refunds: readonly PaymentOperationRow[];
  readonly captures: readonly PaymentOperationRow[];
  readonly reversals: readonly PaymentOperationRow[];
  readonly disputes: readonly DisputeRow[];
  readonly transfers: readonly TransferRow[];
  readonly notifications: readonly NotificationRow[];
  readonly reserves: readonly ReserveRow[];
  /** Reconciliation breaks between our records, the ledger and the providers' files, as `reconcile` reports them. */
  readonly breaks: readonly ReconciliationBreak[];
}

/** The part of a merchant's balance that is reserved. */
export interface ReserveRow {
  readonly clientId: string;
  readonly currency: string;
  readonly minor: bigint;
}

export interface ReconciliationBreak {
  readonly kind: string;
  readonly reference: string;
  readonly paymentId?: string;
}

export interface PaymentRow {
  readonly clientId: string;
  readonly paymentId: string;
  readonly paymentRequestId: string;
  readonly status: string;
  readonly resultCode: string;
  readonly isManual: boolean;
  readonly wasPaid: boolean;
  /** The provider's idempotency key for the payment; absent if the payment was cancelled before its request. */
  readonly reference: string | undefined;
  readonly hasNotifyUrl: boolean;
  readonly isInStore: boolean;
  /** How the payment was started: on a page, in a session, by token, or the kind of in-store payment. */
  readonly flow: string;
  readonly connector: string;
  /** Zero until it is paid. */
  readonly paidMinor: bigint;
  /** The sum of captures and of refunds, without failed ones. With an automatic capture, the captured sum is the paid one. */
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
  readonly feeBasisPoints: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The time of the payment's last change. */
  readonly endedAtMs: number;
  /** The time at which the rest of the authorization hold was released; Infinity if it was not. */
  readonly releasedAtMs: number;
}

/** A refund, a capture or a reversal of a payment. */
export interface PaymentOperationRow {
  readonly clientId: string;
  readonly id: string;
  readonly requestId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly reference: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly createdAtMs: number;
  readonly endedAtMs: number;
  /** The time at which a refund or reversal failed after it had succeeded; Infinity if it did not. */
  readonly reversedAtMs: number;
}

export interface DisputeRow {
  readonly id: string;
  readonly paymentId: string;
  readonly status: string;
  readonly isOver: boolean;
  /** The provider's reference for it. */
  readonly reference: string;
  readonly currency: string;
  readonly frozenMinor: bigint;
  readonly debitedMinor: bigint;
}

export interface TransferRow {
  readonly subjectId: string;
  readonly effect: string;
  readonly debit: string;
  readonly credit: string;
  readonly currency: string;
  readonly minor: bigint;
}

export interface NotificationRow {
  readonly notificationId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly status: string;
}

type Row = Readonly<Record<string, unknown>>;

export async function readDatabaseState(
  cluster: Pick<Cluster, "execute">,
  breaks: readonly ReconciliationBreak[] = [],
): Promise<DatabaseState> {
  const selectAll = (table: string): Promise<readonly Row[]> =>
    cluster.execute<Row>(database, `select * from ${table}`);
  const lastChangesQuery = `(select bucket, payment_id, max(at) as ended_at from payment_events group by 1, 2) as last`;
  return {
    payments: (await selectAll(`payments left join ${lastChangesQuery} using (bucket, payment_id)`)).map(
      toPayment,
    ),
    refunds: (await selectAll("refunds")).map((row) => toPaymentOperation(row, "refund")),
    captures: (await selectAll("captures")).map((row) => toPaymentOperation(row, "capture")),
    reversals: (await selectAll("reversals")).map((row) => toPaymentOperation(row, "reversal")),
    disputes: (await selectAll("disputes")).map(toDispute),
    transfers: (await selectAll("ledger_transfers")).map(toTransfer),
    notifications: (await selectAll("notifications")).map(toNotification),
    reserves: (await selectAll("reserves")).map(toReserve),
    breaks,
  };
}

/** The records that are not final, by their kind. */
const openRecords = `open as (
  select 'payments' as name, bucket, payment_id as subject_id from payments where status in ('PROCESSING', 'PENDING')
  union all select 'refunds', bucket, refund_id from refunds where status = 'PROCESSING'
  union all select 'captures', bucket, capture_id from captures where status = 'PROCESSING'
  union all select 'reversals', bucket, reversal_id from reversals where status = 'PROCESSING'
  union all select 'notifications', bucket, notification_id from notifications where status = 'WAITING'
)`;

/** Kind of record → number of records that are not final. */
export async function countUnfinished(
  cluster: Pick<Cluster, "execute">,
): Promise<Readonly<Record<string, number>>> {
  return countByName(cluster, `with ${openRecords} select name, count(*)::int from open group by name`);
}

/** Kind of record → number of records that are not final and have no job, so that they are stuck. */
export async function countWithoutJob(cluster: Cluster): Promise<Readonly<Record<string, number>>> {
  return countByName(
    cluster,
    `with ${openRecords} select name, count(*)::int from open
     where not exists (select from jobs where jobs.bucket = open.bucket and jobs.subject_id = open.subject_id)
     group by name`,
  );
}

async function countByName(
  cluster: Pick<Cluster, "execute">,
  query: string,
): Promise<Readonly<Record<string, number>>> {
  const rows = await cluster.execute<{ name: string; count: number }>(database, query);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** The open jobs of records that are not final: what a run that waits for them waits for. */
export async function describeOpenJobs(cluster: Pick<Cluster, "execute">): Promise<readonly string[]> {
  const rows = await cluster.execute<{ text: string }>(
    database,
    `with ${openRecords}
     select format('%s of %s is due in %s s, after %s attempts', jobs.job, jobs.subject_id,
                   round(extract(epoch from jobs.due_at - clock_timestamp())), jobs.attempts) as text
     from open join jobs using (bucket, subject_id)`,
  );
  return rows.map(({ text }) => text);
}

/**
 * Skips the backoff of webhooks, whose first retry comes after two minutes, and of polls of an order whose callback was
 * lost, or of a pending capture, refund or reversal, which come up to 15 minutes apart. A storm of a minute has no time
 * for these waits. A job that runs has a shorter lease, and is not changed.
 */
export async function skipLongWaits(cluster: Pick<Cluster, "execute">): Promise<void> {
  await cluster.execute(
    database,
    `update jobs set due_at = clock_timestamp()
     where job in ('deliver-notification', 'drive-payment', 'send-capture', 'send-refund', 'reverse-payment')
       and due_at > clock_timestamp() + interval '30 seconds'`,
  );
}

function toPayment(row: Row): PaymentRow {
  return {
    clientId: toText(row["client_id"]),
    paymentId: toText(row["payment_id"]),
    paymentRequestId: toText(row["payment_request_id"]),
    status: toText(row["status"]),
    resultCode: toText(row["result_code"]),
    isManual: row["capture_mode"] === "MANUAL",
    wasPaid: row["paid_at"] !== null,
    reference: row["provider_reference"] === null ? undefined : toText(row["provider_reference"]),
    hasNotifyUrl: row["notify_url"] !== null,
    isInStore: row["product_code"] === "IN_STORE_PAYMENT",
    flow: flowOf(row),
    connector: toText(row["connector"] ?? "none"),
    paidMinor: BigInt(toText(row["paid_minor"] ?? 0)),
    capturedMinor: BigInt(toText(row["captured_minor"])),
    refundedMinor: BigInt(toText(row["refunded_minor"])),
    feeBasisPoints: Number(row["fee_basis_points"]),
    createdAtMs: toMs(row["created_at"]),
    expiresAtMs: toMs(row["expires_at"]),
    endedAtMs: toMs(row["ended_at"]),
    releasedAtMs: toMs(row["released_at"]),
  };
}

function flowOf(row: Row): string {
  if (row["scenario"] !== null) return toText(row["scenario"]);
  if (row["product_code"] === "AGREEMENT_PAYMENT") return "token";
  return row["session_expires_at"] === null ? "page" : "session";
}

function toPaymentOperation(row: Row, kind: "refund" | "capture" | "reversal"): PaymentOperationRow {
  return {
    clientId: toText(row["client_id"]),
    id: toText(row[`${kind}_id`]),
    requestId: toText(row[`${kind}_request_id`] ?? ""),
    paymentId: toText(row["payment_id"]),
    status: toText(row["status"]),
    reference: toText(row["reference"]),
    currency: toText(row["currency"]),
    minor: BigInt(toText(row["amount_minor"])),
    createdAtMs: toMs(row["created_at"]),
    endedAtMs: toMs(row["finished_at"]),
    reversedAtMs: toMs(row["reversed_at"]),
  };
}

function toReserve(row: Row): ReserveRow {
  return {
    clientId: toText(row["client_id"]),
    currency: toText(row["currency"]),
    minor: BigInt(toText(row["open_refunds_minor"])),
  };
}

/** Returns a time in milliseconds, or Infinity for an event that has not happened. */
function toMs(time: unknown): number {
  return time instanceof Date ? time.getTime() : Infinity;
}

function toDispute(row: Row): DisputeRow {
  return {
    id: toText(row["dispute_id"]),
    paymentId: toText(row["payment_id"]),
    status: toText(row["status"]),
    isOver: row["resolved_at"] !== null,
    reference: toText(row["provider_dispute_id"]),
    currency: toText(row["currency"]),
    frozenMinor: BigInt(toText(row["frozen_minor"])),
    debitedMinor: BigInt(toText(row["debited_minor"])),
  };
}

function toTransfer(row: Row): TransferRow {
  return {
    subjectId: toText(row["subject_id"]),
    effect: toText(row["effect"]),
    debit: toText(row["debit_account"]),
    credit: toText(row["credit_account"]),
    currency: toText(row["currency"]),
    minor: BigInt(toText(row["amount_minor"])),
  };
}

function toNotification(row: Row): NotificationRow {
  return {
    notificationId: toText(row["notification_id"]),
    kind: toText(row["kind"]),
    subjectId: toText(row["subject_id"]),
    status: toText(row["status"]),
  };
}

function toText(value: unknown): string {
  return String(value);
}
