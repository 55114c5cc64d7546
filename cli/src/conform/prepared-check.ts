import type { CaseGroup, Verdict } from "./conformance-case.ts";

/** A prepared check: its cases and the objects that they use. */
export interface PreparedCheck<Context> {
  /** The checked system and the identity that the check uses; the first line of the report. */
  readonly about: string;
  readonly groups: readonly CaseGroup<Context>[];
  readonly context: Context;
  /** Additional conclusions from the verdicts: as lines for people, and as JSON for programs. */
  readonly conclude?: (verdicts: readonly Verdict[]) => Conclusion;
  stop(): Promise<void>;
}

export interface Conclusion {
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}
