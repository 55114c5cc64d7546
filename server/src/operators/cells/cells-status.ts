import { countMerchants, type CellCounts } from "../../cells/fleet.sql.ts";
import { findCell, listOwnBuckets } from "../../cells/home.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { asOwner, type Operator } from "../../operator-session/as-owner.ts";
import type { CellOperators } from "./cell-operators.ts";
import { bucketsText } from "./cell.ts";
import { align } from "../../formats/text-table.ts";

/** Status of one cell of a fleet. */
export interface CellStatus {
  readonly cell: string;
  readonly region: string | undefined;
  readonly url: string;
  /** Buckets that the cell owns according to its own database. */
  readonly buckets: string | undefined;
  /** Whether the cell accepts requests. */
  readonly health: "ready" | "not ready" | "silent";
  readonly version: string | undefined;
  readonly counts: CellCounts | undefined;
  /** Number of forwarded requests, from the process at the directory's `operators` address. */
  readonly forwarded: number | undefined;
  /** Problems of the cell: no response from its database, or a database that belongs to another cell. */
  readonly problems: readonly string[];
}

const timeoutMs = 3_000;

/** Queries all cells of the directory in parallel. A cell that does not respond does not delay the others' results. */
export async function statusOfCells({ directory, operators }: CellOperators): Promise<readonly CellStatus[]> {
  return Promise.all(
    [...directory.cells].map(async ([cell, { url, region, operators: operatorsUrl }]) => {
      const operator = operators.get(cell);
      const listed = bucketsOf(directory.buckets, cell);
      const [answer, books, metrics] = await Promise.all([
        ask(`${operatorsUrl ?? url}/readyz`),
        operator && readBooks(operator).catch((error: Error) => error),
        operatorsUrl === undefined ? undefined : ask(`${operatorsUrl}/metrics`),
      ]);
      const found = books instanceof Error ? undefined : books;
      return {
        cell,
        region,
        url,
        buckets: found?.buckets ?? listed,
        health: answer === undefined ? "silent" : answer.isWell ? "ready" : "not ready",
        version: versionIn(answer?.text),
        counts: found?.counts,
        forwarded: metrics && forwardedIn(metrics.text),
        problems: [
          books instanceof Error && `its database does not respond: ${books.message}`,
          found &&
            found.cell !== cell &&
            `its database belongs to ${found.cell === undefined ? "no cell" : `cell ${found.cell}`}`,
          found && found.buckets !== listed && `the directory lists ${listed || "no buckets"} for it`,
        ].filter((problem) => typeof problem === "string"),
      } satisfies CellStatus;
    }),
  );
}

interface Books {
  readonly cell: string | undefined;
  readonly buckets: string;
  readonly counts: CellCounts;
}

async function readBooks({ url, environment }: Operator): Promise<Books> {
  return asOwner(url, environment, systemScope, async (tx) => ({
    cell: await findCell(tx),
    buckets: bucketsText(await listOwnBuckets(tx)),
    counts: await countMerchants(tx),
  }));
}

function bucketsOf(owners: readonly string[], cell: string): string {
  return bucketsText([...owners.entries()].filter(([, owner]) => owner === cell).map(([bucket]) => bucket));
}

interface Answer {
  readonly isWell: boolean;
  readonly text: string;
}

async function ask(url: string): Promise<Answer | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    return { isWell: answer.ok, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** The cell's version, as its operators' port or, in the sandbox, its merchants' port reports it. */
function versionIn(text: string | undefined): string | undefined {
  return /"version":"([^"]+)"/.exec(text ?? "")?.[1];
}

function forwardedIn(metrics: string): number {
  const lines = metrics.matchAll(/^tollgate_forwarded_total\{[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

export function statusTable(statuses: readonly CellStatus[]): string {
  const head = ["cell", "region", "health", "version", "buckets", "merchants", "arrived", "gone", "moving"];
  const rows = statuses.map(({ cell, region, health, version, buckets, counts, forwarded }) => [
    cell,
    region ?? "-",
    health,
    version ?? "-",
    buckets || "none",
    ...[counts?.merchants, counts?.arrived, counts?.gone, counts?.moving, forwarded].map((count) =>
      String(count ?? "-"),
    ),
  ]);
  const problems = statuses.flatMap(({ cell, problems: found }) => found.map((what) => `${cell}: ${what}`));
  return [align([[...head, "forwarded"], ...rows]), ...problems].join("\n");
}
