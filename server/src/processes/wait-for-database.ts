import { setTimeout as waitMs } from "node:timers/promises";
import { Client } from "pg";

const connectTimeoutMs = 2_000;
const pauseMs = 500;

/** Waits for a database that is starting at the same time. Throws the last connection error after the timeout. */
export async function waitForDatabase(url: string, timeoutSeconds: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutSeconds * 1_000;
  for (;;) {
    const connectionError = await tryToConnect(url);
    if (connectionError === undefined) return;
    if (performance.now() + pauseMs > deadlineMs) throw connectionError;
    await waitMs(pauseMs);
  }
}

async function tryToConnect(url: string): Promise<Error | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
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
