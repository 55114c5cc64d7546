import { fork } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import type { Burst, BurstPlan } from "./burst-caller.ts";

/** Callers in a process of their own; gives a function by which so many of them call at once. */
export async function startBursts(plan: BurstPlan): Promise<(count: number) => Promise<Burst>> {
  const child = fork(fileURLToPath(new URL("burst-caller.ts", import.meta.url)));
  after(() => child.kill());
  const ended = once(child, "exit").then(() => {
    throw new Error("The callers gave up.");
  });
  ended.catch(() => undefined);
  const told = async (message: BurstPlan | number): Promise<unknown> => {
    const heard = once(child, "message");
    child.send(message);
    const [answer] = (await Promise.race([heard, ended])) as [unknown];
    return answer;
  };
  await told(plan);
  return async (count) => (await told(count)) as Burst;
}
