import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Stream, StreamedEvent } from "../../contract/operation.ts";
import { formatWireTime } from "../../core/request-time.ts";
import { refuse } from "../../core/result.ts";
import type { ServerOrigin } from "../../postgres/connection-origin.ts";
import { writeSignatureHeader } from "../../signing/signature-header.ts";
import type { Admission, RejectedRequest } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import type { ClientWithKeys } from "../../merchants/client-directory.ts";
import { reserveForStream } from "../limits/connections.ts";
import type { StreamSubscription } from "./event-stream-registry.ts";
import type { Gateway } from "./gateway.ts";
import { newCall, readerFor } from "./run-operation.ts";

/** Heartbeat interval: proxies close a connection that is idle for a minute. */
const heartbeatIntervalMs = 15_000;
/** Maximum length of a stream. The caller then reconnects, perhaps to another process, and is authenticated again. */
const streamLengthMs = 15 * 60_000;
/**
 * Replay window of a stream request, shorter than for other requests: a replayed stream request would reveal later
 * events, not only one response.
 */
const requestAgeMaxMs = 30_000;
/** Write timeout: a caller that reads nothing for this time is disconnected. */
const writeTimeoutMs = 30_000;
/** Rate limit of a client's streamed events in this process, because each event is signed separately. */
const signedEvents = { ratePerSecond: 500, burst: 1_000 };

/** A response as a stream of server-sent events, with the number of events sent. */
export interface Streaming {
  readonly code: "SUCCESS";
  readonly isAuthenticated: true;
  readonly follow: (response: ServerResponse) => Promise<StreamEnd>;
}

export interface StreamEnd {
  readonly events: number;
  /** The position of the last event that was written. */
  readonly lastEventId: string;
}

/** The event stream of the operation, if it has one and the request accepts it. */
export function requestedStream({ route, request }: Admission): Stream | undefined {
  const stream = "stream" in route.operation ? route.operation.stream : undefined;
  return stream?.isRequested(request) ? stream : undefined;
}

/** Finds the position to resume after, and reserves a place among the streams. */
export async function openStream(
  gateway: Gateway,
  arrival: Arrival,
  admission: Admission,
  stream: Stream,
): Promise<Streaming | RejectedRequest> {
  const ageMs = gateway.clock.now().getTime() - admission.requestedAt.getTime();
  if (Math.abs(ageMs) > requestAgeMaxMs)
    return refuse("PARAM_ILLEGAL", { field: "request-time", detail: staleRequestDetail(ageMs) });
  const call = newCall(gateway, admission, readerFor(gateway, admission));
  const start = await stream.start(call, admission.request);
  if (typeof start !== "bigint") return start;
  const subscription = admission.route.eventStreams?.join(admission.client);
  if (!subscription)
    return { ...refuse("REQUEST_TRAFFIC_EXCEED_LIMIT", { detail: tooManyStreamsDetail }), retryAfterSeconds };
  return {
    code: "SUCCESS",
    isAuthenticated: true,
    follow: (response) =>
      follow({ gateway, arrival, admission, stream, subscription: subscription }, response, start),
  };
}

function staleRequestDetail(ageMs: number): string {
  const by = `${Math.round(Math.abs(ageMs) / 1000)} seconds ${ageMs > 0 ? "behind" : "ahead of"} our clock`;
  return `The request time is ${by}; for a stream up to ${requestAgeMaxMs / 1000} seconds are allowed.`;
}

const tooManyStreamsDetail = "There are too many streams already.";
const retryAfterSeconds = 5;

interface StreamContext {
  readonly gateway: Gateway;
  readonly arrival: Arrival;
  readonly admission: Admission;
  readonly stream: Stream;
  readonly subscription: StreamSubscription;
}

async function follow(context: StreamContext, response: ServerResponse, start: bigint): Promise<StreamEnd> {
  const { gateway, arrival, subscription } = context;
  const progress = { events: 0, position: start };
  // A caller that disconnects frees its place among the streams at once.
  response.once("close", () => subscription.leave());
  try {
    // Another request that is pipelined on the connection would wait until the stream ends, so a stream needs its own
    // connection.
    if (reserveForStream(response.req.socket)) {
      writeHead(response, arrival.requestId);
      await writeEvents(context, response, progress);
    }
  } catch (error) {
    // After an error the caller reconnects and resumes after its last event.
    gateway.log.error({ err: error, requestId: arrival.requestId }, "An event stream was interrupted.");
  } finally {
    subscription.leave();
    response.end();
  }
  return { events: progress.events, lastEventId: String(progress.position) };
}

