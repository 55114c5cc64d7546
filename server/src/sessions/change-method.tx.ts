import type { ClientKey } from "../core/client-key.ts";
import type { LeasedJob } from "../contract/job.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import { canChange } from "./session.ts";
import { updateChangeRequested } from "./session.sql.ts";

/**
 * `changeMethod` records that the buyer wants another payment method. The job that drives the payment then closes the
 * order, under a new epoch, so that the response to an order in flight is discarded (fencing). The function returns
 * undefined if money may be moving or has moved already.
 */
export async function changeMethod(
  tx: Tx,
  owner: ClientKey,
  paymentId: string,
  now: Date,
): Promise<LeasedJob | undefined> {
  const payment = await lockPayment(tx, owner, paymentId);
  if (!payment || !canChange(payment, now)) return undefined;
  updateChangeRequested(tx, payment, now);
  const { bucket, clientId } = owner;
  return insertLeasedJob(tx, { bucket, clientId, subjectId: paymentId, job: "drive-payment" });
}
