import { findCell } from "../../cells/home.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { PayoutCrashPointHook } from "../../core/crash-point.ts";
import { sha256 } from "../../core/digest.ts";
import { formatMoney } from "../../core/money.ts";
import { systemScope } from "../../postgres/database.ts";
import { processInChunks } from "../../postgres/chunks.ts";
import type { Tx } from "../../postgres/sql.ts";
import { claimPayout } from "./claim-payout.tx.ts";
import type { Payout, WaitReason } from "./payout.ts";
import {
  listOpenLines,
  lockFile,
  lockPayoutFiles,
  updateFileStatus,
  updateHandedOver,
  type StoredPayoutFile,
} from "./payout-file.sql.ts";
import { listPayoutsInFile, listPayoutsOfFile, listUnpayable, updatePayoutsSent } from "./payout.sql.ts";
import { notifyOfPayout } from "./notify-payout.tx.ts";
import {
  actAsOwner,
  readAsOwner,
  withOneConnection,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { failPayouts } from "./fail-payout.workflow.ts";
import { openNotifiers } from "../../notifications/open-notifiers.workflow.ts";
import { renderFile } from "./write-payout-files.workflow.ts";
import { listSentFileIds, deleteUnsentFile, writeBankFile } from "./bank-folder.workflow.ts";

export interface HandedOverFile {
  readonly fileId: string;
  readonly path: string;
  readonly payoutCount: number;
  readonly sum: string;
  readonly sha256: string;
}

export interface ReleaseResult {
  readonly claimed: readonly Payout[];
  readonly waiting: readonly {
    readonly clientId: string;
    readonly batchId: string;
    readonly waitsFor: WaitReason;
  }[];
  /** The file that was handed over; absent if no line of it could be paid any more. */
  readonly file: HandedOverFile | undefined;
}

interface ReleaseRequest {
  readonly file: StoredPayoutFile;
  readonly folder: string;
  /**
   * Whether the bank may have the file. If it may, no line is dropped, because the bank pays the line and its batch
   * must not be due again.
   */
  readonly isWithBank: boolean;
}

/**
 * `releaseFile` creates the payouts of an approved file and hands it over. After a crash, running it again continues
 * the work: a line has at most one payout, and a file is handed over once.
 */
export async function releaseFile(
  operator: Operator,
  { file, folder, isWithBank }: ReleaseRequest,
  atCrashPoint: PayoutCrashPointHook,
): Promise<ReleaseResult> {
  if (file.status === "APPROVED") await markReleased(operator, file);
  atCrashPoint("after-release-commit");
  const { claimed, waiting } = await claimLines(operator, { file, isWithBank }, atCrashPoint);
  // No payment is stopped in a file that the bank may have, because the bank pays it.
  const failed = isWithBank ? [] : await failUnpayable(operator, file, folder);
  const failedIds = new Set(failed.map(({ payoutId }) => payoutId));
  return {
    claimed: claimed.filter(({ payoutId }) => !failedIds.has(payoutId)),
    waiting: [
      ...waiting,
      ...failed.map(({ clientId, batchId }) => ({ clientId, batchId, waitsFor: "account changed" }) as const),
    ],
    file: await handOver(operator, file, folder, atCrashPoint),
  };
}

/**
 * Fails payouts that must not be paid any more. An interrupted run may have created payouts to accounts that have ended
 * since, or of merchants whose payouts are held since. They fail before the bank has them, and their batches are due
 * again.
 */
async function failUnpayable(
  operator: Operator,
  { fileId }: StoredPayoutFile,
  folder: string,
): Promise<readonly Payout[]> {
  const unpayable = await readAsOwner(operator, systemScope, async (tx) => {
    const payoutIds = await listUnpayable(tx, fileId);
    return (await listPayoutsOfFile(tx, fileId)).filter(({ payoutId }) => payoutIds.has(payoutId));
  });
  if (unpayable.length === 0) return [];
  const clientIds = [...new Set(unpayable.map(({ clientId }) => clientId))];
  return actAsOwner(operator, clientIds, async (tx) => {
    await lockPayoutFiles(tx);
    const file = await lockFile(tx, fileId);
    // A concurrent run may have handed the file over, and may have been killed before it stored the handover.
    if (file?.status !== "RELEASED" || (await isSent(tx, file, folder)))
      return { value: [], audit: undefined };
    const now = new Date();
    await processInChunks(tx, unpayable, (chunk, chunkClientIds) =>
      failPayouts(tx, chunk, chunkClientIds, now),
    );
    const after = { payoutIds: unpayable.map(({ payoutId }) => payoutId).slice(0, 100) };
    return { value: unpayable, audit: { act: "payout give up", subject: fileId, after } };
  });
}

async function isSent(tx: Tx, { fileId, bank }: StoredPayoutFile, folder: string): Promise<boolean> {
  return (await listSentFileIds(folder, bank, await findCell(tx))).includes(fileId);
}

async function markReleased(operator: Operator, { fileId }: StoredPayoutFile): Promise<void> {
  await actAsOwner(operator, systemScope, async (tx) => {
    await lockPayoutFiles(tx);
    const file = await lockFile(tx, fileId);
    if (file?.status !== "APPROVED") return { value: undefined, audit: undefined };
    await updateFileStatus(tx, fileId, "RELEASED");
    return {
      value: undefined,
      audit: { act: "payout file release", subject: fileId, after: { approvedBy: file.approvedBy } },
    };
  });
}

/**
 * Creates the payouts of a file's lines. Each merchant has its own transaction, so that refunds wait only briefly for
 * the lock.
 */
async function claimLines(
  operator: Operator,
  { file, isWithBank }: Pick<ReleaseRequest, "file" | "isWithBank">,
  atCrashPoint: PayoutCrashPointHook,
): Promise<Pick<ReleaseResult, "claimed" | "waiting">> {
  const lines = await readAsOwner(operator, systemScope, (tx) => listOpenLines(tx, file.fileId));
  const claimed: Payout[] = [];
  const waiting: ReleaseResult["waiting"][number][] = [];
  await withOneConnection(operator, async (connected) => {
    for (const line of lines) {
      const { clientId, batchId } = line;
      const key = { bucket: bucketOf(clientId), clientId };
      const outcome = await actAsOwner(connected, [clientId], async (tx) => {
        const value = await claimPayout(tx, key, file, line, new Date());
        if (isWithBank && typeof value === "string")
          throw new CommandFailed(
            `The bank already has payout file ${file.fileId}, and ${clientId} cannot be paid now: ${value}. Remove ` +
              "the reason, then run the same command again.",
          );
        atCrashPoint("before-payout-commit");
        if (!value) return { value, audit: undefined };
        const after =
          typeof value === "string" ? { droppedFor: value } : { amount: formatMoney(value.amount) };
        return { value, audit: { act: "payout create", subject: line.payoutId, clientId, after } };
      });
      atCrashPoint("after-payout-commit");
      if (typeof outcome === "string") waiting.push({ clientId, batchId, waitsFor: outcome });
      else if (outcome) claimed.push(outcome);
    }
  });
  return { claimed, waiting };
}

/**
 * Writes the file to the bank folder and stores the handover. The transaction holds the lock until the commit, so that
 * concurrent runs hand the file over only once.
 */
async function handOver(
  operator: Operator,
  { fileId }: StoredPayoutFile,
  folder: string,
  atCrashPoint: PayoutCrashPointHook,
): Promise<HandedOverFile | undefined> {
  const payouts = await readAsOwner(operator, systemScope, (tx) => listPayoutsInFile(tx, fileId));
  const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
  const handedOver = await actAsOwner(
    operator,
    clientIds.length > 0 ? clientIds : systemScope,
    async (tx) => {
      await lockPayoutFiles(tx);
      const file = await lockFile(tx, fileId);
      if (file?.status !== "RELEASED") return { value: undefined, audit: undefined };
      const cell = await findCell(tx);
      if (payouts.length === 0) {
        if (await isSent(tx, file, folder))
          throw new Error(`Payout file ${fileId} was handed over and has no payouts, so it is not dropped.`);
        await deleteUnsentFile({ folder, cell, file });
        await updateFileStatus(tx, fileId, "DROPPED");
        return { value: undefined, audit: { act: "payout drop", subject: fileId } };
      }
      const text = await renderFile(tx, file, payouts);
      const hash = sha256(text);
      const sumMinor = payouts.reduce((sum, { amount }) => sum + amount.minor, 0n);
      if (payouts.length === file.payoutCount && !hash.equals(file.sha256))
        throw new Error(`Payout file ${fileId} differs from the approved one. Nothing was handed over.`);
      const path = await writeBankFile({ folder, cell, file }, text, atCrashPoint);
      atCrashPoint("after-file-renamed");
      const now = new Date();
      const handover = { sha256: hash, payoutCount: payouts.length, sumMinor, at: now };
      await updateHandedOver(tx, fileId, handover);
      await processInChunks(tx, payouts, async (chunk, chunkClientIds) => {
        const notifierOf = await openNotifiers(tx, chunkClientIds, now);
        const payoutIds = chunk.map(({ payoutId }) => payoutId);
        for (const payout of await updatePayoutsSent(tx, payoutIds, now)) {
          const { clientId, status } = payout;
          const key = { bucket: bucketOf(clientId), clientId };
          notifyOfPayout(tx, key, payout, { status, reasonCode: undefined, at: now }, notifierOf(clientId));
        }
      });
      const sum = formatMoney({ currency: file.currency, minor: sumMinor });
      const countAndHash = { payoutCount: payouts.length, sha256: hash.toString("hex") };
      atCrashPoint("before-sent-commit");
      return {
        value: { fileId, path, sum, ...countAndHash },
        audit: {
          act: "payout hand-over",
          subject: fileId,
          after: { ...countAndHash, total: sum, totalMinor: sumMinor, approvedBy: file.approvedBy, path },
        },
      };
    },
  );
  atCrashPoint("after-handed-over-commit");
  return handedOver;
}
