import { findCell } from "../../cells/home.sql.ts";
import { accountingDayOf } from "../../core/accounting-day.ts";
import type { AtPayout } from "../../core/crash-point.ts";
import { systemScope } from "../../postgres/database.ts";
import { waitReasons, type Payout } from "./payout.ts";
import { listOpenFiles, type KeptFile } from "./payout-file.sql.ts";
import { listPayouts } from "./payout.sql.ts";
import type { PayoutFormat } from "./payout-file.ts";
import { readAsOwner, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { approveFile, showFile } from "./approve-payout-file.workflow.ts";
import { planFiles, type IsWithBank } from "./write-payout-files.workflow.ts";
import { checkFolder, listSent } from "./bank-folder.workflow.ts";
import { findPlan, type PayoutPlan } from "./plan-payouts.workflow.ts";
import { releaseFile, type HandedOver, type Released } from "./release-payout-file.workflow.ts";

export interface PayoutRun {
  readonly bank: string;
  /** The accounting day by which batches are due (default today). */
  readonly day?: string | undefined;
  readonly folder: string;
  readonly format: PayoutFormat;
}

export interface RanPayouts {
  readonly claimed: readonly Payout[];
  readonly waiting: Released["waiting"];
  readonly files: readonly HandedOver[];
  /** Planned files without approval. */
  readonly toApprove: readonly KeptFile[];
}

export async function planPayouts(
  operator: Operator,
  { bank, day }: { readonly bank: string; readonly day?: string | undefined },
): Promise<PayoutPlan> {
  const now = new Date();
  return readAsOwner(operator, systemScope, (tx) =>
    findPlan(tx, { bank, day: day ?? accountingDayOf(now), now }),
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
  at: AtPayout = () => undefined,
): Promise<RanPayouts> {
  const needsApproval = operator.environment === "live" && operator.by?.alone !== true;
  const approve = async (files: readonly KeptFile[]): Promise<void> => {
    if (!needsApproval) for (const { fileId } of files) await approveAlone(operator, fileId);
  };
  const sent = await listSent(folder, bank, await readAsOwner(operator, systemScope, findCell));
  const isWithBank: IsWithBank = ({ fileId, isRecovered }) => isRecovered || sent.includes(fileId);
  const begun = (await findOpenFiles(operator, bank)).filter(isWithBank);
  await approve(begun.filter(isPlanned));
  const continued = await releaseApproved(operator, { bank, folder, isWithBank, only: isWithBank }, at);
  await checkFolder(operator, { bank, folder });
  const before = await releaseApproved(operator, { bank, folder, isWithBank }, at);
  const plan = await planPayouts(operator, { bank, day });
  const toApprove = (await planFiles(operator, { plan, format, isWithBank }, at)).filter(isPlanned);
  await approve(toApprove);
  const after = needsApproval ? [] : await releaseApproved(operator, { bank, folder, isWithBank }, at);
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
  const { file, digest } = await showFile(operator, fileId);
  if (file.status !== "PLANNED") return;
  await approveFile(operator, fileId, digest).catch(async (error: unknown) => {
    if ((await showFile(operator, fileId)).file.status === "PLANNED") throw error;
  });
}

const isPlanned = ({ status }: KeptFile): boolean => status === "PLANNED";

async function findOpenFiles(operator: Operator, bank: string): Promise<readonly KeptFile[]> {
  return readAsOwner(operator, systemScope, (tx) => listOpenFiles(tx, bank));
}

interface Releases {
  readonly bank: string;
  readonly folder: string;
  readonly isWithBank: IsWithBank;
  /** Selects approved files (default all). */
  readonly only?: IsWithBank;
}

async function releaseApproved(
  operator: Operator,
  { bank, folder, isWithBank, only = () => true }: Releases,
  at: AtPayout,
): Promise<readonly Released[]> {
  const released: Released[] = [];
  for (const file of (await findOpenFiles(operator, bank)).filter(only))
    if (!isPlanned(file))
      released.push(await releaseFile(operator, { file, folder, isWithBank: isWithBank(file) }, at));
  return released;
}

function approvalNeeded(files: readonly KeptFile[]): CommandFailed {
  const commands = files.map(({ fileId }) => `\`tollgate payout show ${fileId}\``).join(", ");
  return new CommandFailed(
    "In live another person must approve payouts, and nothing is paid yet. With their own login, they read " +
      `${commands} and run \`tollgate payout approve FILE --digest DIGEST\`. Then run the same command again, ` +
      "within 24 hours.",
  );
}

export async function findPayouts(
  operator: Operator,
  asked: { readonly clientId: string | undefined; readonly limit: number },
): ReturnType<typeof listPayouts> {
  return readAsOwner(operator, systemScope, (tx) => listPayouts(tx, asked));
}

export function ranTable({ claimed, waiting, files, toApprove }: RanPayouts): string {
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
