import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { bucketOf } from "../../core/bucket.ts";
import type { PayoutCrashPointHook } from "../../core/crash-point.ts";
import { sha256 } from "../../core/digest.ts";
import { FileProblem } from "../../core/file-problem.ts";
import { systemScope } from "../../postgres/database.ts";
import { processInChunks } from "../../postgres/chunks.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  readBankReport,
  type BankReport,
  type EntryReport,
  type ReportedStatus,
  type StatusReport,
} from "./bank-report.ts";
import { findPayoutsOfOtherCells, type OtherCellsPayouts } from "./payouts-of-other-cells.sql.ts";
import { payoutOutcomeOf, payoutProblemOf, sumEntries } from "./payout-evidence.ts";
import {
  insertPayoutEntries,
  insertPayoutReports,
  listPayoutEvidence,
  type StoredReport,
} from "./payout-evidence.sql.ts";
import { bucketOfPayout } from "./payout-id.ts";
import { statesAfter, type PayoutStatus } from "./payout.ts";
import { listPayoutsByReference, lockPayouts, type ReferencedPayout } from "./payout.sql.ts";
import { settlePayout } from "./settle-payout.tx.ts";
import { actAsOwner, readAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { openNotifiers } from "../../notifications/open-notifiers.workflow.ts";

export interface ImportedReports {
  readonly kind: BankReport["kind"];
  readonly paidCount: number;
  readonly failedCount: number;
  readonly returnedCount: number;
  /** Number of payouts about which the file has no new information. */
  readonly knownCount: number;
  /** Statuses that are not final, such as accepted. */
  readonly notedCount: number;
  /** Number of payouts that the bank rejected as duplicates. They are not due again. */
  readonly duplicateCount: number;
  /** Number of entries of the bank account that are not our payouts. */
  readonly foreignCount: number;
  /** Number of payouts and files of other cells, which import them. */
  readonly otherCellCount: number;
  /** Payouts that need a decision by people. `reconcile` lists them as breaks. */
  readonly contradictions: readonly Contradiction[];
}

interface Contradiction {
  readonly payoutId: string;
  /** The merchant of the payout; absent if this installation has no such payout. */
  readonly clientId?: string;
  readonly problem: string;
}

/** The changes by one file, over all payouts. */
interface Progress {
  readonly states: PayoutStatus[];
  knownCount: number;
  duplicateCount: number;
  /** Number of entries and reports that are new. */
  storedCount: number;
  readonly contradictions: Contradiction[];
}

const sizeMaxBytes = 100 * 1024 * 1024;

/**
 * `importBankReports` imports a bank's report about payouts in one transaction. A payout that the report contradicts
 * keeps its status and is listed; reports about other payouts are imported. If the same file is imported again, nothing
 * changes.
 */
export async function importBankReports(
  operator: Operator,
  path: string,
  atCrashPoint: PayoutCrashPointHook = () => undefined,
): Promise<ImportedReports> {
  const { bytes, report } = await readReport(path);
  const checksum = sha256(bytes);
  const { payouts, otherCells } = await findReferencedPayouts(operator, report);
  rejectIfAny(
    "These merchants are being moved to another cell. Import the file again after the move",
    otherCells.leaving,
  );
  rejectUnknownReferences(
    listUnknownReferences(report, payouts).filter(({ reference }) => !otherCells.references.has(reference)),
  );
  const clientIds = [...new Set(payouts.map(({ clientId }) => clientId))];
  const imported = await actAsOwner(operator, clientIds.length > 0 ? clientIds : systemScope, async (tx) => {
    const progress = await applyReport(tx, report, payouts, checksum);
    const value = resultOf(report, { payouts, otherCells }, progress);
    const { kind, paidCount, failedCount, returnedCount, duplicateCount, contradictions } = value;
    const counts = { paidCount, failedCount, returnedCount, duplicateCount };
    const after = {
      kind,
      sha256: checksum.toString("hex"),
      ...counts,
      contradictions: contradictions.slice(0, listedMax).map(({ payoutId }) => payoutId),
      contradictionCount: contradictions.length,
    };
    const isNew = progress.states.length + progress.storedCount > 0;
    atCrashPoint("before-import-commit");
    return { value, audit: isNew ? { act: "payout import", subject: basename(path), after } : undefined };
  });
  atCrashPoint("after-import-commit");
  return imported;
}

async function readReport(path: string): Promise<{ readonly bytes: Buffer; readonly report: BankReport }> {
  const bytes = await readFile(path);
  if (bytes.length > sizeMaxBytes) throw new FileProblem(1, "The file is larger than 100 MiB. Split it.");
  return { bytes, report: readBankReport(textOf(bytes)) };
}

/**
 * `findUnknownReferences` returns the references in a bank's report for which none of these cells has a payout or a
 * file.
 */
export async function findUnknownReferences(
  operators: readonly Operator[],
  path: string,
): Promise<readonly UnknownReference[]> {
  const { report } = await readReport(path);
  const payouts: ReferencedPayout[] = [];
  for (const operator of operators) payouts.push(...(await findReferencedPayouts(operator, report)).payouts);
  return listUnknownReferences(report, payouts);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem(1, "The file is not UTF-8.");
  }
}

