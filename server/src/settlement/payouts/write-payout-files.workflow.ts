import { randomInt } from "node:crypto";
import { accountingDayOf } from "../../core/accounting-day.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { PayoutCrashPointHook } from "../../core/crash-point.ts";
import { sha256 } from "../../core/digest.ts";
import { newId } from "../../core/id.ts";
import { formatMoney } from "../../core/money.ts";
import { house } from "../../ledger/account.ts";
import { processInChunks } from "../../postgres/chunks.ts";
import type { Tx } from "../../postgres/sql.ts";
import { findPayoutAccounts } from "./bank-account.sql.ts";
import { businessDayAfter } from "../batch.ts";
import { updateWaitReasons } from "../batch.sql.ts";
import { findHolidays } from "../holiday.sql.ts";
import { writePayoutFile, type PayoutFormat } from "./payout-file.ts";
import {
  findFile,
  insertFileLines,
  insertPlannedFile,
  listOpenFiles,
  listFileLines,
  lockPayoutFiles,
  updateFileStatus,
  type FileLine,
  type StoredPayoutFile,
  type PlannedFile,
} from "./payout-file.sql.ts";
import { actAsOwner, operatorName, type Operator } from "../../operator-session/owner-session.ts";
import { payablePayouts, type PayoutPlan, type PlannedPayout } from "./plan-payouts.workflow.ts";

/** The header of a payout file, without the fields that are derived from its lines. */
export type PayoutFileHeader = Omit<
  PlannedFile,
  "sha256" | "payoutCount" | "sumMinor" | "plannedBy" | "isRecovered"
>;

/**
 * Whether the bank may have a file, because it was recovered, or the bank folder has its copy. Such a file is never
 * replaced.
 */
export type IsWithBank = (file: StoredPayoutFile) => boolean;

/**
 * `planFiles` plans one payout file for each currency of a plan, and returns the open files. A planned file that still
 * has the same payments is kept; a file whose payments changed is dropped, together with its approval request. An
 * approved file is never replaced.
 */
export async function planFiles(
  operator: Operator,
  {
    plan,
    format,
    isWithBank,
  }: { readonly plan: PayoutPlan; readonly format: PayoutFormat; readonly isWithBank: IsWithBank },
  atCrashPoint: PayoutCrashPointHook,
): Promise<readonly StoredPayoutFile[]> {
  await storeWaitReasons(operator, plan);
  const files: StoredPayoutFile[] = [];
  for (const from of plan.own) {
    const payouts = payablePayouts(plan).filter(({ amount }) => amount.currency === from.currency);
    const file = await planFile(operator, { plan, from, payouts, format, isWithBank }, atCrashPoint);
    if (file) files.push(file);
  }
  return files;
}

async function storeWaitReasons(operator: Operator, { bank, payouts }: PayoutPlan): Promise<void> {
  if (payouts.length === 0) return;
  const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
  await actAsOwner(operator, clientIds, async (tx) => {
    let changed = 0;
    await processInChunks(tx, payouts, async (chunk) => {
      changed += await updateWaitReasons(tx, chunk);
    });
    const after = { waitingCount: payouts.filter(({ waitsFor }) => waitsFor !== undefined).length };
    return {
      value: undefined,
      audit: changed > 0 ? { act: "payout wait", subject: bank, after } : undefined,
    };
  });
}

interface FilePlan {
  readonly plan: PayoutPlan;
  readonly from: PayoutPlan["own"][number];
  readonly payouts: readonly PlannedPayout[];
  readonly format: PayoutFormat;
  readonly isWithBank: IsWithBank;
}

