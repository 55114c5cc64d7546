import type { ClientKey } from "../core/client-key.ts";
import { payoutEffect } from "../ledger/payout-effects.ts";
import { lockFreeBalance } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { findApprovedAccount } from "./bank-account.sql.ts";
import { lockBatch, updateBatch } from "./batch.sql.ts";
import { updateLineDropped, type FileLine, type KeptFile } from "./payout-file.sql.ts";
import { findPayoutHold } from "./payout-hold.sql.ts";
import { waitReasonOf, type Payout, type WaitReason } from "./payout.ts";
import { insertPayout } from "./payout.sql.ts";

/**
 * Creates the payout of an approved line, with its ledger transfer and its batch: from here on no refund can use the money. A line that
 * cannot be paid any more is dropped, its batch stays due, and the reason is returned. Undefined when another run has created it. The lock on the reserve is taken last, as for a
 * refund: after it there are only writes.
 */
export async function claimPayout(
  tx: Tx,
  key: ClientKey,
  { fileId, bank, isRecovered }: Pick<KeptFile, "fileId" | "bank" | "isRecovered">,
  line: FileLine,
  now: Date,
): Promise<Payout | WaitReason | undefined> {
  const { batchId, payoutId, amount, accountId } = line;
  const batch = await lockBatch(tx, key, batchId);
  if (batch?.paidBy === payoutId) return undefined;
  const isDue =
    batch?.status === "DUE" &&
    batch.payoutId === payoutId &&
    batch.netMinor === amount.minor &&
    batch.currency === amount.currency;
  const account = await findApprovedAccount(tx, key, amount.currency);
  const hold = await findPayoutHold(tx, key);
  const freeMinor = await lockFreeBalance(tx, { ...key, currency: amount.currency });
  const usableFrom = account?.usableFrom;
  const asked = { hold, hasBank: true, usableFrom, freeMinor, netMinor: amount.minor, now };
  // The bank has a recovered file: holds and changed accounts cannot stop its payments any more.
  const waitsFor = waitReasonOf(isRecovered ? { ...asked, hold: undefined, usableFrom: now } : asked);
  const isOtherAccount = !isRecovered && account?.accountId !== accountId;
  const dropped = isDue ? (waitsFor ?? (isOtherAccount ? "account changed" : undefined)) : "not due";
  if (dropped) {
    updateLineDropped(tx, key, { fileId, batchId }, dropped);
    if (isDue) updateBatch(tx, key, batchId, { status: "DUE", payoutId: undefined, waitsFor: dropped });
    return dropped;
  }
  const payout: Payout = {
    clientId: key.clientId,
    payoutId,
    batchId,
    amount,
    accountId,
    bank,
    status: "CREATED",
    fileId,
    createdAt: now,
  };
  updateBatch(tx, key, batchId, { status: "PAYING", payoutId, waitsFor: undefined, bank });
  insertPayout(tx, key, payout);
  insertEffect(tx, { ...key, subjectId: payoutId }, payoutEffect(key.clientId, amount), now);
  return payout;
}
