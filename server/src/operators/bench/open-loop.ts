import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A request with a scheduled send time that does not depend on earlier responses (open loop). */
export interface ScheduledRequest {
  /** Scheduled send time in milliseconds after the start of the load. */
  readonly atMs: number;
  readonly bytes: Buffer;
  readonly onResponse: (answer: TimedResponse) => void;
}

export interface TimedResponse {
  readonly status: number;
  readonly body: string;
  /**
   * Response time from the scheduled send time, not from the actual one. A client that waits for slow responses sends
   * less and hides how slow they are (coordinated omission).
   */
  readonly tookMs: number;
}

/** Connections to one address, each with one request at a time. Further requests wait in a queue. */
export interface ConnectionPool {
  send(bytes: Buffer, intendedMs: number, answered: (answer: TimedResponse) => void): void;
  /** Number of unanswered requests, queued ones included. */
  unanswered(): number;
  /** Drops all queued requests. */
  dropQueue(): void;
  close(): void;
}

/** Counters of a load, in addition to its responses. */
export interface SendStatistics {
  /** Delays of this process in sending, sorted. The gateway does not cause them. */
  readonly lateMs: readonly number[];
  /** Requests that were never sent, because the queue was too long. */
  readonly unsent: number;
  /** Requests that were sent or queued and had no response when the wait timed out. */
  readonly unanswered: number;
}

interface QueuedRequest {
  readonly bytes: Buffer;
  readonly intendedMs: number;
  readonly onResponse: (answer: TimedResponse) => void;
}

interface Connection {
  readonly socket: Socket;
  received: Buffer;
  current: QueuedRequest | undefined;
}

const emptyBuffer = Buffer.alloc(0);

/** `openConnectionPool` opens connections on demand, up to `connectionsMax`. A request fails if its connection breaks. */
export function openConnectionPool(url: string, connectionsMax: number): ConnectionPool {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const target = { host, port: Number(port || (isTls ? 443 : 80)) };
  const idle: Connection[] = [];
  const connections = new Set<Connection>();
  let queue: QueuedRequest[] = [];
  let nextIndex = 0;
  let inFlightCount = 0;

  function newConnection(): Connection {
    const socket = isTls ? connectTls({ ...target, servername: host }) : connectPlain(target);
    socket.setNoDelay(true);
    const connection: Connection = { socket, received: emptyBuffer, current: undefined };
    socket.on("data", (bytes) => receive(connection, bytes));
    socket.on("error", () => undefined);
    socket.on("close", () => removeConnection(connection));
    connections.add(connection);
    return connection;
  }

  function removeConnection(connection: Connection): void {
    connections.delete(connection);
    const index = idle.indexOf(connection);
    if (index >= 0) idle.splice(index, 1);
    completeRequest(connection, 0, "The connection was closed.");
    sendQueued();
  }

  function completeRequest(connection: Connection, status: number, body: string): void {
    const { current } = connection;
    if (!current) return;
    connection.current = undefined;
    inFlightCount -= 1;
    current.onResponse({ status, body, tookMs: performance.now() - current.intendedMs });
  }

  function receive(connection: Connection, bytes: Buffer): void {
    connection.received =
      connection.received.length === 0 ? bytes : Buffer.concat([connection.received, bytes]);
    const response = parseResponse(connection.received);
    if (!response) return;
    connection.received = emptyBuffer;
    completeRequest(connection, response.status, response.body);
    if (response.isLast) return void connection.socket.destroy();
    idle.push(connection);
    sendQueued();
  }

  function sendQueued(): void {
    while (nextIndex < queue.length && (idle.length > 0 || connections.size < connectionsMax)) {
      const request = queue[nextIndex];
      nextIndex += 1;
      if (request) sendRequest(idle.pop() ?? newConnection(), request);
    }
    if (nextIndex === queue.length) [queue, nextIndex] = [[], 0];
  }

  function sendRequest(connection: Connection, request: QueuedRequest): void {
    connection.current = request;
    inFlightCount += 1;
    connection.socket.write(request.bytes);
  }

  return {
    send(bytes, intendedMs, onResponse) {
      queue.push({ bytes, intendedMs, onResponse });
      sendQueued();
    },
    unanswered: () => queue.length - nextIndex + inFlightCount,
    dropQueue: () => void ([queue, nextIndex] = [[], 0]),
    close: () => {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

interface ParsedResponse {
  readonly status: number;
  readonly body: string;
  readonly isLast: boolean;
}

/** Parses a response once it is complete. The gateway and the provider simulator both send a content length. */
function parseResponse(bytes: Buffer): ParsedResponse | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const [, length = "0"] = /\r\ncontent-length: *(\d+)/.exec(head) ?? [];
  const bodyAt = headEnd + 4;
  if (bytes.length < bodyAt + Number(length)) return undefined;
  const status = Number(head.slice(9, 12));
  return { status, body: bytes.toString("utf8", bodyAt), isLast: head.includes("\r\nconnection: close") };
}

/** Maximum wait for outstanding responses after the last request. */
const graceMs = 5_000;

/**
 * `sendOnTime` sends each request at its scheduled time (open loop). If more than `queueMax` requests wait, it does not
 * send the rest, because the gateway has already fallen behind.
 */
export async function sendOnTime(
  pool: ConnectionPool,
  requests: readonly ScheduledRequest[],
  queueMax: number,
): Promise<SendStatistics> {
  const startedMs = performance.now();
  const lateMs: number[] = [];
  let count = 0;
  for (; count < requests.length && pool.unanswered() <= queueMax; await pause(1)) {
    const elapsedMs = performance.now() - startedMs;
    for (let request = requests[count]; request && request.atMs <= elapsedMs; request = requests[count]) {
      lateMs.push(elapsedMs - request.atMs);
      pool.send(request.bytes, startedMs + request.atMs, request.onResponse);
      count += 1;
    }
  }
  await waitUntilAnswered(pool);
  const unanswered = pool.unanswered();
  pool.dropQueue();
  return {
    lateMs: lateMs.toSorted((left, right) => left - right),
    unsent: requests.length - count,
    unanswered,
  };
}

/** Waits until all requests are answered, with a timeout. */
export async function waitUntilAnswered(pool: ConnectionPool): Promise<void> {
  const deadlineMs = performance.now() + graceMs;
  while (pool.unanswered() > 0 && performance.now() < deadlineMs) await pause(5);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns a quantile of sorted values: 0.5 is the median. Returns 0 for an empty list. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