interface ReferencedPayouts {
  /** Payouts of this cell, by their end-to-end ids and by the file that the report is about. */
  readonly payouts: readonly ReferencedPayout[];
  readonly otherCells: OtherCellsPayouts;
}

async function findReferencedPayouts(operator: Operator, report: BankReport): Promise<ReferencedPayouts> {
  const [endToEndIds, fileIds] = [endToEndIdsOf(report), fileIdsOf(report)];
  return readAsOwner(operator, systemScope, async (tx) => ({
    payouts: await listPayoutsByReference(tx, endToEndIds, fileIds),
    otherCells: await findPayoutsOfOtherCells(tx, endToEndIds, fileIds),
  }));
}

function endToEndIdsOf(report: BankReport): readonly string[] {
  const named = report.kind === "pain.002" ? report.payoutStatuses : report.entries;
  return [...new Set(named.map(({ endToEndId }) => endToEndId))];
}

/** Returns the file that a status report is about. */
function fileIdsOf(report: BankReport): readonly string[] {
  return report.kind === "pain.002" && report.fileStatuses.some(({ bankStatus }) => bankStatus !== "noted")
    ? [report.messageId]
    : [];
}

/** A reference in a bank's report for which this cell has no payout. */
export interface UnknownReference {
  readonly reference: string;
  readonly kind: "file" | "payout";
}

/**
 * Lists unknown references of a status report. Entries of an account are not checked, because an account also has other
 * parties' entries.
 */
function listUnknownReferences(
  report: BankReport,
  payouts: readonly ReferencedPayout[],
): readonly UnknownReference[] {
  if (report.kind !== "pain.002") return [];
  const known = new Set(payouts.flatMap(({ endToEndId, fileId = "" }) => [endToEndId, fileId]));
  return [
    ...fileIdsOf(report).map((reference) => ({ reference, kind: "file" }) as const),
    ...endToEndIdsOf(report).map((reference) => ({ reference, kind: "payout" }) as const),
  ].filter(({ reference }) => !known.has(reference));
}

const listedMax = 20;

export function rejectUnknownReferences(unknown: readonly UnknownReference[]): void {
  const texts = unknown.map(({ kind, reference }) => `${kind} ${reference}`);
  rejectIfAny("The report names payouts or files that were never sent", texts);
}

function rejectIfAny(problem: string, found: readonly string[]): void {
  if (found.length === 0) return;
  const omitted = found.length > listedMax ? `, and ${found.length - listedMax} more` : "";
  throw new CommandFailed(
    `Nothing was imported. ${problem}: ${found.slice(0, listedMax).join("; ")}${omitted}.`,
  );
}

