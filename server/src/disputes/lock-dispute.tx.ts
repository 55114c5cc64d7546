import type { ClientKey } from "../core/client-key.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { findDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";

/** A dispute and its payment. The payment's row lock covers the dispute, too. */
export interface LockedDispute {
  readonly dispute: Dispute;
  readonly payment: Payment;
}

/**
 * `lockDisputeAndPayment` locks the payment, and reads the dispute. Both queries are pipelined before the first response. Lock
 * order: payment before the caller's job.
 */
export async function lockDisputeAndPayment(
  tx: Tx,
  owner: ClientKey,
  { disputeId, paymentId }: Pick<Dispute, "disputeId" | "paymentId">,
): Promise<LockedDispute | undefined> {
  const [payment, dispute] = await Promise.all([
    lockPayment(tx, owner, paymentId),
    findDispute(tx, owner, disputeId),
  ]);
  return payment && dispute && { payment, dispute };
}

/** `lockDispute` locks the payment of a dispute and returns both, for a caller that has only the dispute's id. */
export async function lockDispute(
  tx: Tx,
  owner: ClientKey,
  disputeId: string,
): Promise<LockedDispute | undefined> {
  const dispute = await findDispute(tx, owner, disputeId);
  return dispute && lockDisputeAndPayment(tx, owner, dispute);
}
