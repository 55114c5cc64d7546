import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Burst, BurstOrder, LoadPlan } from "./load-generator.ts";

export interface Load {
  /** Sends in a closed loop, as fast as responses arrive; returns their number. */
  send(order: BurstOrder): Promise<Burst>;
  stop(): void;
}

export async function startLoad(plan: LoadPlan): Promise<Load> {
  const generator = fork(fileURLToPath(new URL("load-generator.ts", import.meta.url)));
  const sendCommand = async <Message>(message: LoadPlan | BurstOrder): Promise<Message> =>
    new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error("The load generator exited early."));
      generator.once("exit", onExit);
      generator.once("message", (answer) => {
        generator.off("exit", onExit);
        resolve(answer as Message);
      });
      generator.send(message);
    });
  await sendCommand<"ready">(plan);
  return { send: (order) => sendCommand<Burst>(order), stop: () => generator.disconnect() };
}
