import type { Cluster } from "../installation/cluster.ts";
import { database } from "../installation/installation.ts";

/** The state of the database at the end, read without row-level security. */
export interface Evidence {
  readonly payments: readonly PaymentRow[];
  readonly refunds: readonly PartRow[];
  readonly captures: readonly PartRow[];
  readonly reversals: readonly PartRow[];
  readonly disputes: readonly DisputeRow[];
  readonly transfers: readonly TransferRow[];
  readonly notifications: readonly NotificationRow[];
  readonly reserves: readonly ReserveRow[];
  /** Reconciliation breaks between our records, the ledger and the providers' files, as `reconcile` reports them. */
  readonly breaks: readonly BreakRow[];
}

/** The part of a merchant's balance that is reserved. */
export interface ReserveRow {
  readonly clientId: string;
  readonly currency: string;
  readonly minor: bigint;
}

export interface BreakRow {
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
  readonly isToBeTold: boolean;
  readonly isInStore: boolean;
  /** How the payment was started: on a page, in a session, by token, or the kind of in-store payment. */
  readonly way: string;
  readonly connector: string;
  /** Zero until it is paid. */
  readonly paidMinor: bigint;
  readonly feeBasisPoints: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The time of the payment's last change. */
  readonly endedAtMs: number;
}

/** A refund, a capture or a reversal of a payment. */
export interface PartRow {
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

export async function readEvidence(
  cluster: Pick<Cluster, "execute">,
  breaks: readonly BreakRow[] = [],
): Promise<Evidence> {
  const all = (table: string): Promise<readonly Row[]> =>
    cluster.execute<Row>(database, `select * from ${table}`);
  const lastChanges = `(select bucket, payment_id, max(at) as ended_at from payment_events group by 1, 2) as last`;
  return {
    payments: (await all(`payments left join ${lastChanges} using (bucket, payment_id)`)).map(toPayment),
    refunds: (await all("refunds")).map((row) => toPart(row, "refund")),
    captures: (await all("captures")).map((row) => toPart(row, "capture")),
    reversals: (await all("reversals")).map((row) => toPart(row, "reversal")),
    disputes: (await all("disputes")).map(toDispute),
    transfers: (await all("ledger_transfers")).map(toTransfer),
    notifications: (await all("notifications")).map(toNotification),
    reserves: (await all("reserves")).map(toReserve),
    breaks,
  };
}

/** Kind of record → number of records that are not final. */
export async function countUnfinished(
  cluster: Pick<Cluster, "execute">,
): Promise<Readonly<Record<string, number>>> {
  const rows = await cluster.execute<{ name: string; count: number }>(
    database,
    `select 'payments' as name, count(*)::int from payments where status in ('PROCESSING', 'PENDING')
     union all select 'refunds', count(*)::int from refunds where status = 'PROCESSING'
     union all select 'captures', count(*)::int from captures where status = 'PROCESSING'
     union all select 'reversals', count(*)::int from reversals where status = 'PROCESSING'
     union all select 'notifications', count(*)::int from notifications where status = 'WAITING'`,
  );
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
}

/** Kind of record → number of records that are not final and have no job, so that they are stuck. */
export async function countForgotten(cluster: Cluster): Promise<Readonly<Record<string, number>>> {
  const rows = await cluster.execute<{ name: string; count: number }>(
    database,
    `with open as (
       select 'payments' as name, bucket, payment_id as subject_id from payments where status in ('PROCESSING', 'PENDING')
       union all select 'refunds', bucket, refund_id from refunds where status = 'PROCESSING'
       union all select 'captures', bucket, capture_id from captures where status = 'PROCESSING'
       union all select 'reversals', bucket, reversal_id from reversals where status = 'PROCESSING'
       union all select 'notifications', bucket, notification_id from notifications where status = 'WAITING'
     )
     select name, count(*)::int from open
     where not exists (select from jobs where jobs.bucket = open.bucket and jobs.subject_id = open.subject_id)
     group by name`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/**
 * Skips the retry backoff of webhooks: the first retry comes after two minutes, and a storm of a minute has no time for
 * it. A webhook that is being sent has a shorter lease, and is not changed.
 */
export async function skipNotificationGaps(cluster: Pick<Cluster, "execute">): Promise<void> {
  await cluster.execute(
    database,
    `update jobs set due_at = clock_timestamp()
     where job = 'deliver-notification' and due_at > clock_timestamp() + interval '30 seconds'`,
  );
}

function toPayment(row: Row): PaymentRow {
  return {
    clientId: text(row["client_id"]),
    paymentId: text(row["payment_id"]),
    paymentRequestId: text(row["payment_request_id"]),
    status: text(row["status"]),
    resultCode: text(row["result_code"]),
    isManual: row["capture_mode"] === "MANUAL",
    wasPaid: row["paid_at"] !== null,
    reference: row["provider_reference"] === null ? undefined : text(row["provider_reference"]),
    isToBeTold: row["notify_url"] !== null,
    isInStore: row["product_code"] === "IN_STORE_PAYMENT",
    way: wayOf(row),
    connector: text(row["connector"] ?? "none"),
    paidMinor: BigInt(text(row["paid_minor"] ?? 0)),
    feeBasisPoints: Number(row["fee_basis_points"]),
    createdAtMs: atMs(row["created_at"]),
    expiresAtMs: atMs(row["expires_at"]),
    endedAtMs: atMs(row["ended_at"]),
  };
}

function wayOf(row: Row): string {
  if (row["scenario"] !== null) return text(row["scenario"]);
  if (row["product_code"] === "AGREEMENT_PAYMENT") return "token";
  return row["session_expires_at"] === null ? "page" : "session";
}

function toPart(row: Row, kind: "refund" | "capture" | "reversal"): PartRow {
  return {
    clientId: text(row["client_id"]),
    id: text(row[`${kind}_id`]),
    requestId: text(row[`${kind}_request_id`] ?? ""),
    paymentId: text(row["payment_id"]),
    status: text(row["status"]),
    reference: text(row["reference"]),
    currency: text(row["currency"]),
    minor: BigInt(text(row["amount_minor"])),
    createdAtMs: atMs(row["created_at"]),
    endedAtMs: atMs(row["finished_at"]),
  };
}

function toReserve(row: Row): ReserveRow {
  return {
    clientId: text(row["client_id"]),
    currency: text(row["currency"]),
    minor: BigInt(text(row["open_refunds_minor"])),
  };
}

/** Returns a time in milliseconds, or Infinity for an event that has not happened. */
function atMs(time: unknown): number {
  return time instanceof Date ? time.getTime() : Infinity;
}

function toDispute(row: Row): DisputeRow {
  return {
    id: text(row["dispute_id"]),
    paymentId: text(row["payment_id"]),
    status: text(row["status"]),
    isOver: row["resolved_at"] !== null,
    reference: text(row["provider_dispute_id"]),
    currency: text(row["currency"]),
    frozenMinor: BigInt(text(row["frozen_minor"])),
    debitedMinor: BigInt(text(row["debited_minor"])),
  };
}

function toTransfer(row: Row): TransferRow {
  return {
    subjectId: text(row["subject_id"]),
    effect: text(row["effect"]),
    debit: text(row["debit_account"]),
    credit: text(row["credit_account"]),
    currency: text(row["currency"]),
    minor: BigInt(text(row["amount_minor"])),
  };
}

function toNotification(row: Row): NotificationRow {
  return {
    notificationId: text(row["notification_id"]),
    kind: text(row["kind"]),
    subjectId: text(row["subject_id"]),
    status: text(row["status"]),
  };
}

function text(value: unknown): string {
  return String(value);
}
