import type { Operator } from "../../operator-session/owner-session.ts";
import {
  findUnknownReferences,
  importBankReports,
  rejectUnknownReferences,
  type ImportedReports,
} from "../../settlement/payouts/import-bank-reports.workflow.ts";

/**
 * `importBankReportsInAllCells` imports a bank's report into all cells of a fleet. Each cell imports its own payouts.
 * If no cell has a reference, the report is rejected before the first import.
 */
export async function importBankReportsInAllCells(
  operators: ReadonlyMap<string, Operator>,
  path: string,
): Promise<ReadonlyMap<string, ImportedReports>> {
  rejectUnknownReferences(await findUnknownReferences([...operators.values()], path));
  const reportsByCell = new Map<string, ImportedReports>();
  for (const [cell, operator] of operators) reportsByCell.set(cell, await importBankReports(operator, path));
  return reportsByCell;
}

export function bankReportText({ kind, ...counts }: ImportedReports): string {
  const contradictions = counts.contradictions.map(
    ({ clientId, payoutId, problem }) =>
      `CONTRADICTION payout ${payoutId}${clientId === undefined ? "" : ` of ${clientId}`} ${problem}`,
  );
  return [
    `${kind}: ${counts.paidCount} paid, ${counts.failedCount} failed, ${counts.returnedCount} returned; ` +
      `${counts.knownCount} already known, ${counts.notedCount} recorded only, ${counts.duplicateCount} ` +
      `rejected as duplicates, ${counts.foreignCount} not ours` +
      (counts.otherCellCount > 0 ? `, ${counts.otherCellCount} of other cells` : ""),
    ...contradictions,
  ].join("\n");
}
