import type { ClientKey } from "../core/client-key.ts";
import { walletReference } from "../core/wallet-reference.ts";
import type { LeasedJob } from "../jobs/job.ts";
import { deleteJob, insertLeasedJob } from "../jobs/job.sql.ts";
import { feeTermsFor, type FeeRule } from "../ledger/fee-rule.ts";
import type { Tx } from "../postgres/sql.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import { canChoose, payableUntil } from "./session.ts";
import { sessionOf, updateMethodChosen } from "./session.sql.ts";

/** What a buyer wants, and the wallet that serves it. */
export interface Choice {
  readonly paymentId: string;
  readonly paymentMethodType: string;
  readonly connector: string;
}

/**
 * Fencing: the job of an earlier choice was deleted, and a process may still wait for its wallet's answer. No epoch of
 * that job may be one of this.
 */
const epochsOfOneChoice = 1_000_000;

/**
 * Records the buyer's choice, once: under the row lock, a second choice (in another tab) finds the first.
 * Then the payment is driven by the same job as one of `pay`, leased to this process. Undefined when the
 * buyer can no longer choose.
 */
export async function chooseMethod(
  tx: Tx,
  owner: ClientKey,
  { paymentId, paymentMethodType, connector }: Choice,
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
  const changes = session.payment.session.leftOrders.length;
  // A reference that a wallet has closed stays closed, so each choice has its own.
  const action = changes === 0 ? "payment" : `payment ${changes + 1}`;
  const reference = walletReference(environment, clientId, action, payment.paymentRequestId);
  const expiresAt = payableUntil(session, now);
  // The fee goes by when the payment was created, however long the buyer thinks.
  const asked = { paymentMethodType, currency: payment.amount?.currency ?? "", at: payment.createdAt };
  const feeTerms = feeTermsFor(feeRules, asked);
  updateMethodChosen(tx, payment, { paymentMethodType, connector, reference, expiresAt, feeTerms }, now);
  deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "close-session" });
  const key = { bucket, clientId, subjectId: paymentId, job: "drive-payment" } as const;
  return insertLeasedJob(tx, key, 1 + changes * epochsOfOneChoice);
}
