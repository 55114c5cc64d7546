import { bucketOf } from "../../core/bucket.ts";
import type { Tx } from "../../postgres/sql.ts";
import { voidCode, type Payout } from "./payout.ts";
import { settlePayout } from "./settle-payout.tx.ts";
import { openNotifiers } from "../../notifications/open-notifiers.workflow.ts";

/** Fails payouts that the bank has not received. It restores the merchant's balance, and the batches are due again. */
export async function failPayouts(
  tx: Tx,
  payouts: readonly Payout[],
  clientIds: readonly string[],
  at: Date,
): Promise<void> {
  const notifierOf = await openNotifiers(tx, clientIds, at);
  for (const payout of payouts) {
    const { clientId, status } = payout;
    const states = status === "CREATED" ? (["SENT", "FAILED"] as const) : (["FAILED"] as const);
    const settled = { states, reasonCode: voidCode, at };
    settlePayout(tx, { bucket: bucketOf(clientId), clientId }, payout, settled, notifierOf(clientId));
  }
}
