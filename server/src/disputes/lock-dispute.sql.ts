import { lockPayment, type Owner } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { findDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";

/** A dispute, and the payment that it is about. Whoever holds the payment holds both. */
export interface Disputing {
  readonly dispute: Dispute;
  readonly payment: Payment;
}

/** Both are asked for before the first answer, so that what the caller asks next, its job, is held last. */
export async function lockDisputing(
  tx: Tx,
  owner: Owner,
  { disputeId, paymentId }: Pick<Dispute, "disputeId" | "paymentId">,
): Promise<Disputing | undefined> {
  const [payment, dispute] = await Promise.all([
    lockPayment(tx, owner, paymentId),
    findDispute(tx, owner, disputeId),
  ]);
  return payment && dispute && { payment, dispute };
}

/** The same for whoever knows only the dispute. */
export async function lockDispute(tx: Tx, owner: Owner, disputeId: string): Promise<Dispute | undefined> {
  const found = await findDispute(tx, owner, disputeId);
  return found && (await lockDisputing(tx, owner, found))?.dispute;
}
