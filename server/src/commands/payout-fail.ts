import { bucketOf } from "../core/bucket.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Payout } from "../settlement/payout.ts";
import { settlePayout } from "../settlement/settle-payout.tx.ts";
import { openTellers } from "./operator-teller.ts";

/** The reason code of a payout that failed without the bank: its file never reached it. */
const voidCode = "VOID";

/** Fails payouts that the bank does not have: the money is owed again, and their batches are due again. */
export async function failPayouts(
  tx: Tx,
  payouts: readonly Payout[],
  clientIds: readonly string[],
  at: Date,
): Promise<void> {
  const tellerOf = await openTellers(tx, clientIds, at);
  for (const payout of payouts) {
    const { clientId, status } = payout;
    const states = status === "CREATED" ? (["SENT", "FAILED"] as const) : (["FAILED"] as const);
    const settled = { states, reasonCode: voidCode, at };
    settlePayout(tx, { bucket: bucketOf(clientId), clientId }, payout, settled, tellerOf(clientId));
  }
}
