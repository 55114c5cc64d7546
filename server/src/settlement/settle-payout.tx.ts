import type { ClientKey } from "../core/client-key.ts";
import { payoutFailedEffect, payoutPaidEffect, payoutReturnedEffect } from "../ledger/payout-effects.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import type { Effect } from "../ledger/transfer.ts";
import type { OpenTeller } from "../notifications/tell-merchant.tx.ts";
import type { Tx } from "../postgres/sql.ts";
import { updateBatch } from "./batch.sql.ts";
import type { Payout, PayoutStatus } from "./payout.ts";
import { updatePayoutStatus } from "./payout.sql.ts";
import { tellOfPayout } from "./tell-payout.tx.ts";

/** Moves a payout on by what its bank says, with its money and its batch, and tells its merchant. A batch whose payout failed or came back is due again. */
export function settlePayout(
  tx: Tx,
  key: ClientKey,
  payout: Payout,
  {
    states,
    reasonCode,
    at,
  }: {
    readonly states: readonly PayoutStatus[];
    readonly reasonCode: string | undefined;
    readonly at: Date;
  },
  teller: OpenTeller,
): void {
  const { payoutId, batchId } = payout;
  for (const status of states) {
    updatePayoutStatus(tx, key, payoutId, { status, reasonCode, at });
    tellOfPayout(tx, key, payout, { status, reasonCode, at }, teller);
    const effect = effectOf(status, payout);
    if (effect) insertEffect(tx, { ...key, subjectId: payoutId }, effect, at);
    if (status === "PAID") updateBatch(tx, key, batchId, { status, payoutId, waitsFor: undefined });
    if (status === "FAILED" || status === "RETURNED")
      updateBatch(tx, key, batchId, { status: "DUE", payoutId: undefined, waitsFor: undefined });
  }
}

function effectOf(status: PayoutStatus, { clientId, amount }: Payout): Effect | undefined {
  if (status === "PAID") return payoutPaidEffect(clientId, amount);
  if (status === "FAILED") return payoutFailedEffect(clientId, amount);
  return status === "RETURNED" ? payoutReturnedEffect(clientId, amount) : undefined;
}
