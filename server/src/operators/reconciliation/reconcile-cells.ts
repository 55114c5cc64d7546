import { listClearingPostings } from "../../bank/bank-pairing.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { listOwnPayments } from "../../reconciliation/cell.sql.ts";
import { queryAsOwner } from "../../operator-session/owner-session.ts";
import type { CellOperators } from "../cells/cell-operators.ts";
import {
  reconcile,
  reconciliationJson,
  reconciliationTable,
  type ReconciliationResult,
  type ReconciliationRequest,
  type OtherCells,
} from "../../reconciliation/reconcile.workflow.ts";
import {
  importSettlementFile,
  type ImportedFile,
} from "../../reconciliation/import-settlement-file.workflow.ts";

/** Timeout for reading all postings of a cell to the account `clearing`. */
const statementTimeoutMs = 10 * 60 * 1000;

interface CellsResult {
  readonly json: object;
  readonly text: string;
}

/**
 * `importFileInAllCells` imports the whole file into each cell, because a provider knows one partner and its file has the
 * movements of all cells.
 */
export async function importFileInAllCells(
  { operators }: CellOperators,
  file: { readonly connector: string; readonly file: string },
): Promise<CellsResult> {
  const results: [string, ImportedFile][] = [];
  for (const [cell, operator] of operators) results.push([cell, await importSettlementFile(operator, file)]);
  return {
    json: { cells: Object.fromEntries(results) },
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
  request: ReconciliationRequest,
): Promise<CellsResult & { readonly breakCount: number }> {
  const readFromCells = async <Row>(
    otherCells: CellOperators["operators"],
    read: (tx: Tx) => Promise<readonly Row[]>,
  ): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const { url, environment } of otherCells.values())
      rows.push(...(await queryAsOwner(url, environment, systemScope, read, { statementTimeoutMs })));
    return rows;
  };
  const results: [string, ReconciliationResult][] = [];
  for (const [cell, operator] of operators) {
    const otherCells = new Map([...operators].filter(([name]) => name !== cell));
    const reads: OtherCells = {
      findPayments: (ids) => readFromCells(otherCells, (tx) => listOwnPayments(tx, ids)),
      listClearing: () => readFromCells(otherCells, listClearingPostings),
    };
    results.push([cell, await reconcile(operator, request, reads)]);
  }
  const breakCount = results.reduce((sum, [, { breaks }]) => sum + breaks.length, 0);
  return {
    json: {
      breakCount,
      cells: Object.fromEntries(results.map(([cell, matched]) => [cell, reconciliationJson(matched)])),
    },
    text: [
      ...results.map(([cell, matched]) => `${cell}\n${reconciliationTable(matched)}`),
      `All cells: ${breakCount} breaks.`,
    ].join("\n\n"),
    breakCount,
  };
}
