import assert from "node:assert/strict";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A node of a plan as PostgreSQL writes it (`explain (analyze, buffers, format json)`). */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Recheck Cond"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that a login ran, with its plan. */
export interface RecordedStatement {
  readonly login: string;
  readonly text: string;
  readonly plan: PlanNode;
}

/** The plans that PostgreSQL has logged (auto_explain). */
export interface PlanRecorder {
  /** PostgreSQL settings with which the server must start. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * Returns the statements that were logged since the last call. `mark` runs a marker statement, and `read` waits until
   * it is in the log.
   */
  read(mark: (marker: string) => Promise<unknown>): Promise<readonly RecordedStatement[]>;
  remove(): Promise<void>;
}

/**
 * `newPlanRecorder` records nothing until `auto_explain.log_min_duration` is 0, so that the database is filled at full
 * speed.
 */
export async function newPlanRecorder(): Promise<PlanRecorder> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-plans-"));
  // The server runs as another user.
  await chmod(folder, 0o777);
  let offset = 0;
  let marks = 0;
  const newLines = (): readonly string[] => {
    const { text, end } = readFrom(join(folder, "plans.json"), offset);
    offset = end;
    return text.split("\n").filter(Boolean);
  };
  return {
    settings: {
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "-1",
      "auto_explain.log_analyze": "on",
      "auto_explain.log_timing": "off",
      "auto_explain.log_buffers": "on",
      "auto_explain.log_nested_statements": "on",
      "auto_explain.log_format": "json",
      logging_collector: "on",
      log_destination: "jsonlog",
      log_directory: folder,
      log_filename: "plans",
      log_file_mode: "0644",
      log_rotation_age: "0",
      log_rotation_size: "0",
    },
    async read(mark) {
      marks += 1;
      const marker = `mark ${marks}`;
      await mark(marker);
      const lines = [...newLines()];
      while (!lines.some((line) => line.includes(marker))) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        lines.push(...newLines());
      }
      return lines.flatMap(toStatement).filter(({ text }) => !text.includes(marker));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Reads complete lines from a byte offset on. */
function readFrom(file: string, offset: number): { readonly text: string; readonly end: number } {
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    readSync(handle, bytes, 0, bytes.length, offset);
    const length = bytes.lastIndexOf("\n") + 1;
    return { text: bytes.subarray(0, length).toString("utf8"), end: offset + length };
  } finally {
    closeSync(handle);
  }
}

function toStatement(line: string): readonly RecordedStatement[] {
  const { user = "", message = "" } = JSON.parse(line) as { user?: string; message?: string };
  const [, json] = /^duration: \S+ ms {2}plan:\n(.*)$/s.exec(message) ?? [];
  if (json === undefined) return [];
  const logged = JSON.parse(json) as { readonly "Query Text": string; readonly Plan: PlanNode };
  return [{ login: user, text: logged["Query Text"].replaceAll(/\s+/g, " ").trim(), plan: logged.Plan }];
}

/** Pages that a statement may read: for its start, and for each row that it returns or changes. */
const [pagesAtStart, pagesEachRow] = [400, 60];
/** A scan of fewer pages is always small enough. */
const smallScanPages = 50;

/**
 * Why a statement does not scale with its result; undefined when it does. `large` is the set of large tables. A
 * function call is judged by the statements in the function, which are recorded as well.
 */
export function unboundedReason({ plan }: RecordedStatement, large: ReadonlySet<string>): string | undefined {
  const nodes = nodesOf(plan);
  if (nodes.every((node) => node["Relation Name"] === undefined)) return undefined;
  const results = plan["Node Type"] === "ModifyTable" ? [plan, ...(plan.Plans ?? [])] : [plan];
  const rows = Math.max(...results.map((node) => node["Actual Rows"] * node["Actual Loops"]), 1);
  const pages = pagesOf(plan);
  if (pages > pagesAtStart + pagesEachRow * rows)
    return `${pages} pages for ${rows} rows, most in ${describeNode(mostPages(nodes))}`;
  const scan = nodes.find((node) => isUnboundScan(node, large));
  return scan && describeNode(scan);
}

function mostPages(nodes: readonly PlanNode[]): PlanNode {
  const scans = nodes.filter(
    (node) => node["Relation Name"] !== undefined && node["Node Type"].endsWith("Scan"),
  );
  const [most] = scans.toSorted((one, other) => pagesOf(other) - pagesOf(one));
  return most ?? nodes[0] ?? assert.fail();
}

function pagesOf(node: PlanNode): number {
  return node["Shared Hit Blocks"] + node["Shared Read Blocks"];
}

function describeNode(node: PlanNode): string {
  const index = node["Index Name"] === undefined ? "" : ` using ${node["Index Name"]}`;
  return `${node["Node Type"]}${index} on ${node["Relation Name"]} by ${node["Index Cond"] ?? "no condition"} (${pagesOf(node)} pages)`;
}

function isUnboundScan(node: PlanNode, large: ReadonlySet<string>): boolean {
  const isScan = /^(?:Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node["Node Type"]);
  if (!isScan || !large.has(node["Relation Name"] ?? "") || pagesOf(node) < smallScanPages) return false;
  const condition = node["Index Cond"] ?? node["Recheck Cond"] ?? "";
  return /^\(*(?:bucket = [^()]*\)*)?$/.test(condition);
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
