import type { ClientKey } from "../../core/client-key.ts";
import { payoutFailedEffect, payoutPaidEffect, payoutReturnedEffect } from "../../ledger/payout-effects.ts";
import { insertEffect } from "../../ledger/transfer.sql.ts";
import type { Effect } from "../../ledger/transfer.ts";
import type { Notifier } from "../../notifications/notify-merchant.tx.ts";
import type { Tx } from "../../postgres/sql.ts";
import { updateBatch } from "../batch.sql.ts";
import type { Payout, PayoutStatus } from "./payout.ts";
import { updatePayoutStatus } from "./payout.sql.ts";
import { notifyOfPayout } from "./notify-payout.tx.ts";

/**
 * `settlePayout` applies the bank's status to a payout, with its ledger transfers and its batch, and notifies the
 * merchant. A batch whose payout failed or was returned is due again.
 */
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
  notifier: Notifier,
): void {
  const { payoutId, batchId } = payout;
  for (const status of states) {
    updatePayoutStatus(tx, key, payoutId, { status, reasonCode, at });
    notifyOfPayout(tx, key, payout, { status, reasonCode, at }, notifier);
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
