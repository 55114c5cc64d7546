import assert from "node:assert/strict";
import type { ClearingPosting } from "../bank/bank-pairing.sql.ts";
import { formatMoney } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import {
  listNegativeBalances,
  listWrongBalances,
  listWrongReserves,
  listWrongSums,
} from "./ledger-check.sql.ts";
import { insertBreaks, listBreaks, updateBreaksResolved, type StoredBreak } from "./break.sql.ts";
import {
  breakAgeOf,
  breakKinds,
  breaksOf,
  sumNames,
  recommendedActionFor,
  type Break,
  type ComparedMovement,
} from "./break.ts";
import { listCutOffs, compareRecords, lockLedger, type CutOff } from "./compare.sql.ts";
import { dropCellViews, narrowToCell, type FindInOtherCells } from "./cell.sql.ts";
import { insertRun } from "./reconciliation-run.sql.ts";
import { narrowToDay, type Day } from "./day.sql.ts";
import { hasHouseAccount } from "../ledger/house-account.sql.ts";
import { reconciliationTotals, type ReconciliationTotal } from "./reconciliation-total.ts";
import { findCell } from "../cells/home.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { listConnectors } from "../providers/connector.sql.ts";
import { actAsOwner, type ActResult, type Operator } from "../operator-session/owner-session.ts";
import {
  compareClearing,
  compareWithBank,
  notComparedText,
  type NotCompared,
} from "./reconcile-bank.workflow.ts";
import { compareWithContracts } from "./reconcile-costs.workflow.ts";
import { listChangedMonths } from "./closed-months.workflow.ts";
import { requireConnector } from "./import-settlement-file.workflow.ts";
import { formatTextTable } from "../formats/text-table.ts";

export interface ReconciliationRequest {
  /** Absent for all connectors. */
  readonly connector: string | undefined;
  /** Cut-off in ISO 8601; absent for the end of the providers' files. */
  readonly until: string | undefined;
  /** A calendar day (UTC) whose payments are compared; absent for all payments. */
  readonly day?: string | undefined;
}

/** The result of a reconciliation run. */
export interface ReconciliationResult {
  readonly at: Date;
  /** The day, if the run compared only the payments of one day. */
  readonly day?: string | undefined;
  readonly cutOffs: readonly CutOff[];
  readonly totals: readonly ReconciliationTotal[];
  readonly breaks: readonly StoredBreak[];
  /** Number of breaks that this run resolved. */
  readonly resolvedCount: number;
  readonly notCompared?: NotCompared | undefined;
}

/** The other cells' data for a reconciliation of the fleet. */
export interface OtherCells {
  readonly findPayments: FindInOtherCells;
  readonly listClearing: () => Promise<readonly ClearingPosting[]>;
}

/** Timeout for one read of every table of money. */
const statementTimeoutMs = 10 * 60 * 1000;

/**
 * `reconcile` compares our records, the ledger, the providers' files and the bank statements, and stores the breaks.
 */
export async function reconcile(
  operator: Operator,
  request: ReconciliationRequest,
  others?: OtherCells,
): Promise<ReconciliationResult> {
  const until = request.until === undefined ? undefined : readTime(request.until);
  const { connector, day } = request;
  const utcDay = day === undefined ? undefined : readDay(day);
  // A reconciliation writes no audit row, because it stores its result and changes no setting.
  const compare = async (tx: Tx): Promise<ActResult<ReconciliationResult>> => ({
    value: {
      ...(await reconcileInTransaction(tx, { connector, until, day: utcDay, others })),
      ...(day !== undefined && { day }),
    },
    audit: undefined,
  });
  return actAsOwner(operator, systemScope, compare, { statementTimeoutMs });
}

/** Finds no payment in other cells, for an installation that is not a cell, and for a run of one cell. */
const findNoPayments: FindInOtherCells = () => Promise.resolve([]);

interface Scope {
  readonly connector: string | undefined;
  readonly until: Date | undefined;
  readonly day: Day | undefined;
  /** The other cells' data; absent for a run of one cell. */
  readonly others: OtherCells | undefined;
}

async function reconcileInTransaction(
  tx: Tx,
  { connector, until, day, others }: Scope,
): Promise<ReconciliationResult> {
  const at = new Date();
  if (connector !== undefined) await requireConnector(tx, connector);
  await lockLedger(tx);
  const cutOffs = until ? await cutOffsAt(tx, connector, until) : await listCutOffs(tx, connector);
  if (day) await narrowToDay(tx, day);
  const isCell = (await findCell(tx)) !== undefined;
  if (isCell) await narrowToCell(tx, day !== undefined, others?.findPayments ?? findNoPayments);
  const withHouse = day === undefined && (await hasHouseAccount(tx));
  const { movementTotals, differences } = await compareRecords(tx, { connector, cutOffs, withHouse });
  const ledgerBreaks = day ? await listWrongSums(tx, connector) : await listLedgerBreaks(tx, connector, at);
  const { listClearing } = others ?? {};
  const bank = await compareWithBank(tx, {
    connector,
    until,
    cutOffs,
    isDay: day !== undefined,
    listClearing,
  });
  const dayText = day?.from.toISOString().slice(0, 10);
  const contracts = await compareWithContracts(tx, { connector, cutOffs, day: dayText });
  const found = [...differences.flatMap(requireBreaks), ...ledgerBreaks, ...bank.breaks, ...contracts.breaks];
  await insertBreaks(tx, found, at);
  const checkedKinds = [...bank.checkedKinds, ...contracts.checkedKinds];
  const runScope = { connector, cutOffs, isDay: day !== undefined, checkedKinds };
  let resolvedCount = await updateBreaksResolved(tx, runScope, at);
  if (bank.clearing.length > 0) {
    await insertBreaks(tx, await compareClearing(tx, bank.clearing, at), at);
    resolvedCount += await updateBreaksResolved(tx, { ...runScope, checkedKinds: ["clearing balance"] }, at);
  }
  const breaks = await listBreaks(tx, at);
  await insertRun(tx, { ranAt: at, connector, day: dayText, cutOffs, breakCount: breaks.length });
  // In a run of a day, the names belong to temporary tables, which the commit drops.
  if (isCell && !day) await dropCellViews(tx);
  const { notCompared } = bank;
  return {
    at,
    cutOffs,
    totals: reconciliationTotals(movementTotals, breaks),
    breaks,
    resolvedCount,
    notCompared,
  };
}

