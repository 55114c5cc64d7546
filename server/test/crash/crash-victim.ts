import type { CrashPoint } from "../../src/core/crash-point.ts";
import { eventually } from "../start/test-process.ts";
import type { ServedGateway } from "../start/test-stack.ts";

/** Crash points between the claim of a request and its response. */
export const requestCrashPoints: readonly CrashPoint[] = [
  "before-claim",
  "after-claim-commit",
  "before-provider-call",
  "after-provider-call",
  "before-outcome-commit",
  "after-outcome-commit",
  "before-answer",
];
/**
 * Sends a request to a process that is about to crash; whether the response still arrives does not matter. An
 * overloaded process may reject the first request, so it is retried until the process is dead.
 */
export async function callUntilCrashed(
  victim: ServedGateway,
  ask: (url: string) => Promise<unknown>,
): Promise<void> {
  await eventually(
    20_000,
    async () => {
      const answer = await ask(victim.url).catch(String);
      return { signal: victim.process.child.signalCode, answer };
    },
    ({ signal }) => signal === "SIGKILL",
  );
}
