import type { Evidence } from "./evidence.ts";
import type { History } from "./history.ts";
import type { Truth } from "./truth.ts";

/** What must never be: each is one of the promises, broken for one record. */
export interface Finding {
  readonly kind: "lost" | "doubled" | "unbalanced" | "stuck" | "broken";
  /** What was found, for people. */
  readonly what: string;
  /** The ids of what it is about. */
  readonly ids: readonly string[];
}

/** Everything that is judged. */
export interface Case {
  readonly history: History;
  readonly evidence: Evidence;
  readonly truth: Truth;
  /** Processes that ended although nobody had killed them. */
  readonly ownEndings: readonly string[];
  readonly suspiciousLines: readonly string[];
  /** When the history's clock began, in epoch milliseconds. */
  readonly startedAtEpochMs?: number;
}

export function finding(kind: Finding["kind"], what: string, ...ids: readonly string[]): Finding {
  return { kind, what, ids: ids.filter(Boolean) };
}
