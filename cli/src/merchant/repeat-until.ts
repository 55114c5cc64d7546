import { setTimeout as wait } from "node:timers/promises";

/** The default time limit: longer than most operations in the sandbox take. */
const patienceUsualMs = 20_000;
/** The time limit for the test clock: a clock that is advanced by a year stops at each due action. */
export const clockPatienceMs = 180_000;

/** Polls until the response is as expected or the time limit is reached. Returns the last response in both cases. */
export async function repeatUntil<Came>(
  ask: () => Promise<Came>,
  isSo: (came: Came) => boolean,
  patienceMs = patienceUsualMs,
): Promise<Came> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const came = await ask();
    if (isSo(came) || performance.now() > untilMs) return came;
    await wait(100);
  }
}
