import { Client } from "pg";
import { sql, type Tx } from "./sql.ts";

const channel = "tollgate_jobs";
/** NOTIFY takes a lock that is shared by the whole server, so it is sent now and then and not with every commit. */
const atMostEveryMs = 50;
const reconnectAfterMs = 1_000;

/** Tells workers that something became due. Losing one is no harm: they look by themselves as well. */
export function newWaker(tx: Tx, onFault: (cause: unknown) => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      tx.query(sql`select pg_notify(${channel}, '')`).catch(onFault);
    }, atMostEveryMs).unref();
  };
}

/** Calls `onWake` whenever somebody tells workers to look; connects again when the connection breaks. */
export function listenForWakes(url: string, onWake: () => void): () => Promise<void> {
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  function again(): void {
    if (!stopped) timer = setTimeout(connect, reconnectAfterMs);
  }

  function connect(): void {
    client = new Client({ connectionString: url, application_name: "tollgate wake", keepAlive: true });
    client.on("error", () => undefined);
    client.on("end", again);
    client.on("notification", onWake);
    // Whoever cannot connect emits no end.
    client
      .connect()
      .then((connected) => connected.query(`listen ${channel}`).then(onWake, () => undefined), again);
  }

  connect();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}