async function applyReport(
  tx: Tx,
  report: BankReport,
  named: readonly ReferencedPayout[],
  checksum: Uint8Array,
): Promise<Progress> {
  const progress: Progress = {
    states: [],
    knownCount: 0,
    duplicateCount: 0,
    storedCount: 0,
    contradictions: [],
  };
  const now = new Date();
  const applyChunk =
    report.kind === "pain.002" ? statusApplier(tx, report, checksum) : entryApplier(tx, report);
  await processInChunks(tx, named, async (chunk, chunkClientIds) => {
    const payouts = await lockPayouts(tx, chunk);
    const notifierOf = await openNotifiers(tx, chunkClientIds, now);
    const settle = (payout: ReferencedPayout, states: readonly PayoutStatus[], reasonCode?: string): void => {
      const key = { bucket: bucketOf(payout.clientId), clientId: payout.clientId };
      settlePayout(tx, key, payout, { states, reasonCode, at: now }, notifierOf(payout.clientId));
      progress.states.push(...states.slice(-1));
    };
    await applyChunk({ payouts, now, settle, progress });
  });
  return progress;
}

interface ReportChunk {
  readonly payouts: readonly ReferencedPayout[];
  readonly now: Date;
  readonly settle: (payout: ReferencedPayout, states: readonly PayoutStatus[], reasonCode?: string) => void;
  readonly progress: Progress;
}

type ApplyChunk = (chunk: ReportChunk) => Promise<void>;

/**
 * Applies a status report. A status of the whole file applies only to payouts of that file without a status of their
 * own.
 */
function statusApplier(tx: Tx, report: StatusReport, checksum: Uint8Array): ApplyChunk {
  const ownBy = Map.groupBy(report.payoutStatuses, ({ endToEndId }) => endToEndId);
  return async (applies) => {
    const { payouts, now, settle, progress } = applies;
    const unapplied: StoredReport[] = [];
    const contradicted: ReferencedPayout[] = [];
    for (const payout of payouts) {
      const { clientId, payoutId, endToEndId, fileId } = payout;
      const ownStatuses = ownBy.get(endToEndId) ?? [];
      const statuses =
        ownStatuses.length > 0 || fileId !== report.messageId ? ownStatuses : report.fileStatuses;
      const { states, reasonCode, ignored } = decideByStatuses(payout, statuses);
      if (states.length > 0) settle(payout, states, reasonCode);
      if (ignored) unapplied.push({ ...ignored, clientId, payoutId, sha256: checksum });
      if (ignored?.isDuplicate) progress.duplicateCount += 1;
      else if (ignored) contradicted.push({ ...payout, status: states.at(-1) ?? payout.status });
      else if (states.length === 0 && statuses.some(({ bankStatus }) => bankStatus !== "noted"))
        progress.knownCount += 1;
    }
    progress.storedCount += await insertPayoutReports(tx, unapplied, now);
    await decideByEvidence(tx, { ...applies, payouts: contradicted });
  };
}

interface StatusDecision {
  readonly states: readonly PayoutStatus[];
  readonly reasonCode: string | undefined;
  /** The status that changed nothing: a duplicate, or a contradiction. */
  readonly ignored: Pick<StoredReport, "outcome" | "isDuplicate" | "reasonCode"> | undefined;
}

/** Returns the states of a payout by the statuses of one report, in order. */
function decideByStatuses(payout: ReferencedPayout, statuses: readonly ReportedStatus[]): StatusDecision {
  let [status, states, code]: [PayoutStatus, readonly PayoutStatus[], string | undefined] = [
    payout.status,
    [],
    undefined,
  ];
  let ignored: StatusDecision["ignored"];
  for (const { bankStatus, isDuplicate, reasonCode } of statuses) {
    if (bankStatus === "noted") continue;
    const next = isDuplicate || payout.fileId === undefined ? undefined : statesAfter(status, bankStatus);
    if (!next) {
      ignored = { outcome: bankStatus === "paid" ? "executed" : "rejected", isDuplicate, reasonCode };
      continue;
    }
    [status, states, code] = [next.at(-1) ?? status, [...states, ...next], reasonCode ?? code];
  }
  return { states, reasonCode: code, ignored };
}

