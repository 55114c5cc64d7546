import { newId } from "../core/id.ts";
import type { LeasedJob } from "../contract/job.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import { endpointQueue, type Notification } from "../notifications/notification.ts";
import type { Tx } from "../postgres/sql.ts";
import { shiftToMerchantClock } from "../providers/merchant-clock.ts";
import type { OrderReport } from "../providers/provider.ts";
import type { ProviderEvent } from "../providers/provider-event.sql.ts";
import { decidePayment } from "./decide-payment.ts";
import { updatePaymentsPaid, type PaidPayment } from "./paid-payment.sql.ts";
import { paymentNotificationBody } from "./payment-notification.ts";
import { lockPayments } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";

/** A provider's callback that waits for a batched write. */
export interface PaidCallback {
  readonly event: ProviderEvent;
  readonly report: OrderReport;
  readonly context: RecordingContext;
  /** The job of the webhook, if it was inserted and leased to this process. */
  leased?: LeasedJob | undefined;
}

/**
 * `settlePaidBatch` is the batched form of `recordReport` for the usual outcome: the full amount is paid, without an
 * authorization hold. It returns for each callback whether it was written. The caller passes all other callbacks to
 * `recordReport`: repeated ones, late successes, contradictions, reports with an alert, and orders of other connectors.
 */
export async function settlePaidBatch(
  tx: Tx,
  callbacks: readonly PaidCallback[],
  freeSlotsOf: (queue: string) => number,
): Promise<readonly boolean[]> {
  const payments = await lockPayments(
    tx,
    callbacks.map(({ event }) => event),
  );
  const freeSlots = new Map<string, number>();
  const paid = new Map<PaidCallback, PaidPayment>();
  for (const callback of callbacks) {
    const { paymentId } = callback.event;
    const payment = payments.get(paymentId);
    const settlement = payment && planSettlement(payment, callback);
    if (!settlement) continue;
    // A second callback about the same payment depends on the outcome of the first one, so it is not part of the batch.
    payments.delete(paymentId);
    const { queue, notification } = settlement;
    const slots = freeSlots.get(queue) ?? freeSlotsOf(queue);
    freeSlots.set(queue, slots - 1);
    paid.set(callback, { ...settlement, mayLease: notification.url !== undefined && slots > 0 });
  }
  const leased = paid.size > 0 ? await updatePaymentsPaid(tx, [...paid.values()]) : new Set<string>();
  for (const [callback, { notification, queue }] of paid)
    callback.leased = leased.has(notification.notificationId)
      ? leasedJob(callback, notification, queue)
      : undefined;
  return callbacks.map((callback) => paid.has(callback));
}

function planSettlement(
  payment: Payment,
  { event, report, context }: PaidCallback,
): Omit<PaidPayment, "mayLease"> | undefined {
  const { order, bucket, clientId, paymentId, notifyUrl: url } = payment;
  // Security: a provider may report only on its own orders, even with a valid signature.
  if (order?.connector !== event.connector || order.reference !== event.reference) return undefined;
  const { now: at, aheadMs, randomBelow } = context;
  const decision = decidePayment(payment, shiftToMerchantClock(report, context), at);
  if (decision.kind !== "moved" || decision.why !== undefined) return undefined;
  const { effect, ...change } = decision.change;
  const { status, paidAmount, paidAt, providerDetails } = change;
  if (status !== "SUCCESS" || !effect || !paidAmount || !paidAt) return undefined;

  const sequence = payment.sequence + 1;
  const kind = "notifyPayment";
  const notification: Notification = {
    bucket,
    clientId,
    kind,
    subjectId: paymentId,
    sequence,
    url,
    body: paymentNotificationBody({ ...payment, ...change, sequence }),
    notificationId: newId("notification", bucket, at, randomBelow),
    status: "WAITING",
    attempts: 0,
    createdAt: at,
  };
  const queue = endpointQueue(notification);
  return { event, paidAmount, paidAt, providerDetails, effect, notification, queue, at, aheadMs };
}

/** The leased job as its row was inserted: first epoch, no attempts. */
function leasedJob({ context }: PaidCallback, notification: Notification, queue: string): LeasedJob {
  const { bucket, clientId, notificationId: subjectId } = notification;
  return {
    bucket,
    clientId,
    subjectId,
    job: "deliver-notification",
    queue,
    epoch: 1,
    attempts: 0,
    aheadMs: context.aheadMs,
    record: notification,
  };
}
