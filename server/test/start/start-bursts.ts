import { fork } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import type { Burst, BurstPlan } from "./burst-caller.ts";

/** Starts clients in a separate process; returns a function that sends `count` requests at once. */
export async function startBursts(plan: BurstPlan): Promise<(count: number) => Promise<Burst>> {
  const child = fork(fileURLToPath(new URL("burst-caller.ts", import.meta.url)));
  after(() => child.kill());
  const ended = once(child, "exit").then(() => {
    throw new Error("The client process exited early.");
  });
  ended.catch(() => undefined);
  const exchange = async (message: BurstPlan | number): Promise<unknown> => {
    const received = once(child, "message");
    child.send(message);
    const [answer] = (await Promise.race([received, ended])) as [unknown];
    return answer;
  };
  await exchange(plan);
  return async (count) => (await exchange(count)) as Burst;
}
