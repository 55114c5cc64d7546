import { listClearing } from "../../bank/bank-pairing.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { listOwnPayments } from "../../reconciliation/cell.sql.ts";
import { asOwner } from "../../operator-session/as-owner.ts";
import type { CellOperators } from "../cells/cell-operators.ts";
import {
  match,
  reconciliationJson,
  reconciliationTable,
  type Match,
  type ReconciliationRequest,
  type OtherCells,
} from "../../reconciliation/reconcile.workflow.ts";
import { importSettlement, type ImportedFile } from "../../reconciliation/import-settlement-file.workflow.ts";

/** Timeout for reading all postings of a cell to the account `clearing`. */
const statementTimeoutMs = 10 * 60 * 1000;

interface Told {
  readonly told: object;
  readonly text: string;
}

/**
 * `importInAllCells` imports the whole file into each cell, because a provider knows one partner and its file has the
 * movements of all cells.
 */
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
 * `reconcileAllCells` reconciles the fleet. Each cell compares its own merchants. For unknown records in its buckets,
 * it queries the other cells, because merchants that moved sell in other cells; a record that no cell knows is reported
 * once. The cell with the house account compares all cells' payouts with the bank statements.
 */
export async function reconcileAllCells(
  { operators }: Pick<CellOperators, "operators">,
  asked: ReconciliationRequest,
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
      cells: Object.fromEntries(matches.map(([cell, matched]) => [cell, reconciliationJson(matched)])),
    },
    text: [
      ...matches.map(([cell, matched]) => `${cell}\n${reconciliationTable(matched)}`),
      `All cells: ${breakCount} breaks.`,
    ].join("\n\n"),
    breakCount,
  };
}
