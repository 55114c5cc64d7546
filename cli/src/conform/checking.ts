import type { Group, Verdict } from "./case.ts";

/** What is about to be checked: its cases, and the world that they run in. */
export interface Checking<World> {
  /** Who is checked, and as whom; the first line of the report. */
  readonly about: string;
  readonly groups: readonly Group<World>[];
  readonly world: World;
  /** What follows from the verdicts beyond themselves: lines for people, and the same for programs. */
  readonly conclude?: (verdicts: readonly Verdict[]) => Conclusion;
  stop(): Promise<void>;
}

export interface Conclusion {
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}
