import { setTimeout as wait } from "node:timers/promises";

/** Longer than most things in the sandbox take. */
const patienceUsualMs = 20_000;
/** A clock that is moved by a year stops wherever something is due. */
export const clockPatienceMs = 180_000;

/** Asks again and again (polling). Gives what came at last, even if it is not as it should be. */
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
