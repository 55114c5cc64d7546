import type { ClientKey } from "../core/client-key.ts";
import { payoutEffect } from "../ledger/payout-effects.ts";
import { lockFreeBalance } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { findApprovedAccount } from "./bank-account.sql.ts";
import { lockBatch, updateBatch } from "./batch.sql.ts";
import { findPayoutHold } from "./payout-hold.sql.ts";
import { waitReasonOf, type Payout, type WaitReason } from "./payout.ts";
import { insertPayout } from "./payout.sql.ts";

export interface Claim {
  readonly batchId: string;
  readonly payoutId: string;
  readonly bank: string;
  /** The currencies in which the bank has an account of ours. */
  readonly currencies: readonly string[];
  readonly now: Date;
}

/**
 * Takes a batch that may be paid, and its money: from here on no refund is paid of it. Where it cannot be paid after all, it is due as
 * before, and says why. Undefined when somebody else has it. The reserve's lock is taken last, as for a refund: after it there are only writes.
 */
export async function claimPayout(
  tx: Tx,
  key: ClientKey,
  { batchId, payoutId, bank, currencies, now }: Claim,
): Promise<Payout | WaitReason | undefined> {
  const batch = await lockBatch(tx, key, batchId);
  if (!batch || batch.status !== "PAYING" || batch.payoutId !== undefined) return undefined;
  const { currency, netMinor } = batch;
  const account = await findApprovedAccount(tx, key, currency);
  const hold = await findPayoutHold(tx, key);
  const freeMinor = await lockFreeBalance(tx, { ...key, currency });
  const usableFrom = account?.usableFrom;
  const hasBank = currencies.includes(currency);
  const waitsFor = waitReasonOf({ hold, hasBank, usableFrom, freeMinor, netMinor, now });
  if (waitsFor || !account) {
    updateBatch(tx, key, batchId, { status: "DUE", payoutId: undefined, waitsFor });
    return waitsFor ?? "no bank account";
  }
  const payout: Payout = {
    clientId: key.clientId,
    payoutId,
    batchId,
    amount: { currency, minor: netMinor },
    accountId: account.accountId,
    bank,
    status: "CREATED",
    fileId: undefined,
    createdAt: now,
  };
  insertPayout(tx, key, payout);
  insertEffect(tx, { ...key, subjectId: payoutId }, payoutEffect(key.clientId, payout.amount), now);
  updateBatch(tx, key, batchId, { status: "PAYING", payoutId, waitsFor: undefined });
  return payout;
}
