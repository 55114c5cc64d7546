import {
  describeNextAction,
  isStuck,
  findResponsibleParty,
  type OpenRecord,
  type ResponsibleParty,
} from "../../open-records/open-record.ts";
import { listAllOpenRecords, listOpenRecordsByJobs } from "../../open-records/open-record.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import { queryAsOwner } from "../../operator-session/owner-session.ts";
import { formatTextTable } from "../../formats/text-table.ts";

/** All open records, and how many of them are stuck (no job is scheduled). */
export interface StuckReport {
  readonly records: readonly OpenRecordDetails[];
  readonly stuckCount: number;
  /** The open records as a table for the terminal. */
  readonly table: string;
}

export interface OpenRecordDetails extends OpenRecord {
  readonly isStuck: boolean;
  /** The party that must act next. */
  readonly owner: ResponsibleParty;
  readonly action: string;
}

/** Timeout of the sequential scan with `--whole`. */
const statementTimeoutMs = 10 * 60 * 1000;

export async function findStuckRecords(
  url: string,
  environment: Environment,
  isWhole = false,
): Promise<StuckReport> {
  const list = isWhole ? listAllOpenRecords : listOpenRecordsByJobs;
  const options = { statementTimeoutMs, readsWholeTables: isWhole };
  const openRecords = await queryAsOwner(url, environment, systemScope, list, options);
  const now = new Date();
  const records = openRecords.map((record) => ({
    ...record,
    isStuck: isStuck(record, now),
    owner: findResponsibleParty(record),
    action: `${describeNextAction(record)}${delayReason(record.next)}`,
  }));
  const stuckCount = records.filter((record) => record.isStuck).length;
  return { records, stuckCount, table: recordsTable(records, stuckCount, now) };
}

/** Formats the table. Stuck records come first. Records with the same next action are grouped under one sentence. */
function recordsTable(records: readonly OpenRecordDetails[], stuckCount: number, now: Date): string {
  const summary = `${records.length} open records, ${stuckCount} of them stuck.`;
  if (records.length === 0) return summary;
  const sortedRecords = [...records].sort((a, b) => Number(b.isStuck) - Number(a.isStuck));
  const [headLine = "", ...rows] = formatTextTable([
    head,
    ...sortedRecords.map((record) => rowOf(record, now)),
  ]).split("\n");
  const lines = sortedRecords.map((record, index) => ({ title: titleOf(record), row: rows[index] ?? "" }));
  const groups = Map.groupBy(lines, ({ title }) => title);
  const parts = [...groups].map(([title, members]) => [title, ...members.map(({ row }) => row)].join("\n"));
  return [headLine, ...parts, summary].join("\n\n");
}

function titleOf({ owner, action }: OpenRecordDetails): string {
  return `Next: ${owner}. ${action}`;
}

const head = ["", "kind", "id", "client", "status", "since", "next", "tries"];

function rowOf(record: OpenRecordDetails, now: Date): string[] {
  const { kind, clientId, id, since, next } = record;
  return [
    record.isStuck ? "STUCK" : "",
    kind,
    id,
    clientId,
    statusOf(record, now),
    ageOf(now.getTime() - since.getTime()),
    next ? dueIn(next, now) : "never",
    String(next?.attempts ?? 0),
  ];
}

/** The status; for a capture, refund or reversal that the provider has accepted, since when. */
function statusOf({ kind, status, acceptedAt }: OpenRecord, now: Date): string {
  const isMoney = kind === "capture" || kind === "refund" || kind === "reversal";
  return isMoney && acceptedAt ? `accepted ${ageOf(now.getTime() - acceptedAt.getTime())}` : status;
}

function dueIn({ at, isHeld }: NonNullable<OpenRecord["next"]>, now: Date): string {
  if (isHeld) return "held";
  if (!at) return "parked";
  const ms = at.getTime() - now.getTime();
  return ms < 0 ? `${ageOf(-ms)} ago` : `in ${ageOf(ms)}`;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** Formats a duration in its largest unit: 3d, 4h, 12m, 40s. */
function ageOf(ms: number): string {
  const [unit, size] = units.find(([, each]) => Math.abs(ms) >= each) ?? (["s", 1000] as const);
  return `${Math.floor(ms / size)}${unit}`;
}

/** Returns the reason why an action is delayed beyond its due time. */
function delayReason(next: OpenRecord["next"]): string {
  if (next?.isHeld) return " (on hold; release it with `tollgate job release`)";
  if (next?.isStarved) return " (parked for more than an hour without a free slot)";
  if (!next?.unavailable) return "";
  const { connector, reason } = next.unavailable;
  return reason === "silent"
    ? ` (the provider ${connector} does not respond)`
    : ` (there is no connector ${connector})`;
}
