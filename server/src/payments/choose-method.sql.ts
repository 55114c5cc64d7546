import { walletReference } from "../core/reference.ts";
import type { HeldJob } from "../jobs/job.ts";
import { deleteJob, insertHeldJob } from "../jobs/job.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockPayment, type Owner } from "./payment.sql.ts";
import { canChoose, payableUntil } from "./session.ts";
import { closeJob, sessionOf, updateMethodChosen } from "./session.sql.ts";

/** What a buyer wants, and the wallet that serves it. */
export interface Choice {
  readonly paymentId: string;
  readonly paymentMethodType: string;
  readonly connector: string;
}

/**
 * Records the buyer's choice, once: under the row lock, a second choice (in another tab) finds the first.
 * Then the payment is driven by the same job as one of `pay`, leased to this process. Undefined when the
 * buyer can no longer choose.
 */
export async function chooseMethod(
  tx: Tx,
  owner: Owner,
  { paymentId, paymentMethodType, connector }: Choice,
  { environment, now }: { readonly environment: string; readonly now: Date },
): Promise<HeldJob | undefined> {
  const payment = await lockPayment(tx, owner, paymentId);
  if (!payment || !canChoose(payment, now)) return undefined;
  const session = await sessionOf(tx, owner, payment);
  if (!session) return undefined;
  const { bucket, clientId } = owner;
  const reference = walletReference(environment, clientId, "payment", payment.paymentRequestId);
  const expiresAt = payableUntil(session, now);
  updateMethodChosen(tx, payment, { paymentMethodType, connector, reference, expiresAt }, now);
  deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: closeJob });
  return insertHeldJob(tx, { bucket, clientId, subjectId: paymentId, job: "drive-payment" });
}
