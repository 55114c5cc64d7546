import { setTimeout as wait } from "node:timers/promises";

/** The default time limit: longer than most operations in the sandbox take. */
const defaultPatienceMs = 20_000;
/** The time limit for the test clock: a clock that is advanced by a year stops at each due action. */
export const clockPatienceMs = 180_000;

/** Polls until the response is as expected or the time limit is reached. Returns the last response in both cases. */
export async function repeatUntil<Result>(
  sendRequest: () => Promise<Result>,
  isDone: (came: Result) => boolean,
  patienceMs = defaultPatienceMs,
): Promise<Result> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const result = await sendRequest();
    if (isDone(result) || performance.now() > deadlineMs) return result;
    await wait(100);
  }
}
