import type { ClientKey } from "../core/client-key.ts";
import { providerReference } from "../core/provider-reference.ts";
import type { LeasedJob } from "../contract/job.ts";
import { deleteJob, insertLeasedJob } from "../jobs/job.sql.ts";
import { selectFeeTerms, type FeeRule } from "../ledger/fee-rule.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import { canChoose, payableUntil } from "./session.ts";
import { sessionOf, updateMethodChosen } from "./session.sql.ts";

/** The buyer's choice of a payment method, and the connector that serves it. */
export interface MethodChoice {
  readonly paymentId: string;
  readonly paymentMethodType: string;
  readonly connector: string;
}

/**
 * Distance between the epochs of two choices. Fencing: the job of an earlier choice was deleted, but a process may
 * still wait for its response. So the jobs of two choices never share an epoch.
 */
const epochsPerChoice = 1_000_000;

/**
 * `chooseMethod` records the buyer's choice once: under the row lock, a second choice in another tab finds the first.
 * Then the job `drive-payment`, leased to this process, drives the payment like a payment of `pay`. The function
 * returns undefined if the buyer can no longer choose.
 */
export async function chooseMethod(
  tx: Tx,
  owner: ClientKey,
  { paymentId, paymentMethodType, connector }: MethodChoice,
  {
    environment,
    now,
    feeRules,
  }: { readonly environment: string; readonly now: Date; readonly feeRules: readonly FeeRule[] },
): Promise<LeasedJob | undefined> {
  const payment = await lockPayment(tx, owner, paymentId);
  if (!payment || !canChoose(payment, now)) return undefined;
  const session = await sessionOf(tx, owner, payment);
  if (!session) return undefined;
  const { bucket, clientId } = owner;
  const changes = session.payment.session.abandonedOrders.length;
  // A provider never reopens a closed reference, so each choice has its own reference.
  const action = changes === 0 ? "payment" : `payment ${changes + 1}`;
  const reference = providerReference(environment, clientId, action, payment.paymentRequestId);
  const expiresAt = payableUntil(session, now);
  // The fee depends on when the payment was created, not on when the buyer chooses.
  const feeCase = { paymentMethodType, currency: payment.amount?.currency ?? "", at: payment.createdAt };
  const feeTerms = selectFeeTerms(feeRules, feeCase);
  updateMethodChosen(tx, payment, { paymentMethodType, connector, reference, expiresAt, feeTerms }, now);
  deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "close-session" });
  const key = { bucket, clientId, subjectId: paymentId, job: "drive-payment" } as const;
  return insertLeasedJob(tx, key, 1 + changes * epochsPerChoice);
}
