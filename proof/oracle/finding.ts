import type { DatabaseState } from "./database-state.ts";
import type { History } from "./history.ts";
import type { ProviderJournal } from "./provider-journal.ts";

/** A violated invariant, for one record. */
export interface Finding {
  readonly kind: "lost" | "doubled" | "unbalanced" | "stuck" | "broken";
  /** Description, for people. */
  readonly description: string;
  /** The ids of the records concerned. */
  readonly ids: readonly string[];
}

/** The input of the oracle. */
export interface OracleInput {
  readonly history: History;
  readonly databaseState: DatabaseState;
  readonly journal: ProviderJournal;
  /** Processes that exited without being killed. */
  readonly unexpectedExits: readonly string[];
  readonly suspiciousLines: readonly string[];
  /** Log lines that alert an operator; undefined if the caller does not collect them. */
  readonly alerts?: readonly string[];
  /** Start of the history's clock, in epoch milliseconds. */
  readonly startedAtEpochMs?: number;
}

export function newFinding(kind: Finding["kind"], description: string, ...ids: readonly string[]): Finding {
  return { kind, description, ids: ids.filter(Boolean) };
}
