import { actionOf, isStuck, ownerOf, type OpenRecord } from "../open-records/open-record.ts";
import { listOpen } from "../open-records/open-record.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import { asOwner } from "./as-owner.ts";
import { align } from "./table.ts";

/** All records that are not final, as a table for the terminal, and how many no job will come back to. */
export interface Stuck {
  readonly table: string;
  readonly stuckCount: number;
}

export async function showStuck(url: string, environment: Environment): Promise<Stuck> {
  const records = await asOwner(url, environment, systemScope, listOpen);
  const now = new Date();
  const stuckCount = records.filter((record) => isStuck(record, now)).length;
  const head = ["", "kind", "client", "id", "status", "since", "owner", "next", "attempts", "next action"];
  const rows = records.map((record) => rowOf(record, now));
  const summary = `${records.length} not final, ${stuckCount} of them stuck.`;
  return { table: records.length === 0 ? summary : `${align([head, ...rows])}\n${summary}`, stuckCount };
}

function rowOf(record: OpenRecord, now: Date): string[] {
  const { kind, clientId, id, status, since, next } = record;
  return [
    isStuck(record, now) ? "STUCK" : "",
    kind,
    clientId,
    id,
    status,
    since.toISOString().slice(0, 19),
    ownerOf(record),
    next ? (next.at?.toISOString().slice(0, 19) ?? "in its turn") : "never",
    String(next?.attempts ?? 0),
    `${actionOf(record)}${whyNot(next)}`,
  ];
}

/** Why it waits, when that is not its due time. */
function whyNot(next: OpenRecord["next"]): string {
  if (next?.isForgotten) return " (parked, and nobody has come for an hour)";
  if (!next?.missing) return "";
  const { connector, why } = next.missing;
  return why === "silent"
    ? ` (wallet ${connector} does not answer)`
    : ` (there is no connector ${connector})`;
}