function writeHead(response: ServerResponse, requestId: string): void {
  response.writeHead(200, {
    "request-id": requestId,
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    connection: "close",
  });
  response.write("retry: 1000\n\n");
}

/** Writes events page by page with back-pressure: it reads no page before the caller has received the previous one. */
async function writeEvents(
  context: StreamContext,
  response: ServerResponse,
  progress: { events: number; position: bigint },
): Promise<void> {
  const { gateway, admission, stream, subscription } = context;
  const { monotonicMs } = gateway.runner;
  const endsAtMs = monotonicMs() + streamLengthMs;
  let heartbeatAtMs = monotonicMs() + heartbeatIntervalMs;

  while (!response.destroyed && !subscription.isStopping() && monotonicMs() < endsAtMs) {
    const client = await findActiveClient(gateway, admission);
    if (!client) return;
    const origins = new Set<ServerOrigin>();
    const call = newCall(gateway, admission, readerFor(gateway, admission, origins));
    const events = await stream.read(call, progress.position);
    await gateway.database.waitForReplication(origins);
    for (const event of events) {
      await waitForRateLimit(gateway, client);
      if (!(await write(response, await signedEvent(context, client, event)))) return;
      progress.position = event.position;
      progress.events += 1;
    }
    if (events.length > 0) continue;
    await subscription.waitForEventAfter(
      progress.position,
      Math.min(heartbeatAtMs, endsAtMs) - monotonicMs(),
    );
    if (monotonicMs() < heartbeatAtMs) continue;
    if (!(await write(response, ":\n\n"))) return;
    heartbeatAtMs = monotonicMs() + heartbeatIntervalMs;
  }
}

/** The client's current state; undefined once the client is suspended, or the key of the request is revoked. */
async function findActiveClient(gateway: Gateway, admission: Admission): Promise<ClientWithKeys | undefined> {
  const client = await gateway.clients.find(admission.client.clientId);
  return client?.status === "ACTIVE" && client.keys.has(admission.keyVersion) ? client : undefined;
}

async function waitForRateLimit({ limiter }: Gateway, { clientId }: ClientWithKeys): Promise<void> {
  for (;;) {
    const waitSeconds = limiter.take(`${clientId} streamed events`, signedEvents);
    if (waitSeconds === 0) return;
    await delay(waitSeconds * 1000);
  }
}

/**
 * Signs an event like a webhook to this path, or to the address to which the merchant relays events, so that the same
 * code verifies both. Merchants choose the path of their webhooks, so this signature reveals nothing that they could
 * not obtain anyway.
 */
async function signedEvent(
  { gateway, arrival, admission, stream }: StreamContext,
  { clientId, gatewayKeyVersion }: ClientWithKeys,
  { position, name, body }: StreamedEvent,
): Promise<string> {
  const at = gateway.clock.now();
  const time = formatWireTime(at.getTime());
  gateway.keyUses.add({ clientId, messageKind: "NOTIFICATION", version: gatewayKeyVersion, at });
  const path = stream.signedPath(admission.request) ?? arrival.target.signedPath;
  const parts = { method: "POST", path, clientId, time, body };
  const signed = await gateway.signer.sign({ kind: "notification", keyVersion: gatewayKeyVersion, parts });
  const signature = writeSignatureHeader(gatewayKeyVersion, signed);
  const event = { requestTime: time, signature, body: Buffer.from(body).toString("utf8") };
  return `id: ${position}\nevent: ${name}\ndata: ${singleLineJson(event)}\n\n`;
}

/**
 * JSON on one line. It escapes the Unicode line separators, at which the line readers of some languages split lines.
 */
function singleLineJson(json: object): string {
  return JSON.stringify(json).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Writes to a stream with back-pressure: waits for `drain`. Returns false if the caller has disconnected. */
async function write(response: ServerResponse, text: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(text)) return true;
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), writeTimeoutMs);
    const onWritable = (): void => {
      clearTimeout(timer);
      response.off("drain", onWritable).off("close", onWritable);
      resolve(!response.destroyed);
    };
    response.on("drain", onWritable).on("close", onWritable);
  });
}
