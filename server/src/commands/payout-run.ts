import { findCell } from "../cells/home.sql.ts";
import { bookDayOf } from "../core/book-day.ts";
import type { AtPayout } from "../core/crash-point.ts";
import { systemScope } from "../postgres/database.ts";
import { waitReasons, type Payout } from "../settlement/payout.ts";
import { listOpenFiles, type KeptFile } from "../settlement/payout-file.sql.ts";
import { listPayouts } from "../settlement/payout.sql.ts";
import type { PayoutFormat } from "../settlement/payout-file.ts";
import { asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { approveFile, showFile } from "./payout-approve.ts";
import { planFiles, type IsWithBank } from "./payout-files.ts";
import { checkFolder, listSent } from "./payout-folder.ts";
import { findPlan, type PayoutPlan } from "./payout-plan.ts";
import { releaseFile, type HandedOver, type Released } from "./payout-release.ts";

export interface PayoutRun {
  readonly bank: string;
  /** The day of the books by which a batch is due (default: today). */
  readonly day?: string | undefined;
  readonly folder: string;
  readonly format: PayoutFormat;
}

export interface RanPayouts {
  readonly claimed: readonly Payout[];
  readonly waiting: Released["waiting"];
  readonly files: readonly HandedOver[];
  /** Planned files that a second person has to approve. */
  readonly toApprove: readonly KeptFile[];
}

export async function planPayouts(
  { url, environment }: Operator,
  { bank, day }: { readonly bank: string; readonly day?: string | undefined },
): Promise<PayoutPlan> {
  const now = new Date();
  return asOwner(url, environment, systemScope, (tx) =>
    findPlan(tx, { bank, day: day ?? bookDayOf(now), now }),
  );
}

/**
 * Hands over the payout files that are approved, then plans files for what is due. In live a second person approves a planned file
 * (`payout approve`), and the next run hands it over; in the sandbox one run does all of it. Every step continues what an earlier run
 * left, so after a crash it is run again. Files that are with the bank already come first, because a restored database has to know them
 * before anything else is planned.
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
  const { url, environment } = operator;
  const sent = await listSent(folder, bank, await asOwner(url, environment, systemScope, findCell));
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

/** The sandbox, and the owner's login with --alone, need no second person. Another run at the same time may have approved it. */
async function approveAlone(operator: Operator, fileId: string): Promise<void> {
  const { file, digest } = await showFile(operator, fileId);
  if (file.status !== "PLANNED") return;
  await approveFile(operator, fileId, digest).catch(async (error: unknown) => {
    if ((await showFile(operator, fileId)).file.status === "PLANNED") throw error;
  });
}

const isPlanned = ({ status }: KeptFile): boolean => status === "PLANNED";

async function findOpenFiles({ url, environment }: Operator, bank: string): Promise<readonly KeptFile[]> {
  return asOwner(url, environment, systemScope, (tx) => listOpenFiles(tx, bank));
}

interface Releases {
  readonly bank: string;
  readonly folder: string;
  readonly isWithBank: IsWithBank;
  /** Which of the approved files (default: all). */
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

function approvalNeeded(files: readonly KeptFile[]): Impossible {
  const commands = files.map(({ fileId }) => `\`tollgate payout show ${fileId}\``).join(", ");
  return new Impossible(
    `In live a second person approves payouts, and nothing is paid yet. Another person, with their own login, reads ${commands} and runs ` +
      "`tollgate payout approve FILE --digest DIGEST`. Then run the same command again, within 24 hours.",
  );
}

export async function findPayouts(
  { url, environment }: Operator,
  asked: { readonly clientId: string | undefined; readonly limit: number },
): ReturnType<typeof listPayouts> {
  return asOwner(url, environment, systemScope, (tx) => listPayouts(tx, asked));
}

export function ranTable({ claimed, waiting, files, toApprove }: RanPayouts): string {
  return [
    `${claimed.length} payouts created, ${waiting.length} batches wait`,
    ...files.map(
      ({ path, payoutCount, sum, sha256 }) => `${path}: ${payoutCount} payouts, ${sum}, SHA-256 ${sha256}`,
    ),
    ...toApprove.map(
      ({ fileId }) => `payout file ${fileId} is planned and needs approval by a second person`,
    ),
    ...waiting.map(
      ({ clientId, batchId, waitsFor }) => `${clientId} ${batchId} waits: ${waitReasons[waitsFor]}`,
    ),
  ].join("\n");
}
