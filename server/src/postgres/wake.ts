import { Client } from "pg";
import { sql, type Tx } from "./sql.ts";

const channel = "tollgate_jobs";
/**
 * Minimum interval of NOTIFY in milliseconds: NOTIFY takes a lock of the whole server, so it is not sent with every
 * commit.
 */
const minIntervalMs = 50;
const reconnectAfterMs = 1_000;
const connectTimeoutMs = 5_000;

/** Wakes workers by NOTIFY when a job became due. A lost NOTIFY does no harm, because workers poll as well. */
export function newWaker(tx: Tx, onFault: (cause: unknown) => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      tx.query(sql`select pg_notify(${channel}, '')`).catch(onFault);
    }, minIntervalMs).unref();
  };
}

/** Calls `onWake` on every NOTIFY, by LISTEN; reconnects when the connection breaks. */
export function listenForWakes(url: string, onWake: () => void): () => Promise<void> {
  let isStopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  function scheduleReconnect(): void {
    if (!isStopped) timer = setTimeout(connect, reconnectAfterMs);
  }

  function connect(): void {
    const newClient = new Client({
      connectionString: url,
      application_name: "tollgate wake",
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    client = newClient;
    let hasEnded = false;
    // A failed connection attempt reports twice, by its rejection and by `end`, but needs only one reconnect.
    const onEnd = (): void => {
      if (!hasEnded) scheduleReconnect();
      hasEnded = true;
    };
    newClient.on("error", () => undefined);
    newClient.on("end", onEnd);
    newClient.on("notification", onWake);
    connectAndListen(newClient, onWake).catch(onEnd);
  }

  connect();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}

/**
 * Connects and listens; rejects if it cannot connect. A connection that cannot LISTEN, for example to a standby, is
 * ended.
 */
async function connectAndListen(client: Client, onWake: () => void): Promise<void> {
  await client.connect();
  try {
    await client.query(`listen ${channel}`);
    onWake();
  } catch {
    await client.end();
  }
}