async function cutOffsAt(tx: Tx, connector: string | undefined, until: Date): Promise<readonly CutOff[]> {
  const names = (await listConnectors(tx)).map(({ name }) => name);
  return names
    .filter((name) => connector === undefined || name === connector)
    .map((name) => ({ connector: name, until }));
}

function requireBreaks(difference: ComparedMovement): readonly Break[] {
  const breaks = breaksOf(difference);
  assert(breaks.length > 0, `A difference must have a kind: ${difference.reference}.`);
  return breaks;
}

/** Lists breaks of reserves and balances. They belong to no provider, so only a run over all connectors checks them. */
async function listLedgerBreaks(tx: Tx, connector: string | undefined, now: Date): Promise<readonly Break[]> {
  const sums = await listWrongSums(tx, connector);
  if (connector !== undefined) return sums;
  const ledgerBreaks = [
    await listWrongReserves(tx),
    await listWrongBalances(tx),
    await listChangedMonths(tx),
    await listNegativeBalances(tx, now),
  ];
  return [...sums, ...ledgerBreaks.flat()];
}

function readTime(text: string): Date {
  const atMs = text[10] === "T" ? parseRequestTime(text) : undefined;
  if (atMs === undefined) throw new Error("--until must be a time in ISO 8601 with a zone.");
  return new Date(atMs);
}

function readDay(text: string): Day {
  const from = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : Number.NaN);
  // JavaScript turns a day that does not exist, such as 31 November, into another day. So the day is formatted and
  // compared.
  if (Number.isNaN(from.getTime()) || !from.toISOString().startsWith(text))
    throw new Error("--day must be a calendar day, such as 2026-11-16.");
  return { from, until: new Date(from.getTime() + dayMs) };
}

const dayMs = 24 * 3600 * 1000;

/** Formats totals, breaks, and what to do about the breaks. */
export function reconciliationTable(result: ReconciliationResult): string {
  const { at, day, cutOffs, totals, breaks, resolvedCount, notCompared } = result;
  const summary =
    `${breaks.length} breaks, ${resolvedCount} resolved since the last run.` +
    (day === undefined
      ? ""
      : `\nOnly payments of ${day} and payments with breaks were compared. Run without --day for balances and ` +
        "reserves.");
  const heads = [
    "connector",
    "currency",
    "until",
    "matched",
    "taken",
    "returned",
    "open",
    "breaks",
    "oldest",
  ];
  const untilOf = ({ connector }: ReconciliationTotal): string =>
    formatTime(cutOffs.find((cutOff) => cutOff.connector === connector)?.until);
  const parts = [
    totals.length > 0 &&
      formatTextTable([heads, ...totals.map((total) => totalRow(total, untilOf(total), at))]),
    breaks.length > 0 && formatTextTable([breakHead, ...breaks.map((each) => breakRow(each, at))]),
    breakKinds
      .filter((kind) => breaks.some((each) => each.kind === kind))
      .map((kind) => `${kind}: ${recommendedActionFor(kind)}`)
      .join("\n"),
    notCompared && notComparedText(notCompared),
    summary,
  ];
  return parts.filter(Boolean).join("\n\n");
}

function totalRow(total: ReconciliationTotal, until: string, now: Date): string[] {
  const { connector = "none", currency, takenMinor, givenBackMinor, oldestBreakAt } = total;
  return [
    connector,
    currency,
    until,
    String(total.matchedCount),
    formatMoney({ currency, minor: takenMinor }),
    formatMoney({ currency, minor: givenBackMinor }),
    String(total.openCount),
    String(total.breakCount),
    oldestBreakAt ? `${formatTime(oldestBreakAt)}, ${breakAgeOf(oldestBreakAt, now)}` : "none",
  ];
}

const breakHead = ["break", "connector", "of", "payment", "reference", "sums", "at", "age", "first seen"];

function breakRow(found: StoredBreak, now: Date): string[] {
  const { kind, connector = "none", subject, paymentId = "none", reference, sums, at, firstSeenAt } = found;
  const sumTexts = sumNames.flatMap((name) => (sums[name] ? [`${name} ${formatMoney(sums[name])}`] : []));
  return [
    kind,
    connector,
    subject,
    paymentId,
    reference,
    sumTexts.join(", "),
    formatTime(at),
    breakAgeOf(at ?? firstSeenAt, now),
    formatTime(firstSeenAt),
  ];
}

function formatTime(time: Date | undefined): string {
  return time ? time.toISOString().slice(0, 19) : "none";
}

/** Formats the result as JSON, each break with its age. */
export function reconciliationJson({ at, breaks, ...others }: ReconciliationResult): object {
  const aged = breaks.map((each) => ({ ...each, age: breakAgeOf(each.at ?? each.firstSeenAt, at) }));
  return { at, ...others, breaks: aged };
}
