import type { ClientKey } from "../core/client-key.ts";
import type { LeasedJob } from "../jobs/job.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import { canChange } from "./session.ts";
import { updateChangeRequested } from "./session.sql.ts";

/**
 * Records that the buyer wants another wallet. The job that drives the payment then closes the order, under a new epoch,
 * so that the answer to an order on its way is written by nobody. Undefined when money may be moving, or moved already.
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
