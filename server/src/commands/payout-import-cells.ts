import type { Operator } from "./as-owner.ts";
import { findUnknownIn, importBankWords, refuseUnknown, type ImportedWords } from "./payout-import.ts";

/**
 * `importBankWordsInAllCells` imports a bank's report into every cell of a fleet. Each cell imports its own payouts. A reference that no
 * cell has is refused before the first cell imports anything.
 */
export async function importBankWordsInAllCells(
  operators: ReadonlyMap<string, Operator>,
  path: string,
): Promise<ReadonlyMap<string, ImportedWords>> {
  refuseUnknown(await findUnknownIn([...operators.values()], path));
  const imported = new Map<string, ImportedWords>();
  for (const [cell, operator] of operators) imported.set(cell, await importBankWords(operator, path));
  return imported;
}

export function importedText({ kind, ...counts }: ImportedWords): string {
  const contradictions = counts.contradictions.map(
    ({ clientId, payoutId, problem }) =>
      `CONTRADICTION payout ${payoutId}${clientId === undefined ? "" : ` of ${clientId}`} ${problem}`,
  );
  return [
    `${kind}: ${counts.paidCount} paid, ${counts.failedCount} failed, ${counts.returnedCount} returned; ` +
      `${counts.knownCount} known before, ${counts.notedCount} only noted, ${counts.duplicateCount} rejected as duplicates, ` +
      `${counts.foreignCount} not ours` +
      (counts.otherCellCount > 0 ? `, ${counts.otherCellCount} of other cells` : ""),
    ...contradictions,
  ].join("\n");
}
