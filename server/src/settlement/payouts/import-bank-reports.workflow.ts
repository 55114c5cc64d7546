import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { bucketOf } from "../../core/bucket.ts";
import type { AtPayout } from "../../core/crash-point.ts";
import { sha256 } from "../../core/digest.ts";
import { FileProblem } from "../../core/file-problem.ts";
import { systemScope } from "../../postgres/database.ts";
import { splitIntoChunks } from "../../postgres/chunks.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  readBankReport,
  type BankReport,
  type EntryReport,
  type ReportedStatus,
  type StatusReport,
} from "./bank-report.ts";
import { findPayoutsElsewhere, type PayoutsElsewhere } from "./payout-cell.sql.ts";
import { outcomeOf, problemOf, sumEntries } from "./payout-evidence.ts";
import {
  insertPayoutEntries,
  insertPayoutReports,
  listPayoutEvidence,
  type StoredReport,
} from "./payout-evidence.sql.ts";
import { bucketOfPayout } from "./payout-id.ts";
import { statesAfter, type PayoutStatus } from "./payout.ts";
import { listPayoutsNamed, lockPayouts, type NamedPayout } from "./payout.sql.ts";
import { settlePayout } from "./settle-payout.tx.ts";
import { actAsOwner, readAsOwner, type Operator } from "../../operator-session/as-owner.ts";
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
  at: AtPayout = () => undefined,
): Promise<ImportedReports> {
  const { bytes, report } = await readReport(path);
  const checksum = sha256(bytes);
  const { named, elsewhere } = await findNamed(operator, report);
  refuseIf(
    "These merchants are being moved to another cell. Import the file again after the move",
    elsewhere.leaving,
  );
  refuseUnknown(listUnknown(report, named).filter(({ reference }) => !elsewhere.references.has(reference)));
  const clientIds = [...new Set(named.map(({ clientId }) => clientId))];
  const imported = await actAsOwner(operator, clientIds.length > 0 ? clientIds : systemScope, async (tx) => {
    const progress = await apply(tx, report, named, checksum);
    const value = resultOf(report, { named, elsewhere }, progress);
    const { kind, paidCount, failedCount, returnedCount, duplicateCount, contradictions } = value;
    const counts = { paidCount, failedCount, returnedCount, duplicateCount };
    const after = {
      kind,
      sha256: checksum.toString("hex"),
      ...counts,
      contradictions: contradictions.slice(0, shownMax).map(({ payoutId }) => payoutId),
      contradictionCount: contradictions.length,
    };
    const isNew = progress.states.length + progress.storedCount > 0;
    at("before-import-commit");
    return { value, audit: isNew ? { act: "payout import", subject: basename(path), after } : undefined };
  });
  at("after-import-commit");
  return imported;
}

async function readReport(path: string): Promise<{ readonly bytes: Buffer; readonly report: BankReport }> {
  const bytes = await readFile(path);
  if (bytes.length > sizeMaxBytes) throw new FileProblem(1, "The file is larger than 100 MiB. Split it.");
  return { bytes, report: readBankReport(textOf(bytes)) };
}

/** `findUnknownIn` returns the references in a bank's report for which none of these cells has a payout or a file. */
export async function findUnknownIn(
  operators: readonly Operator[],
  path: string,
): Promise<readonly Unknown[]> {
  const { report } = await readReport(path);
  const named: NamedPayout[] = [];
  for (const operator of operators) named.push(...(await findNamed(operator, report)).named);
  return listUnknown(report, named);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem(1, "The file is not UTF-8.");
  }
}

interface Named {
  /** Payouts of this cell, by their end-to-end ids and by the file that the report is about. */
  readonly named: readonly NamedPayout[];
  readonly elsewhere: PayoutsElsewhere;
}

async function findNamed(operator: Operator, report: BankReport): Promise<Named> {
  const [endToEndIds, fileIds] = [endToEndIdsOf(report), fileIdsOf(report)];
  return readAsOwner(operator, systemScope, async (tx) => ({
    named: await listPayoutsNamed(tx, endToEndIds, fileIds),
    elsewhere: await findPayoutsElsewhere(tx, endToEndIds, fileIds),
  }));
}

