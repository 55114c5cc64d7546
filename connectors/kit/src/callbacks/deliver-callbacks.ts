import type { Engine } from "../engine.ts";
import { inTransaction } from "../orders/leased-order.ts";
import { isFresh, toWireTime } from "../protocol/wire-time.ts";
import { deleteCallback, postponeCallback, takeDueCallbacks, type CallbackRow } from "./outbox.sql.ts";

const countMax = 20;
const timeoutMs = 10_000;
const responseBytesMax = 64 * 1024;
/** Pauses after failed attempts; the last one repeats without end. */
const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** An attempt that ends with its process is repeated after this time. */
const retakeMs = 15_000;

/** Delivers due callbacks to the gateway, until it acknowledges them; returns their number. */
export async function deliverCallbacks(engine: Engine): Promise<number> {
  const now = engine.now();
  const due = await inTransaction(engine, (tx) =>
    tx.query<CallbackRow>(takeDueCallbacks(now, new Date(now.getTime() + retakeMs), countMax)),
  );
  await Promise.all(due.map((row) => deliver(engine, row)));
  return due.length;
}

async function deliver(engine: Engine, row: CallbackRow): Promise<void> {
  const { eventId, attempts } = row;
  const problem = await post(engine, row).catch(() => "the connection failed");
  engine.meter.add("callbacks", problem === undefined ? "acknowledged" : "failed");
  if (problem === undefined) return inTransaction(engine, async (tx) => tx.write(deleteCallback(eventId)));
  engine.log("warn", "The gateway did not acknowledge a callback.", { eventId, attempts, reason: problem });
  const pauseMs = pausesMs[Math.min(attempts, pausesMs.length) - 1] ?? 0;
  const dueAt = new Date(engine.now().getTime() + pauseMs);
  return inTransaction(engine, async (tx) => tx.write(postponeCallback(eventId, dueAt)));
}

/** Returns why the attempt failed; undefined if the gateway has acknowledged with its own signature. */
async function post(
  { keys, now }: Engine,
  { url: address, body: content }: CallbackRow,
): Promise<string | undefined> {
  const url = new URL(address);
  const body = Buffer.from(JSON.stringify(content), "utf8");
  const message = { path: url.pathname + url.search, clientId: keys.partnerId };
  const time = toWireTime(now().getTime());
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
    body: new Uint8Array(body),
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": keys.partnerId,
      "request-time": time,
      signature: await keys.sign({ ...message, time, body }),
    },
  });
  const answer = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) return `HTTP ${response.status}`;
  if (answer.length > responseBytesMax) return "the response is too long";
  const responseTime = response.headers.get("response-time") ?? "";
  const signature = response.headers.get("signature") ?? "";
  if (!keys.isFromGateway({ ...message, time: responseTime, body: answer }, signature))
    return "the response is not signed by the gateway";
  if (!isFresh(responseTime, now().getTime())) return "the time of the response differs from our clock";
  const { result } = JSON.parse(answer.toString("utf8")) as {
    readonly result?: { readonly resultStatus?: unknown };
  };
  return result?.resultStatus === "S" ? undefined : "the gateway did not accept it";
}
