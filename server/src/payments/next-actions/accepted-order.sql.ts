import type { LeasedJob } from "../../contract/job.ts";
import { databaseTime } from "../../jobs/job.sql.ts";
import { columnNames, unnest, type ColumnTable } from "../../postgres/column-table.ts";
import { sortForLocking } from "../../postgres/lock-order.ts";
import { sql, type Tx } from "../../postgres/sql.ts";
import { actionColumns, type BuyerAction } from "./next-action-columns.ts";
import type { Payment } from "../payment.ts";

/** `updateOrderAccepted` stores that the provider has accepted the order, and what its buyer does next. */
export function updateOrderAccepted(tx: Tx, payment: Payment, action: BuyerAction, now: Date): Payment {
  const { code, url, json } = actionColumns(action);
  tx.write(sql`
    update payments set provider_accepted_at = coalesce(provider_accepted_at, ${now}::timestamptz),
      provider_code = ${code}, provider_url = ${url}, next_action = ${json}
    where bucket = ${payment.bucket} and client_id = ${payment.clientId} and payment_id = ${payment.paymentId}
  `);
  const order = payment.order && {
    ...payment.order,
    acceptedAt: payment.order.acceptedAt ?? now,
    ...action,
  };
  return { ...payment, order };
}

/** An order that its provider accepted. The job's epoch is the fencing token of the process that sent the order. */
export interface AcceptedOrder {
  readonly payment: Payment;
  readonly leased: LeasedJob;
  readonly action: BuyerAction;
  readonly at: Date;
  /** When to poll the provider about this order next. */
  readonly pollAt: Date;
}

/**
 * `updateOrdersAccepted` writes many accepted orders, each with its job's next due time. It returns for each order
 * whether it was written. An order is not written if another process has taken over the lease (the epoch differs), or
 * if the payment has changed. Lock order: payments before jobs.
 */
export async function updateOrdersAccepted(
  tx: Tx,
  orders: readonly AcceptedOrder[],
): Promise<readonly boolean[]> {
  const sorted = sortForLocking(orders, ({ payment: { bucket, paymentId } }) => [bucket, paymentId]);
  const rows = await tx.query<{ payment_id: string }>(sql`
    with given as (
      select * from ${unnest(acceptedColumns, sorted)} as given (${acceptedColumnNames})
    ), accepted as (
      update payments
      set provider_accepted_at = given.at, provider_code = given.code, provider_url = given.url,
        next_action = given.next_action
      from given cross join lateral (
        select ctid as place from jobs as j where j.bucket = given.bucket and j.subject_id = given.payment_id
          and j.job = 'drive-payment' and j.client_id = given.client_id and j.epoch = given.epoch
        -- Planner: offset 0 keeps one index lookup per row.
        offset 0
      ) as leased
      where payments.bucket = given.bucket and payments.client_id is not distinct from given.client_id
        and payments.payment_id = given.payment_id and payments.status = 'PROCESSING'
        and payments.provider_accepted_at is null and payments.cancel_requested_at is null
        and payments.change_requested_at is null
      returning given.payment_id, given.epoch, given.look_at, leased.place
    )
    update jobs set due_at = accepted.look_at, follows_merchant_clock = true, attempts = 0
    from accepted
    where jobs.ctid = accepted.place and jobs.epoch = accepted.epoch
    returning accepted.payment_id
  `);
  const written = new Set(rows.map(({ payment_id }) => payment_id));
  return orders.map(({ payment }) => written.has(payment.paymentId));
}

const acceptedColumns: ColumnTable<AcceptedOrder> = [
  ["bucket", "smallint", ({ payment }) => payment.bucket],
  ["client_id", "text", ({ payment }) => payment.clientId],
  ["payment_id", "text", ({ payment }) => payment.paymentId],
  ["epoch", "int", ({ leased }) => leased.epoch],
  ["code", "text", ({ action }) => actionColumns(action).code],
  ["url", "text", ({ action }) => actionColumns(action).url],
  ["next_action", "text", ({ action }) => actionColumns(action).json],
  ["at", "timestamptz", ({ at }) => at],
  ["look_at", "timestamptz", ({ pollAt, leased }) => databaseTime(pollAt, leased.aheadMs)],
];
const acceptedColumnNames = columnNames(acceptedColumns);