function endToEndIdsOf(report: BankReport): readonly string[] {
  const named = report.kind === "pain.002" ? report.own : report.entries;
  return [...new Set(named.map(({ endToEndId }) => endToEndId))];
}

/** Returns the file that a status report is about. */
function fileIdsOf(report: BankReport): readonly string[] {
  return report.kind === "pain.002" && report.whole.some(({ word }) => word !== "noted")
    ? [report.messageId]
    : [];
}

/** A reference in a bank's report for which this cell has no payout. */
export interface Unknown {
  readonly reference: string;
  readonly kind: "file" | "payout";
}

/**
 * Lists unknown references of a status report. Entries of an account are not checked, because an account also has other
 * parties' entries.
 */
function listUnknown(report: BankReport, named: readonly NamedPayout[]): readonly Unknown[] {
  if (report.kind !== "pain.002") return [];
  const known = new Set(named.flatMap(({ endToEndId, fileId = "" }) => [endToEndId, fileId]));
  return [
    ...fileIdsOf(report).map((reference) => ({ reference, kind: "file" }) as const),
    ...endToEndIdsOf(report).map((reference) => ({ reference, kind: "payout" }) as const),
  ].filter(({ reference }) => !known.has(reference));
}

const shownMax = 20;

export function refuseUnknown(unknown: readonly Unknown[]): void {
  const texts = unknown.map(({ kind, reference }) => `${kind} ${reference}`);
  refuseIf("The report names payouts or files that were never sent", texts);
}

function refuseIf(problem: string, found: readonly string[]): void {
  if (found.length === 0) return;
  const more = found.length > shownMax ? `, and ${found.length - shownMax} more` : "";
  throw new CommandFailed(`Nothing was imported. ${problem}: ${found.slice(0, shownMax).join("; ")}${more}.`);
}

async function apply(
  tx: Tx,
  report: BankReport,
  named: readonly NamedPayout[],
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
  const applyTo = report.kind === "pain.002" ? statusesOf(tx, report, checksum) : entriesOf(tx, report);
  await splitIntoChunks(tx, named, async (some, whose) => {
    const payouts = await lockPayouts(tx, some);
    const tellerOf = await openNotifiers(tx, whose, now);
    const settle = (payout: NamedPayout, states: readonly PayoutStatus[], reasonCode?: string): void => {
      const key = { bucket: bucketOf(payout.clientId), clientId: payout.clientId };
      settlePayout(tx, key, payout, { states, reasonCode, at: now }, tellerOf(payout.clientId));
      progress.states.push(...states.slice(-1));
    };
    await applyTo({ payouts, now, settle, progress });
  });
  return progress;
}

interface Applies {
  readonly payouts: readonly NamedPayout[];
  readonly now: Date;
  readonly settle: (payout: NamedPayout, states: readonly PayoutStatus[], reasonCode?: string) => void;
  readonly progress: Progress;
}

type ApplyTo = (applies: Applies) => Promise<void>;

/**
 * Applies a status report. A status of the whole file applies only to payouts of that file without a status of their
 * own.
 */
function statusesOf(tx: Tx, report: StatusReport, checksum: Uint8Array): ApplyTo {
  const ownBy = Map.groupBy(report.own, ({ endToEndId }) => endToEndId);
  return async (applies) => {
    const { payouts, now, settle, progress } = applies;
    const unapplied: StoredReport[] = [];
    const contradicted: NamedPayout[] = [];
    for (const payout of payouts) {
      const { clientId, payoutId, endToEndId, fileId } = payout;
      const own = ownBy.get(endToEndId) ?? [];
      const statuses = own.length > 0 || fileId !== report.messageId ? own : report.whole;
      const { states, reasonCode, ignored } = decideByStatuses(payout, statuses);
      if (states.length > 0) settle(payout, states, reasonCode);
      if (ignored) unapplied.push({ ...ignored, clientId, payoutId, sha256: checksum });
      if (ignored?.isDuplicate) progress.duplicateCount += 1;
      else if (ignored) contradicted.push({ ...payout, status: states.at(-1) ?? payout.status });
      else if (states.length === 0 && statuses.some(({ word }) => word !== "noted")) progress.knownCount += 1;
    }
    progress.storedCount += await insertPayoutReports(tx, unapplied, now);
    await decideByEvidence(tx, { ...applies, payouts: contradicted });
  };
}

