import { findCell } from "../../cells/home.sql.ts";
import { accountingDayOf } from "../../core/accounting-day.ts";
import type { PayoutCrashPointHook } from "../../core/crash-point.ts";
import { systemScope } from "../../postgres/database.ts";
import { waitReasons, type Payout } from "./payout.ts";
import { listOpenFiles, type StoredPayoutFile } from "./payout-file.sql.ts";
import { listPayouts } from "./payout.sql.ts";
import type { PayoutFormat } from "./payout-file.ts";
import { readAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { approveFile, reviewFile } from "./approve-payout-file.workflow.ts";
import { planFiles, type IsWithBank } from "./write-payout-files.workflow.ts";
import { checkBankFolder, listSentFileIds } from "./bank-folder.workflow.ts";
import { findPayoutPlan, type PayoutPlan } from "./plan-payouts.workflow.ts";
import { releaseFile, type HandedOverFile, type ReleaseResult } from "./release-payout-file.workflow.ts";

export interface PayoutRun {
  readonly bank: string;
  /** The accounting day by which batches are due (default today). */
  readonly day?: string | undefined;
  readonly folder: string;
  readonly format: PayoutFormat;
}

export interface PayoutRunResult {
  readonly claimed: readonly Payout[];
  readonly waiting: ReleaseResult["waiting"];
  readonly files: readonly HandedOverFile[];
  /** Planned files without approval. */
  readonly toApprove: readonly StoredPayoutFile[];
}

export async function planPayouts(
  operator: Operator,
  { bank, day }: { readonly bank: string; readonly day?: string | undefined },
): Promise<PayoutPlan> {
  const now = new Date();
  return readAsOwner(operator, systemScope, (tx) =>
    findPayoutPlan(tx, { bank, day: day ?? accountingDayOf(now), now }),
  );
}

/**
 * `runPayouts` hands over approved payout files, then plans files for due batches. In live another person approves a
 * planned file (`payout approve`), and the next run hands it over; in the sandbox one run plans, approves and hands
 * over. Each step continues an interrupted run, so after a crash the command is run again. Files that the bank already
 * has come first, because a restored database must store these files before it plans others.
 */
export async function runPayouts(
  operator: Operator,
  { bank, day, folder, format }: PayoutRun,
  atCrashPoint: PayoutCrashPointHook = () => undefined,
): Promise<PayoutRunResult> {
  const needsApproval = operator.environment === "live" && operator.by?.alone !== true;
  const approve = async (files: readonly StoredPayoutFile[]): Promise<void> => {
    if (!needsApproval) for (const { fileId } of files) await approveAlone(operator, fileId);
  };
  const sentFileIds = await listSentFileIds(folder, bank, await readAsOwner(operator, systemScope, findCell));
  const isWithBank: IsWithBank = ({ fileId, isRecovered }) => isRecovered || sentFileIds.includes(fileId);
  const filesWithBank = (await findOpenFiles(operator, bank)).filter(isWithBank);
  await approve(filesWithBank.filter(isPlanned));
  const continued = await releaseApproved(
    operator,
    { bank, folder, isWithBank, only: isWithBank },
    atCrashPoint,
  );
  await checkBankFolder(operator, { bank, folder });
  const before = await releaseApproved(operator, { bank, folder, isWithBank }, atCrashPoint);
  const plan = await planPayouts(operator, { bank, day });
  const toApprove = (await planFiles(operator, { plan, format, isWithBank }, atCrashPoint)).filter(isPlanned);
  await approve(toApprove);
  const after = needsApproval
    ? []
    : await releaseApproved(operator, { bank, folder, isWithBank }, atCrashPoint);
  const released = [...continued, ...before, ...after];
  const files = released.flatMap(({ file }) => file ?? []);
  if (needsApproval && toApprove.length > 0 && files.length === 0) throw approvalNeeded(toApprove);
  const waiting = plan.payouts.flatMap(({ clientId, batchId, waitsFor }) =>
    waitsFor ? [{ clientId, batchId, waitsFor }] : [],
  );
  return {
    claimed: released.flatMap(({ claimed }) => claimed),
    waiting: [...waiting, ...released.flatMap((each) => each.waiting)],
    files,
    toApprove: needsApproval ? toApprove : [],
  };
}

/**
 * Approves a file without another person: in the sandbox, and for the owner's login with --alone. If a concurrent run
 * has approved the file, nothing changes.
 */
async function approveAlone(operator: Operator, fileId: string): Promise<void> {
  const { file, digest } = await reviewFile(operator, fileId);
  if (file.status !== "PLANNED") return;
  await approveFile(operator, fileId, digest).catch(async (error: unknown) => {
    if ((await reviewFile(operator, fileId)).file.status === "PLANNED") throw error;
  });
}

const isPlanned = ({ status }: StoredPayoutFile): boolean => status === "PLANNED";

async function findOpenFiles(operator: Operator, bank: string): Promise<readonly StoredPayoutFile[]> {
  return readAsOwner(operator, systemScope, (tx) => listOpenFiles(tx, bank));
}

interface ReleaseSelection {
  readonly bank: string;
  readonly folder: string;
  readonly isWithBank: IsWithBank;
  /** Selects approved files (default all). */
  readonly only?: IsWithBank;
}

async function releaseApproved(
  operator: Operator,
  { bank, folder, isWithBank, only = () => true }: ReleaseSelection,
  atCrashPoint: PayoutCrashPointHook,
): Promise<readonly ReleaseResult[]> {
  const released: ReleaseResult[] = [];
  for (const file of (await findOpenFiles(operator, bank)).filter(only))
    if (!isPlanned(file))
      released.push(
        await releaseFile(operator, { file, folder, isWithBank: isWithBank(file) }, atCrashPoint),
      );
  return released;
}

function approvalNeeded(files: readonly StoredPayoutFile[]): CommandFailed {
  const commands = files.map(({ fileId }) => `\`tollgate payout show ${fileId}\``).join(", ");
  return new CommandFailed(
    "In live another person must approve payouts, and nothing is paid yet. With their own login, they read " +
      `${commands} and run \`tollgate payout approve FILE --digest DIGEST\`. Then run the same command again, ` +
      "within 24 hours.",
  );
}

export async function findPayouts(
  operator: Operator,
  filter: { readonly clientId: string | undefined; readonly limit: number },
): ReturnType<typeof listPayouts> {
  return readAsOwner(operator, systemScope, (tx) => listPayouts(tx, filter));
}

export function payoutRunTable({ claimed, waiting, files, toApprove }: PayoutRunResult): string {
  return [
    `${claimed.length} payouts created, ${waiting.length} batches wait`,
    ...files.map(
      ({ path, payoutCount, sum, sha256 }) => `${path}: ${payoutCount} payouts, ${sum}, SHA-256 ${sha256}`,
    ),
    ...toApprove.map(({ fileId }) => `payout file ${fileId} is planned and needs approval by another person`),
    ...waiting.map(
      ({ clientId, batchId, waitsFor }) => `${clientId} ${batchId} waits: ${waitReasons[waitsFor]}`,
    ),
  ].join("\n");
}
