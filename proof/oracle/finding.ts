import type { Evidence } from "./evidence.ts";
import type { History } from "./history.ts";
import type { Truth } from "./truth.ts";

/** A violated invariant, for one record. */
export interface Finding {
  readonly kind: "lost" | "doubled" | "unbalanced" | "stuck" | "broken";
  /** Description, for people. */
  readonly what: string;
  /** The ids of the records concerned. */
  readonly ids: readonly string[];
}

/** The input of the oracle. */
export interface Case {
  readonly history: History;
  readonly evidence: Evidence;
  readonly truth: Truth;
  /** Processes that exited without being killed. */
  readonly ownEndings: readonly string[];
  readonly suspiciousLines: readonly string[];
  /** Start of the history's clock, in epoch milliseconds. */
  readonly startedAtEpochMs?: number;
}

export function finding(kind: Finding["kind"], what: string, ...ids: readonly string[]): Finding {
  return { kind, what, ids: ids.filter(Boolean) };
}
