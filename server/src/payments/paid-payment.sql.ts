import { databaseTime, leaseSeconds } from "../jobs/job.sql.ts";
import type { Effect } from "../ledger/transfer.ts";
import type { Money } from "../core/money.ts";
import { columnNames, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sortForLocking } from "../postgres/lock-order.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Notification } from "../notifications/notification.ts";
import type { ProviderEvent } from "../providers/provider-event.sql.ts";

/** A paid payment with all values that its settlement writes. */
export interface PaidPayment {
  /** The provider's callback that reported the payment. */
  readonly event: ProviderEvent;
  readonly paidAmount: Money;
  readonly paidAt: Date;
  readonly providerDetails: string | undefined;
  readonly effect: Effect;
  /** The webhook to the merchant. */
  readonly notification: Notification;
  /** The delivery queue of the webhook. */
  readonly queue: string;
  /** Whether this process has capacity to send the webhook. */
  readonly mayLease: boolean;
  readonly at: Date;
  readonly aheadMs: number;
}

/**
 * `updatePaymentsPaid` settles a batch of payments, which the transaction has locked, in one statement. The statement
 * writes the payment, its event, the provider's event, the ledger rows, the webhook (outbox) and its job, and deletes
 * the job that drove the payment. It returns the ids of the webhooks whose jobs are leased to this process. If the
 * delivery queue is paused, or the merchant has configured a test fault, a worker delivers the webhook instead.
 */
export async function updatePaymentsPaid(
  tx: Tx,
  payments: readonly PaidPayment[],
): Promise<ReadonlySet<string>> {
  const sorted = sortForLocking(payments, ({ event: { bucket, paymentId } }) => [bucket, paymentId]);
  const rows = await tx.query<{ notification_id: string; is_leased: boolean }>(sql`
    with given as (
      select * from ${unnest(paidColumns, sorted)} as given (${paidColumnNames})
    ), changed as (
      update payments set status = 'SUCCESS', result_code = 'SUCCESS', sequence = given.sequence,
        paid_currency = given.currency, paid_minor = given.minor, paid_at = given.paid_at, captured_minor = given.minor,
        cancel_requested_at = null, sealed_code = null, next_action = null, provider_details = given.details
      from given
      where payments.bucket = given.bucket and payments.client_id is not distinct from given.client_id
        and payments.payment_id = given.payment_id
      returning given.*
    ), event as (
      insert into payment_events (bucket, payment_id, sequence, client_id, at, status, result_code)
      select bucket, payment_id, sequence, client_id, at, 'SUCCESS', 'SUCCESS' from changed
    ), heard as (
      insert into provider_events (bucket, connector, event_id, client_id, payment_id, at)
      select bucket, connector, event_id, client_id, payment_id, at from changed
      on conflict (bucket, connector, event_id) do nothing
    ), posted as (
      insert into ledger_transfers
        (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
      select * from ${unnest(lineColumns, sorted.flatMap(ledgerLinesOf))}
    ), told as (
      insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
      select bucket, notification_id, client_id, 'notifyPayment', payment_id, sequence, url, body, at from changed
    ), driven as (
      delete from jobs using changed cross join lateral (
        select ctid as place from jobs as j where j.bucket = changed.bucket and j.subject_id = changed.payment_id
          and j.job = 'drive-payment' and j.client_id = changed.client_id
        -- Planner: offset 0 keeps one index lookup per row.
        offset 0
      ) as found
      where jobs.ctid = found.place
    ), due as (
      select changed.*, may_lease
        and not exists (
          select from paused_queues as p
          where p.bucket = changed.bucket and p.client_id = changed.client_id and p.queue = changed.queue
        )
        and not exists (
          select from notification_faults as f
          where f.bucket = changed.bucket and f.client_id = changed.client_id and f.remaining > 0
        ) as is_leased
      from changed
    )
    insert into jobs (bucket, subject_id, job, client_id, queue, due_at, follows_merchant_clock, sent_at)
    select bucket, notification_id, 'deliver-notification', client_id, queue,
      case when is_leased then clock_timestamp() + make_interval(secs => ${leaseSeconds}) else due_at end,
      not is_leased, null::timestamptz
    from due
    returning subject_id as notification_id, not follows_merchant_clock as is_leased
  `);
  return new Set(rows.flatMap(({ notification_id, is_leased }) => (is_leased ? [notification_id] : [])));
}

const paidColumns: ColumnTable<PaidPayment> = [
  ["bucket", "smallint", ({ event }) => event.bucket],
  ["client_id", "text", ({ event }) => event.clientId],
  ["payment_id", "text", ({ event }) => event.paymentId],
  ["connector", "text", ({ event }) => event.connector],
  ["event_id", "text", ({ event }) => event.eventId],
  ["sequence", "int", ({ notification }) => notification.sequence],
  ["currency", "text", ({ paidAmount }) => paidAmount.currency],
  ["minor", "bigint", ({ paidAmount }) => paidAmount.minor],
  ["paid_at", "timestamptz", ({ paidAt }) => paidAt],
  ["details", "text", ({ providerDetails }) => providerDetails],
  ["at", "timestamptz", ({ at }) => at],
  ["notification_id", "text", ({ notification }) => notification.notificationId],
  ["url", "text", ({ notification }) => notification.url],
  ["body", "bytea", ({ notification }) => notification.body],
  ["queue", "text", ({ queue }) => queue],
  ["due_at", "timestamptz", ({ at, aheadMs }) => databaseTime(at, aheadMs)],
  ["may_lease", "boolean", ({ mayLease }) => mayLease],
];
const paidColumnNames = columnNames(paidColumns);

interface LedgerLine {
  readonly payment: PaidPayment;
  readonly transfer: Effect["transfers"][number];
  readonly line: number;
}

const lineColumns: ColumnTable<LedgerLine> = [
  ["bucket", "smallint", ({ payment }) => payment.event.bucket],
  ["subject_id", "text", ({ payment }) => payment.event.paymentId],
  ["effect", "text", ({ payment }) => payment.effect.name],
  ["line", "smallint", ({ line }) => line],
  ["client_id", "text", ({ payment }) => payment.event.clientId],
  ["debit_account", "text", ({ transfer }) => transfer.debit],
  ["credit_account", "text", ({ transfer }) => transfer.credit],
  ["currency", "text", ({ transfer }) => transfer.amount.currency],
  ["amount_minor", "bigint", ({ transfer }) => transfer.amount.minor],
  ["at", "timestamptz", ({ payment }) => payment.at],
];

function ledgerLinesOf(payment: PaidPayment): readonly LedgerLine[] {
  return payment.effect.transfers.map((transfer, index) => ({ payment, transfer, line: index + 1 }));
}
