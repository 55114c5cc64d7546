import { actionOf, isStuck, ownerOf, type OpenRecord, type Owner } from "../../open-records/open-record.ts";
import { listOpen, listOpenByJobs } from "../../open-records/open-record.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import { asOwner } from "../../operator-session/as-owner.ts";
import { align } from "../../formats/text-table.ts";

/** All open records, and how many of them are stuck (no job is scheduled). */
export interface Stuck {
  readonly records: readonly ShownRecord[];
  readonly stuckCount: number;
  /** The open records as a table for the terminal. */
  readonly table: string;
}

export interface ShownRecord extends OpenRecord {
  readonly isStuck: boolean;
  /** The party that must act next. */
  readonly owner: Owner;
  readonly action: string;
}

/** Timeout of the sequential scan with `--whole`. */
const statementTimeoutMs = 10 * 60 * 1000;

export async function showStuck(url: string, environment: Environment, isWhole = false): Promise<Stuck> {
  const list = isWhole ? listOpen : listOpenByJobs;
  const options = { statementTimeoutMs, readsWholeTables: isWhole };
  const open = await asOwner(url, environment, systemScope, list, options);
  const now = new Date();
  const records = open.map((record) => ({
    ...record,
    isStuck: isStuck(record, now),
    owner: ownerOf(record),
    action: `${actionOf(record)}${whyNot(record.next)}`,
  }));
  const stuckCount = records.filter((record) => record.isStuck).length;
  return { records, stuckCount, table: tableOf(records, stuckCount, now) };
}

/** Formats the table. Stuck records come first. Records with the same next action are grouped under one sentence. */
function tableOf(records: readonly ShownRecord[], stuckCount: number, now: Date): string {
  const summary = `${records.length} open records, ${stuckCount} of them stuck.`;
  if (records.length === 0) return summary;
  const ordered = [...records].sort((a, b) => Number(b.isStuck) - Number(a.isStuck));
  const [heads = "", ...rows] = align([head, ...ordered.map((record) => rowOf(record, now))]).split("\n");
  const lines = ordered.map((record, index) => ({ title: titleOf(record), row: rows[index] ?? "" }));
  const groups = Map.groupBy(lines, ({ title }) => title);
  const parts = [...groups].map(([title, members]) => [title, ...members.map(({ row }) => row)].join("\n"));
  return [heads, ...parts, summary].join("\n\n");
}

function titleOf({ owner, action }: ShownRecord): string {
  return `Next: ${owner}. ${action}`;
}

const head = ["", "kind", "id", "client", "status", "since", "next", "tries"];

function rowOf(record: ShownRecord, now: Date): string[] {
  const { kind, clientId, id, status, since, next } = record;
  return [
    record.isStuck ? "STUCK" : "",
    kind,
    id,
    clientId,
    status,
    ageOf(now.getTime() - since.getTime()),
    next ? dueIn(next, now) : "never",
    String(next?.attempts ?? 0),
  ];
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
function whyNot(next: OpenRecord["next"]): string {
  if (next?.isHeld) return " (on hold; release it with `tollgate job release`)";
  if (next?.isForgotten) return " (parked for more than an hour without a free slot)";
  if (!next?.missing) return "";
  const { connector, why } = next.missing;
  return why === "silent"
    ? ` (the provider ${connector} does not respond)`
    : ` (there is no connector ${connector})`;
}
