import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startTemporaryPostgres } from "../server/src/postgres/temporary-postgres.ts";
import type { LimitRound } from "./report.ts";

export interface Limit {
  round(payments: number): Promise<LimitRound>;
  stop(): Promise<void>;
}

/** Starts the limit as a separate process, on a separate PostgreSQL, so that no other housekeeping counts. */
export async function startLimit(): Promise<Limit> {
  const postgres = await startTemporaryPostgres({ durable: true });
  const words = ["--url", postgres.url("postgres"), "--pid", String(postgres.pid)];
  const limit = fork(fileURLToPath(new URL("limit-1.ts", import.meta.url)), words);
  const exited = new AbortController();
  limit.once("exit", () => exited.abort(new Error("limit-1 gave up.")));
  const receiveMessage = async <Message>(): Promise<Message> => {
    const [message] = (await once(limit, "message", { signal: exited.signal })) as [Message];
    return message;
  };
  try {
    await receiveMessage<"ready">();
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return {
    async round(payments) {
      const answer = receiveMessage<LimitRound>();
      limit.send(payments);
      return answer;
    },
    async stop() {
      if (limit.connected) limit.disconnect();
      await postgres.stop();
    },
  };
}
