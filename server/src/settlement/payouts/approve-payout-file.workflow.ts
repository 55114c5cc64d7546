import { DatabaseError } from "pg";
import { sha256 } from "../../core/digest.ts";
import { formatMoney } from "../../core/money.ts";
import { systemScope } from "../../postgres/database.ts";
import { processInChunks } from "../../postgres/chunks.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  findFile,
  findFileDigest,
  listFiles,
  listFileLines,
  listReviewLines,
  lockFile,
  lockPayoutFiles,
  updateFileApproved,
  updateFileStatus,
  updateVoidRequested,
  updateVoided,
  type StoredPayoutFile,
  type ReviewLine,
} from "./payout-file.sql.ts";
import { listPayoutsOfFile } from "./payout.sql.ts";
import {
  actAsOwner,
  queryAsOwner,
  operatorName,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { failPayouts } from "./fail-payout.workflow.ts";
import { renderFile } from "./write-payout-files.workflow.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/** A payout file with all data that its approval covers. */
export interface PayoutFileReview {
  readonly file: StoredPayoutFile;
  readonly lines: readonly ReviewLine[];
  /** The digest of the file, which the database computes from the file and its lines. */
  readonly digest: string;
}

export async function reviewFile({ url, environment }: Operator, fileId: string): Promise<PayoutFileReview> {
  return queryAsOwner(url, environment, systemScope, async (tx) => {
    const digest = (await findFileDigest(tx, fileId)).toString("hex");
    return {
      file: await requireFile(tx, findFile, fileId),
      lines: await listReviewLines(tx, fileId),
      digest,
    };
  });
}

export async function findFiles(
  { url, environment }: Operator,
  limit: number,
): Promise<readonly StoredPayoutFile[]> {
  return queryAsOwner(url, environment, systemScope, (tx) => listFiles(tx, limit));
}

/**
 * `approveFile` approves a payout file that another person planned. The digest is the one printed by `payout show`. The
 * database rejects any other digest, and in live the login that planned the file. The command renders the file again
 * and compares the bytes, so that the file has exactly its lines.
 */
export async function approveFile(
  operator: Operator,
  fileId: string,
  digest: string,
): Promise<StoredPayoutFile> {
  const by = operatorName(operator);
  try {
    return await actAsOwner(operator, systemScope, async (tx) => {
      const file = await requireFile(tx, lockFile, fileId);
      if (file.status !== "PLANNED")
        throw new CommandFailed(
          `Payout file ${fileId} is ${file.status}. Only a PLANNED file can be approved.`,
        );
      const text = await renderFile(tx, file, await listFileLines(tx, fileId));
      if (!sha256(text).equals(file.sha256))
        throw new CommandFailed(
          `Payout file ${fileId} differs from its lines (SHA-256 mismatch). Do not pay it.`,
        );
      await updateFileApproved(tx, fileId, { by, digest: Buffer.from(digest, "hex") });
      const { payoutCount, currency, sumMinor } = file;
      const total = formatMoney({ currency, minor: sumMinor });
      const after = { payoutCount, total, sha256: file.sha256.toString("hex"), digest };
      const value = { ...file, status: "APPROVED", approvedBy: by } as const;
      return { value, audit: { act: "payout approve", subject: fileId, after } };
    });
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

const refusals: Readonly<Record<string, string>> = {
  payout_files_approved_as_shown:
    "This is not the digest of the payout file. Read the file again with `tollgate payout show FILE`.",
  payout_files_approved_by_another_login:
    "You planned this payout file with this login, so another person must approve it.",
  payout_files_voided_by_another_login:
    "You requested this with this login, so another person must confirm it.",
};

function refusalOf(error: unknown): CommandFailed | undefined {
  const text = error instanceof DatabaseError ? refusals[error.constraint ?? ""] : undefined;
  return text === undefined ? undefined : new CommandFailed(text);
}

/**
 * `voidFile` drops or voids a payout file that the bank never received. Before the file's release, one person drops it.
 * After the release, two people void it: the first requests it, the second confirms it with the same command. Then its
 * payouts fail, and their batches are due again.
 */
export async function voidFile(
  operator: Operator,
  fileId: string,
): Promise<"dropped" | "requested" | "voided"> {
  const { url, environment } = operator;
  const payouts = await queryAsOwner(url, environment, systemScope, (tx) => listPayoutsOfFile(tx, fileId));
  const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
  const by = operatorName(operator);
  try {
    return await actAsOwner(operator, clientIds.length > 0 ? clientIds : systemScope, async (tx) => {
      await lockPayoutFiles(tx);
      const file = await requireFile(tx, lockFile, fileId);
      if (file.status === "PLANNED" || file.status === "APPROVED") {
        if (file.isRecovered)
          throw new CommandFailed(
            `Payout file ${fileId} was recovered, so the bank has it. Hand it over with \`payout run\`; afterwards two ` +
              "people can void it.",
          );
        await updateFileStatus(tx, fileId, "DROPPED");
        return {
          value: "dropped",
          audit: { act: "payout void", subject: fileId, after: { isDropped: true } },
        };
      }
      if (file.status !== "RELEASED" && file.status !== "HANDED_OVER")
        throw new CommandFailed(`Payout file ${fileId} is ${file.status} and cannot be voided.`);
      const settledPayouts = payouts.filter(({ status }) => status !== "CREATED" && status !== "SENT");
      if (settledPayouts.length > 0)
        throw new CommandFailed(
          `The bank has reported on ${settledPayouts.length} payouts of this file, so it received the file.`,
        );
      const after = { payoutCount: payouts.length };
      if (file.voidRequestedBy === undefined) {
        await updateVoidRequested(tx, fileId, by);
        return {
          value: "requested",
          audit: { act: "payout void", subject: fileId, after: { ...after, isRequest: true } },
        };
      }
      const at = new Date();
      await updateVoided(tx, fileId, by);
      await processInChunks(tx, payouts, (chunk, chunkClientIds) =>
        failPayouts(tx, chunk, chunkClientIds, at),
      );
      return { value: "voided", audit: { act: "payout void", subject: fileId, after } };
    });
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

async function requireFile(
  tx: Tx,
  find: (tx: Tx, fileId: string) => Promise<StoredPayoutFile | undefined>,
  fileId: string,
): Promise<StoredPayoutFile> {
  const file = await find(tx, fileId);
  if (file) return file;
  throw new CommandFailed(`There is no payout file ${fileId}. List them with \`tollgate payout files\`.`);
}

export function fileTable({ file, lines, digest }: PayoutFileReview): string {
  const { fileId, bank, status, currency, format, executionDay, plannedBy, approvedBy, from } = file;
  const total = formatMoney({ currency, minor: file.sumMinor });
  const head = [
    "merchant",
    "payee",
    "account",
    "amount",
    "batch",
    "changed since the last payout",
    "dropped",
  ];
  const rows = lines.map((line) => [
    line.clientId,
    line.holder,
    line.ibanShown,
    formatMoney(line.amount),
    line.batchId,
    changesOf(line),
    line.droppedFor ?? "",
  ]);
  return [
    formatTextTable([head, ...rows]),
    "",
    `payout file ${fileId}, ${status}, ${format}, execution day ${executionDay}`,
    `${file.payoutCount} payouts, ${total}, by ${bank} from ${from.holder} (${from.iban.slice(0, 4)} … ${from.iban.slice(-4)})`,
    `planned by ${plannedBy}${approvedBy === undefined ? ", not approved" : `, approved by ${approvedBy}`}`,
    `SHA-256 ${file.sha256.toString("hex")}`,
    `digest ${digest}`,
  ].join("\n");
}

/** Returns the differences from the merchant's last payout, for the approver. */
function changesOf({ attempt, lastAttempt, lastIbanShown, isSameAccount }: ReviewLine): string {
  return [
    ...(lastIbanShown === undefined ? ["first payout"] : []),
    ...(lastIbanShown !== undefined && !isSameAccount ? [`account was ${lastIbanShown}`] : []),
    ...(attempt > 1 ? [`attempt ${attempt}, previous one: ${lastAttempt ?? "unknown"}`] : []),
  ].join("; ");
}

export function filesTable(files: readonly StoredPayoutFile[]): string {
  if (files.length === 0) return "There are no payout files.";
  const head = ["file", "bank", "status", "payouts", "total", "planned by", "approved by", "handed over"];
  const rows = files.map((file) => [
    file.fileId,
    file.bank,
    file.status,
    String(file.payoutCount),
    formatMoney({ currency: file.currency, minor: file.sumMinor }),
    file.plannedBy,
    file.approvedBy ?? "",
    file.handedOverAt ? formatUtcTime(file.handedOverAt) : "",
  ]);
  return formatTextTable([head, ...rows]);
}