async function planFile(
  operator: Operator,
  { plan, from, payouts, format, isWithBank }: FilePlan,
  atCrashPoint: PayoutCrashPointHook,
): Promise<StoredPayoutFile | undefined> {
  const now = new Date();
  const lines = payouts.flatMap(({ account, ...payout }): FileLine[] =>
    account ? [{ ...payout, accountId: account.accountId }] : [],
  );
  const clientIds = [...new Set(lines.map(({ clientId }) => clientId)), house];
  const planned = await actAsOwner(operator, clientIds, async (tx) => {
    await lockPayoutFiles(tx);
    const open = (await listOpenFiles(tx, plan.bank)).find(({ currency }) => currency === from.currency);
    if (open && (open.status !== "PLANNED" || isWithBank(open) || (await isSamePlan(tx, open, lines))))
      return { value: open, audit: undefined };
    if (open) await updateFileStatus(tx, open.fileId, "DROPPED");
    const audit = open && { act: "payout drop", subject: open.fileId };
    if (lines.length === 0) return { value: undefined, audit };
    const today = accountingDayOf(now);
    const head: PayoutFileHeader = {
      fileId: newId("payoutFile", bucketOf(house), now, (below) => randomInt(below)),
      bank: plan.bank,
      currency: from.currency,
      format,
      // The creation time is rounded to seconds, because the message has it in seconds.
      createdAt: new Date(Math.floor(now.getTime() / 1000) * 1000),
      executionDay: businessDayAfter(today, 0, await findHolidays(tx, from.currency, today)),
      from: { holder: from.holder, iban: from.iban, bic: from.bic },
    };
    const value = await insertPlan(tx, {
      head,
      lines,
      plannedBy: operatorName(operator),
      isRecovered: false,
    });
    atCrashPoint("before-file-commit");
    const replaces = open && { replaces: open.fileId };
    return {
      value,
      audit: { act: "payout plan", subject: value.fileId, after: { ...auditFieldsOf(value), ...replaces } },
    };
  });
  if (planned) atCrashPoint("after-file-commit");
  return planned;
}

/** Stores a planned file with its lines and the SHA-256 of its bytes. */
export async function insertPlan(
  tx: Tx,
  {
    head,
    lines,
    plannedBy,
    isRecovered,
  }: {
    readonly head: PayoutFileHeader;
    readonly lines: readonly FileLine[];
    readonly plannedBy: string;
    readonly isRecovered: boolean;
  },
): Promise<StoredPayoutFile> {
  const text = await renderFile(tx, head, lines);
  await insertPlannedFile(tx, {
    ...head,
    sha256: sha256(text),
    payoutCount: lines.length,
    sumMinor: lines.reduce((sum, { amount }) => sum + amount.minor, 0n),
    plannedBy,
    isRecovered,
  });
  await processInChunks(tx, lines, (chunk) => insertFileLines(tx, head.fileId, chunk));
  const file = await findFile(tx, head.fileId);
  if (!file) throw new Error(`Payout file ${head.fileId} was not stored.`);
  return file;
}

/** The audited fields of a planned file. */
export function auditFieldsOf({
  bank,
  currency,
  payoutCount,
  sumMinor,
  sha256: hash,
}: StoredPayoutFile): object {
  const total = formatMoney({ currency, minor: sumMinor });
  return { bank, payoutCount, total, sha256: hash.toString("hex") };
}

async function isSamePlan(tx: Tx, file: StoredPayoutFile, lines: readonly FileLine[]): Promise<boolean> {
  const textOf = (fileLines: readonly FileLine[]): string =>
    fileLines
      .map(
        ({ payoutId, batchId, amount, accountId }) =>
          `${payoutId} ${batchId} ${formatMoney(amount)} ${accountId}`,
      )
      .sort()
      .join("\n");
  return textOf(await listFileLines(tx, file.fileId)) === textOf(lines);
}

/** Renders the bytes of a file (pain.001). The same header and lines always result in the same bytes. */
export async function renderFile(
  tx: Tx,
  { fileId, format, createdAt, executionDay, from }: PayoutFileHeader,
  lines: readonly Pick<FileLine, "clientId" | "payoutId" | "amount" | "accountId">[],
): Promise<string> {
  const accountOf = await findPayoutAccounts(tx, lines);
  const payouts = lines.map((line) => {
    const { payoutId, amount } = line;
    const to = accountOf(line);
    if (!to) throw new Error(`Payout ${payoutId} has no bank account.`);
    return { endToEndId: payoutId, amount, to, reference: `Settlement ${payoutId}` };
  });
  const sorted = payouts.toSorted((one, other) => (one.endToEndId < other.endToEndId ? -1 : 1));
  return writePayoutFile({ messageId: fileId, format, createdAt, executionDay, from, payouts: sorted });
}
