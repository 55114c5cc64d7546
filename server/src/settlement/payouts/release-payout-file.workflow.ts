import { findCell } from "../../cells/home.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { AtPayout } from "../../core/crash-point.ts";
import { sha256 } from "../../core/digest.ts";
import { formatMoney } from "../../core/money.ts";
import { systemScope } from "../../postgres/database.ts";
import { splitIntoChunks } from "../../postgres/chunks.ts";
import type { Tx } from "../../postgres/sql.ts";
import { claimPayout } from "./claim-payout.tx.ts";
import type { Payout, WaitReason } from "./payout.ts";
import {
  listOpenLines,
  lockFile,
  lockPayoutFiles,
  updateFileStatus,
  updateHandedOver,
  type KeptFile,
} from "./payout-file.sql.ts";
import { listPayoutsOfFile, listUnpayable, updatePayoutsSent } from "./payout.sql.ts";
import { notifyOfPayout } from "./notify-payout.tx.ts";
import { actAsOwner, readAsOwner, onOneConnection, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { failPayouts } from "./fail-payout.workflow.ts";
import { openNotifiers } from "../../notifications/open-notifiers.workflow.ts";
import { renderFile } from "./write-payout-files.workflow.ts";
import { listSent, removeUnsent, writeToBank } from "./bank-folder.workflow.ts";

export interface HandedOver {
  readonly fileId: string;
  readonly path: string;
  readonly payoutCount: number;
  readonly sum: string;
  readonly sha256: string;
}

export interface Released {
  readonly claimed: readonly Payout[];
  readonly waiting: readonly {
    readonly clientId: string;
    readonly batchId: string;
    readonly waitsFor: WaitReason;
  }[];
  /** The file that was handed over; absent if no line of it could be paid any more. */
  readonly file: HandedOver | undefined;
}

interface Release {
  readonly file: KeptFile;
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
  { file, folder, isWithBank }: Release,
  at: AtPayout,
): Promise<Released> {
  if (file.status === "APPROVED") await markReleased(operator, file);
  at("after-release-commit");
  const { claimed, waiting } = await claimLines(operator, { file, isWithBank }, at);
  // No payment is stopped in a file that the bank may have, because the bank pays it.
  const givenUp = isWithBank ? [] : await failUnpayable(operator, file, folder);
  const isGivenUp = new Set(givenUp.map(({ payoutId }) => payoutId));
  return {
    claimed: claimed.filter(({ payoutId }) => !isGivenUp.has(payoutId)),
    waiting: [
      ...waiting,
      ...givenUp.map(
        ({ clientId, batchId }) => ({ clientId, batchId, waitsFor: "account changed" }) as const,
      ),
    ],
    file: await handOver(operator, file, folder, at),
  };
}

/**
 * Fails payouts that must not be paid any more. An interrupted run may have created payouts to accounts that have ended
 * since, or of merchants whose payouts are held since. They fail before the bank has them, and their batches are due
 * again.
 */
async function failUnpayable(
  operator: Operator,
  { fileId }: KeptFile,
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
    await splitIntoChunks(tx, unpayable, (some, whose) => failPayouts(tx, some, whose, now));
    const after = { payoutIds: unpayable.map(({ payoutId }) => payoutId).slice(0, 100) };
    return { value: unpayable, audit: { act: "payout give up", subject: fileId, after } };
  });
}

async function isSent(tx: Tx, { fileId, bank }: KeptFile, folder: string): Promise<boolean> {
  return (await listSent(folder, bank, await findCell(tx))).includes(fileId);
}

async function markReleased(operator: Operator, { fileId }: KeptFile): Promise<void> {
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
  { file, isWithBank }: Pick<Release, "file" | "isWithBank">,
  at: AtPayout,
): Promise<Pick<Released, "claimed" | "waiting">> {
  const lines = await readAsOwner(operator, systemScope, (tx) => listOpenLines(tx, file.fileId));
  const claimed: Payout[] = [];
  const waiting: Released["waiting"][number][] = [];
  await onOneConnection(operator, async (connected) => {
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
        at("before-payout-commit");
        if (!value) return { value, audit: undefined };
        const after =
          typeof value === "string" ? { droppedFor: value } : { amount: formatMoney(value.amount) };
        return { value, audit: { act: "payout create", subject: line.payoutId, clientId, after } };
      });
      at("after-payout-commit");
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
  { fileId }: KeptFile,
  folder: string,
  at: AtPayout,
): Promise<HandedOver | undefined> {
  const payouts = (await readAsOwner(operator, systemScope, (tx) => listPayoutsOfFile(tx, fileId))).filter(
    ({ status }) => status !== "FAILED",
  );
  const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
  const handed = await actAsOwner(operator, clientIds.length > 0 ? clientIds : systemScope, async (tx) => {
    await lockPayoutFiles(tx);
    const file = await lockFile(tx, fileId);
    if (file?.status !== "RELEASED") return { value: undefined, audit: undefined };
    const cell = await findCell(tx);
    if (payouts.length === 0) {
      if (await isSent(tx, file, folder))
        throw new Error(`Payout file ${fileId} was handed over and has no payouts, so it is not dropped.`);
      await removeUnsent({ folder, cell, file });
      await updateFileStatus(tx, fileId, "DROPPED");
      return { value: undefined, audit: { act: "payout drop", subject: fileId } };
    }
    const text = await renderFile(tx, file, payouts);
    const hash = sha256(text);
    const sumMinor = payouts.reduce((sum, { amount }) => sum + amount.minor, 0n);
    if (payouts.length === file.payoutCount && !hash.equals(file.sha256))
      throw new Error(`Payout file ${fileId} differs from the approved one. Nothing was handed over.`);
    const path = await writeToBank({ folder, cell, file }, text, at);
    at("after-file-renamed");
    const now = new Date();
    const sent = { sha256: hash, payoutCount: payouts.length, sumMinor, at: now };
    await updateHandedOver(tx, fileId, sent);
    await splitIntoChunks(tx, payouts, async (some, whose) => {
      const tellerOf = await openNotifiers(tx, whose, now);
      const payoutIds = some.map(({ payoutId }) => payoutId);
      for (const payout of await updatePayoutsSent(tx, payoutIds, now)) {
        const { clientId, status } = payout;
        const key = { bucket: bucketOf(clientId), clientId };
        notifyOfPayout(tx, key, payout, { status, reasonCode: undefined, at: now }, tellerOf(clientId));
      }
    });
    const sum = formatMoney({ currency: file.currency, minor: sumMinor });
    const shown = { payoutCount: payouts.length, sha256: hash.toString("hex") };
    at("before-sent-commit");
    return {
      value: { fileId, path, sum, ...shown },
      audit: {
        act: "payout hand-over",
        subject: fileId,
        after: { ...shown, total: sum, totalMinor: sumMinor, approvedBy: file.approvedBy, path },
      },
    };
  });
  at("after-handed-over-commit");
  return handed;
}