/** Stores the account's entries, and decides by the sum of all entries of all files. */
function entryApplier(tx: Tx, report: EntryReport): ApplyChunk {
  const entriesBy = Map.groupBy(report.entries, ({ endToEndId }) => endToEndId);
  return async (applies) => {
    const { payouts, now, progress } = applies;
    const stored = payouts.flatMap(({ clientId, payoutId, endToEndId }) =>
      (entriesBy.get(endToEndId) ?? []).map(({ returnReason: returnCode, ...entry }) => ({
        ...entry,
        returnCode,
        kind: report.kind,
        clientId,
        payoutId,
      })),
    );
    progress.storedCount += await insertPayoutEntries(tx, stored, now);
    await decideByEvidence(tx, applies);
  };
}

/** Decides the payouts' outcome by all imported evidence, and lists those that need a decision by people. */
async function decideByEvidence(tx: Tx, { payouts, settle, progress }: ReportChunk): Promise<void> {
  if (payouts.length === 0) return;
  const evidence = await listPayoutEvidence(tx, payouts);
  for (const payout of payouts) {
    const { entries = [], reports = [] } = evidence.get(payout.payoutId) ?? {};
    const booked = sumEntries(payout.amount, entries);
    // A payout that is in no file cannot be with the bank.
    const outcome = payout.fileId === undefined ? undefined : payoutOutcomeOf(booked, reports);
    const states = (outcome && statesAfter(payout.status, outcome.bankStatus)) ?? [];
    if (states.length > 0) settle(payout, states, outcome?.reasonCode);
    const status = states.at(-1) ?? payout.status;
    const problem = payoutProblemOf({ status, amount: payout.amount }, booked, reports);
    const { clientId, payoutId } = payout;
    if (problem) progress.contradictions.push({ payoutId, clientId, problem: problem.text });
    else if (states.length === 0) progress.knownCount += 1;
  }
}

function resultOf(
  report: BankReport,
  { payouts, otherCells }: ReferencedPayouts,
  { states, knownCount, duplicateCount, contradictions }: Progress,
): ImportedReports {
  const count = (status: PayoutStatus): number => states.filter((each) => each === status).length;
  const references = new Set(payouts.flatMap(({ endToEndId, fileId = "" }) => [endToEndId, fileId]));
  const otherReferences = new Set(
    [...otherCells.references].filter((reference) => !references.has(reference)),
  );
  const unknown = endToEndIdsOf(report).filter(
    (reference) => !references.has(reference) && !otherReferences.has(reference),
  );
  // An account also has other parties' entries. If an end-to-end id has the gateway's format but this database has no
  // payout for it, the payout was lost in a restore, or the id is forged.
  const lostPayouts = unknown.filter((reference) => bucketOfPayout(reference) !== undefined);
  const foreign = new Set(unknown).difference(new Set(lostPayouts));
  const entries = report.kind === "pain.002" ? [] : report.entries;
  return {
    kind: report.kind,
    paidCount: count("PAID"),
    failedCount: count("FAILED"),
    returnedCount: count("RETURNED"),
    knownCount,
    notedCount:
      report.kind === "pain.002"
        ? [...report.payoutStatuses, ...report.fileStatuses].filter(
            ({ bankStatus }) => bankStatus === "noted",
          ).length
        : 0,
    duplicateCount,
    foreignCount: entries.filter(({ endToEndId }) => foreign.has(endToEndId)).length,
    otherCellCount: otherReferences.size,
    contradictions: [
      ...contradictions,
      ...lostPayouts.map((payoutId) => ({
        payoutId,
        problem: "is booked by the bank, but there is no such payout here",
      })),
    ],
  };
}
