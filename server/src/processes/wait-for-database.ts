import { setTimeout as waitMs } from "node:timers/promises";
import { Client } from "pg";

const answerTimeoutMs = 2_000;
const pauseMs = 500;

/** Waits for a database that is starting at the same time. Throws the last connection error after the timeout. */
export async function waitForDatabase(url: string, withinSeconds: number): Promise<void> {
  const giveUpAtMs = performance.now() + withinSeconds * 1_000;
  for (;;) {
    const refusal = await refusalOf(url);
    if (refusal === undefined) return;
    if (performance.now() + pauseMs > giveUpAtMs) throw refusal;
    await waitMs(pauseMs);
  }
}

async function refusalOf(url: string): Promise<Error | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: answerTimeoutMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}
