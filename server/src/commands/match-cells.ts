import { listClearing } from "../bank/bank-match.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { listOwnPayments } from "../reconciliation/cell.sql.ts";
import { asOwner } from "./as-owner.ts";
import type { CellOperators } from "./cell-operators.ts";
import { match, matchJson, matchTable, type Match, type MatchAsked, type OtherCells } from "./match.ts";
import { importSettlement, type ImportedFile } from "./settlement.ts";

/** Timeout for reading all postings to clearing of a cell. */
const statementTimeoutMs = 10 * 60 * 1000;

interface Told {
  readonly told: object;
  readonly text: string;
}

/** A wallet knows one partner, and its file has the movements of all cells: each takes in all of it. */
export async function importInAllCells(
  { operators }: CellOperators,
  file: { readonly connector: string; readonly file: string },
): Promise<Told> {
  const results: [string, ImportedFile][] = [];
  for (const [cell, operator] of operators) results.push([cell, await importSettlement(operator, file)]);
  return {
    told: { cells: Object.fromEntries(results) },
    text: results
      .map(([cell, { rowCount, imported }]) => `${cell}: ${rowCount} rows, ${imported?.newCount ?? 0} new`)
      .join("\n"),
  };
}

/**
 * Reconciliation of the fleet: each cell compares what lives in it. What the owner of a bucket does not know it asks the others for,
 * because merchants that have moved sell elsewhere; what nobody knows stays a break, once. The cell that keeps the house account compares
 * the payouts of all cells with the bank's statements.
 */
export async function matchAllCells(
  { operators }: Pick<CellOperators, "operators">,
  asked: MatchAsked,
): Promise<Told & { readonly breakCount: number }> {
  const readIn = async <Row>(
    others: CellOperators["operators"],
    read: (tx: Tx) => Promise<readonly Row[]>,
  ): Promise<Row[]> => {
    const found: Row[] = [];
    for (const { url, environment } of others.values())
      found.push(...(await asOwner(url, environment, systemScope, read, { statementTimeoutMs })));
    return found;
  };
  const matches: [string, Match][] = [];
  for (const [cell, operator] of operators) {
    const others = new Map([...operators].filter(([name]) => name !== cell));
    const reads: OtherCells = {
      findPayments: (ids) => readIn(others, (tx) => listOwnPayments(tx, ids)),
      listClearing: () => readIn(others, listClearing),
    };
    matches.push([cell, await match(operator, asked, reads)]);
  }
  const breakCount = matches.reduce((sum, [, { breaks }]) => sum + breaks.length, 0);
  return {
    told: {
      breakCount,
      cells: Object.fromEntries(matches.map(([cell, matched]) => [cell, matchJson(matched)])),
    },
    text: [
      ...matches.map(([cell, matched]) => `${cell}\n${matchTable(matched)}`),
      `All cells: ${breakCount} breaks.`,
    ].join("\n\n"),
    breakCount,
  };
}
