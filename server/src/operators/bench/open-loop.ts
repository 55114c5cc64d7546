import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A request with a scheduled send time that does not depend on earlier responses (open loop). */
export interface Due {
  /** Scheduled send time in milliseconds after the start of the load. */
  readonly atMs: number;
  readonly bytes: Buffer;
  readonly answered: (answer: Answer) => void;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /**
   * Response time from the scheduled send time, not from the actual one. A client that waits for slow responses sends
   * less and hides how slow they are (coordinated omission).
   */
  readonly tookMs: number;
}

/** Connections to one address, each with one request at a time. Further requests wait in a queue. */
export interface Line {
  send(bytes: Buffer, intendedMs: number, answered: (answer: Answer) => void): void;
  /** Number of unanswered requests, queued ones included. */
  unanswered(): number;
  /** Drops all queued requests. */
  forget(): void;
  close(): void;
}

/** Counters of a load, in addition to its responses. */
export interface Sent {
  /** Delays of this process in sending, sorted. The gateway does not cause them. */
  readonly lateMs: readonly number[];
  /** Requests that were never sent, because the queue was too long. */
  readonly unsent: number;
  /** Requests that were sent or queued and had no response when the wait timed out. */
  readonly unanswered: number;
}

interface Waiting {
  readonly bytes: Buffer;
  readonly intendedMs: number;
  readonly answered: (answer: Answer) => void;
}

interface Connection {
  readonly socket: Socket;
  received: Buffer;
  current: Waiting | undefined;
}

const nothing = Buffer.alloc(0);

/** `openLine` opens connections on demand, up to `most`. A request fails if its connection breaks. */
export function openLine(url: string, most: number): Line {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const target = { host, port: Number(port || (isTls ? 443 : 80)) };
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  let queue: Waiting[] = [];
  let taken = 0;
  let underWay = 0;

  function newConnection(): Connection {
    const socket = isTls ? connectTls({ ...target, servername: host }) : connectPlain(target);
    socket.setNoDelay(true);
    const connection: Connection = { socket, received: nothing, current: undefined };
    socket.on("data", (bytes) => receive(connection, bytes));
    socket.on("error", () => undefined);
    socket.on("close", () => lose(connection));
    all.add(connection);
    return connection;
  }

  function lose(connection: Connection): void {
    all.delete(connection);
    const place = idle.indexOf(connection);
    if (place >= 0) idle.splice(place, 1);
    end(connection, 0, "The connection was closed.");
    next();
  }

  function end(connection: Connection, status: number, body: string): void {
    const { current } = connection;
    if (!current) return;
    connection.current = undefined;
    underWay -= 1;
    current.answered({ status, body, tookMs: performance.now() - current.intendedMs });
  }

  function receive(connection: Connection, bytes: Buffer): void {
    connection.received =
      connection.received.length === 0 ? bytes : Buffer.concat([connection.received, bytes]);
    const answer = answerIn(connection.received);
    if (!answer) return;
    connection.received = nothing;
    end(connection, answer.status, answer.body);
    if (answer.isLast) return void connection.socket.destroy();
    idle.push(connection);
    next();
  }

  function next(): void {
    while (taken < queue.length && (idle.length > 0 || all.size < most)) {
      const waiting = queue[taken];
      taken += 1;
      if (waiting) write(idle.pop() ?? newConnection(), waiting);
    }
    if (taken === queue.length) [queue, taken] = [[], 0];
  }

  function write(connection: Connection, waiting: Waiting): void {
    connection.current = waiting;
    underWay += 1;
    connection.socket.write(waiting.bytes);
  }

  return {
    send(bytes, intendedMs, answered) {
      queue.push({ bytes, intendedMs, answered });
      next();
    },
    unanswered: () => queue.length - taken + underWay,
    forget: () => void ([queue, taken] = [[], 0]),
    close: () => {
      for (const { socket } of all) socket.destroy();
    },
  };
}

interface Parsed {
  readonly status: number;
  readonly body: string;
  readonly isLast: boolean;
}

/** Parses a response once it is complete. The gateway and the provider simulator both send a content length. */
function answerIn(bytes: Buffer): Parsed | undefined {
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
export async function sendOnTime(line: Line, dues: readonly Due[], queueMax: number): Promise<Sent> {
  const beganMs = performance.now();
  const lateMs: number[] = [];
  let count = 0;
  for (; count < dues.length && line.unanswered() <= queueMax; await rest(1)) {
    const elapsedMs = performance.now() - beganMs;
    for (let due = dues[count]; due && due.atMs <= elapsedMs; due = dues[count]) {
      lateMs.push(elapsedMs - due.atMs);
      line.send(due.bytes, beganMs + due.atMs, due.answered);
      count += 1;
    }
  }
  await drained(line);
  const unanswered = line.unanswered();
  line.forget();
  return { lateMs: lateMs.toSorted((one, other) => one - other), unsent: dues.length - count, unanswered };
}

/** Waits until all requests are answered, with a timeout. */
export async function drained(line: Line): Promise<void> {
  const untilMs = performance.now() + graceMs;
  while (line.unanswered() > 0 && performance.now() < untilMs) await rest(5);
}

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns a quantile of sorted values: 0.5 is the median. Returns 0 for an empty list. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