interface Decided {
  readonly states: readonly PayoutStatus[];
  readonly reasonCode: string | undefined;
  /** The status that changed nothing: a duplicate, or a contradiction. */
  readonly ignored: Pick<StoredReport, "outcome" | "isDuplicate" | "reasonCode"> | undefined;
}

/** Returns the states of a payout by the statuses of one report, in order. */
function decideByStatuses(payout: NamedPayout, statuses: readonly ReportedStatus[]): Decided {
  let [status, states, code]: [PayoutStatus, readonly PayoutStatus[], string | undefined] = [
    payout.status,
    [],
    undefined,
  ];
  let ignored: Decided["ignored"];
  for (const { word, isDuplicate, reasonCode } of statuses) {
    if (word === "noted") continue;
    const next = isDuplicate || payout.fileId === undefined ? undefined : statesAfter(status, word);
    if (!next) {
      ignored = { outcome: word === "paid" ? "executed" : "rejected", isDuplicate, reasonCode };
      continue;
    }
    [status, states, code] = [next.at(-1) ?? status, [...states, ...next], reasonCode ?? code];
  }
  return { states, reasonCode: code, ignored };
}

/** Stores the account's entries, and decides by the sum of all entries of all files. */
function entriesOf(tx: Tx, report: EntryReport): ApplyTo {
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
async function decideByEvidence(tx: Tx, { payouts, settle, progress }: Applies): Promise<void> {
  if (payouts.length === 0) return;
  const evidence = await listPayoutEvidence(tx, payouts);
  for (const payout of payouts) {
    const { entries = [], reports = [] } = evidence.get(payout.payoutId) ?? {};
    const booked = sumEntries(payout.amount, entries);
    // A payout that is in no file cannot be with the bank.
    const outcome = payout.fileId === undefined ? undefined : outcomeOf(booked, reports);
    const states = (outcome && statesAfter(payout.status, outcome.word)) ?? [];
    if (states.length > 0) settle(payout, states, outcome?.reasonCode);
    const status = states.at(-1) ?? payout.status;
    const problem = problemOf({ status, amount: payout.amount }, booked, reports);
    const { clientId, payoutId } = payout;
    if (problem) progress.contradictions.push({ payoutId, clientId, problem: problem.text });
    else if (states.length === 0) progress.knownCount += 1;
  }
}

function resultOf(
  report: BankReport,
  { named, elsewhere }: Named,
  { states, knownCount, duplicateCount, contradictions }: Progress,
): ImportedReports {
  const count = (status: PayoutStatus): number => states.filter((each) => each === status).length;
  const here = new Set(named.flatMap(({ endToEndId, fileId = "" }) => [endToEndId, fileId]));
  const others = new Set([...elsewhere.references].filter((reference) => !here.has(reference)));
  const unknown = endToEndIdsOf(report).filter((reference) => !here.has(reference) && !others.has(reference));
  // An account also has other parties' entries. If an end-to-end id has the gateway's format but this database has no
  // payout for it, the payout was lost in a restore, or the id is forged.
  const lost = unknown.filter((reference) => bucketOfPayout(reference) !== undefined);
  const foreign = new Set(unknown).difference(new Set(lost));
  const entries = report.kind === "pain.002" ? [] : report.entries;
  return {
    kind: report.kind,
    paidCount: count("PAID"),
    failedCount: count("FAILED"),
    returnedCount: count("RETURNED"),
    knownCount,
    notedCount:
      report.kind === "pain.002"
        ? [...report.own, ...report.whole].filter(({ word }) => word === "noted").length
        : 0,
    duplicateCount,
    foreignCount: entries.filter(({ endToEndId }) => foreign.has(endToEndId)).length,
    otherCellCount: others.size,
    contradictions: [
      ...contradictions,
      ...lost.map((payoutId) => ({
        payoutId,
        problem: "is booked by the bank, but there is no such payout here",
      })),
    ],
  };
}
