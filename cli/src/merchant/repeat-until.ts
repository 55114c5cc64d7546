import { setTimeout as wait } from "node:timers/promises";

/** Longer than most operations in the sandbox take. */
const patienceUsualMs = 20_000;
/** A clock that is advanced by a year stops at each due action, which takes longer. */
export const clockPatienceMs = 180_000;

/** Polls until the response is as expected, and returns the last response in any case. */
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
