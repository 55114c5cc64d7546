import { countMerchants, type CellCounts } from "../../cells/fleet.sql.ts";
import { findCell, listOwnBuckets } from "../../cells/home.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import type { CellOperators } from "./cell-operators.ts";
import { formatBuckets } from "./manage-cell.ts";
import { formatTextTable } from "../../formats/text-table.ts";

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
export async function findCellStatuses({
  directory,
  operators,
}: CellOperators): Promise<readonly CellStatus[]> {
  return Promise.all(
    [...directory.cells].map(async ([cell, { url, region, operators: operatorsUrl }]) => {
      const operator = operators.get(cell);
      const listedBuckets = bucketsOwnedBy(directory.buckets, cell);
      const [healthReply, cellData, metrics] = await Promise.all([
        fetchText(`${operatorsUrl ?? url}/readyz`),
        operator && readCellData(operator).catch((error: Error) => error),
        operatorsUrl === undefined ? undefined : fetchText(`${operatorsUrl}/metrics`),
      ]);
      const ownData = cellData instanceof Error ? undefined : cellData;
      return {
        cell,
        region,
        url,
        buckets: ownData?.buckets ?? listedBuckets,
        health: healthReply === undefined ? "silent" : healthReply.isWell ? "ready" : "not ready",
        version: parseVersion(healthReply?.text),
        counts: ownData?.counts,
        forwarded: metrics && sumForwarded(metrics.text),
        problems: [
          cellData instanceof Error && `its database does not respond: ${cellData.message}`,
          ownData &&
            ownData.cell !== cell &&
            `its database belongs to ${ownData.cell === undefined ? "no cell" : `cell ${ownData.cell}`}`,
          ownData &&
            ownData.buckets !== listedBuckets &&
            `the directory lists ${listedBuckets || "no buckets"} for it`,
        ].filter((problem) => typeof problem === "string"),
      } satisfies CellStatus;
    }),
  );
}

interface CellData {
  readonly cell: string | undefined;
  readonly buckets: string;
  readonly counts: CellCounts;
}

async function readCellData({ url, environment }: Operator): Promise<CellData> {
  return queryAsOwner(url, environment, systemScope, async (tx) => ({
    cell: await findCell(tx),
    buckets: formatBuckets(await listOwnBuckets(tx)),
    counts: await countMerchants(tx),
  }));
}

function bucketsOwnedBy(owners: readonly string[], cell: string): string {
  return formatBuckets([...owners.entries()].filter(([, owner]) => owner === cell).map(([bucket]) => bucket));
}

interface HttpReply {
  readonly isWell: boolean;
  readonly text: string;
}

async function fetchText(url: string): Promise<HttpReply | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    return { isWell: response.ok, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** The cell's version, as its operators' port or, in the sandbox, its merchants' port reports it. */
function parseVersion(text: string | undefined): string | undefined {
  return /"version":"([^"]+)"/.exec(text ?? "")?.[1];
}

function sumForwarded(metrics: string): number {
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
  const problems = statuses.flatMap(({ cell, problems: found }) =>
    found.map((problem) => `${cell}: ${problem}`),
  );
  return [formatTextTable([[...head, "forwarded"], ...rows]), ...problems].join("\n");
}
