import type { ClientKey } from "../../core/client-key.ts";
import { payoutEffect } from "../../ledger/payout-effects.ts";
import { lockFreeBalance } from "../../ledger/reserve.sql.ts";
import { insertEffect } from "../../ledger/transfer.sql.ts";
import type { Tx } from "../../postgres/sql.ts";
import { findApprovedAccount } from "./bank-account.sql.ts";
import { lockBatch, updateBatch } from "../batch.sql.ts";
import { updateLineDropped, type FileLine, type StoredPayoutFile } from "./payout-file.sql.ts";
import { findPayoutHold } from "./payout-hold.sql.ts";
import { waitReasonOf, type Payout, type WaitReason } from "./payout.ts";
import { insertPayout } from "./payout.sql.ts";

/**
 * `claimPayout` creates the payout of an approved line, with its ledger transfer and its batch. From then on no refund
 * can use the money. If a line cannot be paid any more, the function drops it and returns the reason: its batch stays
 * due. It returns undefined if another run has created the payout. The function takes the lock on the reserve last, as
 * for a refund: only writes follow.
 */
export async function claimPayout(
  tx: Tx,
  key: ClientKey,
  { fileId, bank, isRecovered }: Pick<StoredPayoutFile, "fileId" | "bank" | "isRecovered">,
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
  const facts = { hold, hasBank: true, usableFrom, freeMinor, netMinor: amount.minor, now };
  // The bank already has a file that was recovered, so holds and changed accounts cannot stop its payments.
  const waitsFor = waitReasonOf(isRecovered ? { ...facts, hold: undefined, usableFrom: now } : facts);
  const isOtherAccount = !isRecovered && account?.accountId !== accountId;
  const dropReason = isDue ? (waitsFor ?? (isOtherAccount ? "account changed" : undefined)) : "not due";
  if (dropReason) {
    updateLineDropped(tx, key, { fileId, batchId }, dropReason);
    if (isDue) updateBatch(tx, key, batchId, { status: "DUE", payoutId: undefined, waitsFor: dropReason });
    return dropReason;
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
