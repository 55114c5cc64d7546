import { FileProblem } from "../../core/file-problem.ts";
import { newSettlementReader, type SettlementRow } from "../../reconciliation/settlement-row.ts";

/** `readSettlementFile` reads the text of a settlement file as `settlement import` does, or returns its first mistake. */
export function readSettlementFile(text: string): readonly SettlementRow[] | FileProblem {
  const reader = newSettlementReader();
  try {
    return [...reader.read(text), ...reader.end()];
  } catch (error) {
    if (error instanceof FileProblem) return error;
    throw error;
  }
}
