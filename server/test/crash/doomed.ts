import type { CrashPoint } from "../../src/core/crash-point.ts";
import { eventually } from "../start/test-process.ts";
import type { Served } from "../start/test-stack.ts";

/** Where a process can die between the claim of a call and its answer. */
export const claimToAnswer: readonly CrashPoint[] = [
  "before-claim",
  "after-claim-commit",
  "before-wallet-call",
  "after-wallet-call",
  "before-outcome-commit",
  "after-outcome-commit",
  "before-answer",
];
/**
 * Calls a process that is about to die; whether its answer still got out does not matter. A process that has
 * too much to do may turn the first call away, so it is asked until it is dead.
 */
export async function callDoomed(doomed: Served, ask: (url: string) => Promise<unknown>): Promise<void> {
  await eventually(
    20_000,
    async () => {
      const answer = await ask(doomed.url).catch(String);
      return { signal: doomed.process.child.signalCode, answer };
    },
    ({ signal }) => signal === "SIGKILL",
  );
}
