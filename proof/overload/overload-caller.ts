import { randomUUID } from "node:crypto";
import { constants, setPriority } from "node:os";
import { connect, type Socket } from "node:net";
import { signatureFor } from "../../clients/typescript/src/signing.ts";

/** Payments in a closed loop over some connections, or in an open loop at a rate. */
export interface OverloadCallOptions {
  readonly port: number;
  readonly clientIds: readonly string[];
  readonly privateKey: string;
  readonly seconds: number;
  /** True if each request has a new connection, as with client libraries without keep-alive. */
  readonly usesNewConnections: boolean;
  /** Number of connections of a closed loop. */
  readonly connections?: number;
  readonly perSecond?: number;
  /** Number of retries after a rejection with a retry hint, with a random pause that doubles (default none). */
  readonly retries?: number;
  /** The payment method; by default that of the default provider. */
  readonly paymentMethodType?: string;
}

/**
 * Outcomes of the requests scheduled for one second. Latency counts from the scheduled time, against
 * coordinated omission.
 */
export interface Second {
  readonly good: number;
  readonly refused: number;
  /** Number of requests that the gateway rejected because the provider does not respond. */
  readonly unavailable: number;
  /** Number of requests with an unknown outcome, a reset connection, or a timeout. */
  readonly lost: number;
  readonly goodMs: readonly number[];
  readonly refusedMs: readonly number[];
}

type Mutable<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly number[] ? number[] : Value[Key];
};

const path = "/ams/sandbox/api/v1/payments/pay";
const patienceMs = 15_000;
/** Limit of the caller's keep-alive connections. */
const keptMax = 2_000;
const tickMs = 5;
const firstPauseMs = 100;
/** Requests per second that a closed loop signs in advance: as many as a fast gateway accepts. */
const closedPerSecondMax = 800;

// The caller gets a high priority, because its own delays would count as the gateway's latency. Only root may set it.
if (process.getuid?.() === 0) setPriority(constants.priority.PRIORITY_HIGH);

process.on(
  "message",
  (options: OverloadCallOptions) => void runLoad(options).then((seconds) => process.send?.(seconds)),
);
process.once("disconnect", () => process.exit());

async function runLoad(options: OverloadCallOptions): Promise<readonly Second[]> {
  const { seconds, perSecond } = options;
  const count = Math.ceil(seconds * (perSecond ?? closedPerSecondMax));
  const requests = signRequests(options, count);
  const outcomes = Array.from({ length: seconds }, (): Mutable<Second> => ({
    good: 0,
    refused: 0,
    unavailable: 0,
    lost: 0,
    goodMs: [],
    refusedMs: [],
  }));
  const pool = newConnectionPool(options);
  const startedAtMs = performance.now();
  let sent = 0;

  async function sendScheduled(scheduledAtMs: number): Promise<void> {
    const request = requests[sent];
    sent += 1;
    if (request) await sendWithRetries(request, scheduledAtMs, 0);
  }

  /**
   * `sendWithRetries` sends a request and its retries. A retry counts in the second of its own scheduled time, and its
   * latency starts at that time.
   */
  async function sendWithRetries(request: Buffer, scheduledAtMs: number, retryCount: number): Promise<void> {
    const second = outcomes[Math.floor((scheduledAtMs - startedAtMs) / 1_000)];
    if (!second) return;
    const answer = await new Promise<string>((onResponse) =>
      pool.send(request, { scheduledAtMs, onResponse }),
    );
    recordOutcome(second, answer, performance.now() - scheduledAtMs);
    if (retryCount >= (options.retries ?? 0) || !isRefusal(answer)) return;
    const pauseMs = Math.random() * firstPauseMs * 2 ** retryCount;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await sendWithRetries(request, performance.now(), retryCount + 1);
  }

  const endsAtMs = startedAtMs + seconds * 1_000;
  if (perSecond === undefined) {
    const sendSequentially = async (): Promise<void> => {
      while (performance.now() < endsAtMs && sent < requests.length) await sendScheduled(performance.now());
    };
    await Promise.all(Array.from({ length: options.connections ?? 1 }, sendSequentially));
  } else {
    const inProgress: Promise<void>[] = [];
    while (sent < count) {
      const dueCount = Math.min(count, ((performance.now() - startedAtMs) / 1_000) * perSecond);
      while (sent < dueCount) inProgress.push(sendScheduled(startedAtMs + (sent / perSecond) * 1_000));
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
    await Promise.all(inProgress);
  }
  pool.close();
  return outcomes;
}

function recordOutcome(second: Mutable<Second>, answer: string, ms: number): void {
  if (answer.includes('"PAYMENT_IN_PROCESS"')) {
    second.good += 1;
    second.goodMs.push(ms);
  } else if (isRefusal(answer)) {
    second.refused += 1;
    second.refusedMs.push(ms);
  } else if (answer.includes('"UNAVAILABLE_PAYMENT_METHOD"')) second.unavailable += 1;
  else second.lost += 1;
}

function isRefusal(answer: string): boolean {
  return answer.includes('"REQUEST_TRAFFIC_EXCEED_LIMIT"');
}

/**
 * The request that waits on a connection. If the connection ends without a response, `onResponse` gets an empty text.
 */
interface PendingRequest {
  readonly scheduledAtMs: number;
  readonly onResponse: (answer: string) => void;
}

interface Connection {
  readonly socket: Socket;
  pending: PendingRequest | undefined;
  text: string;
}

/**
 * Connections with one request at a time. Listeners and timers are shared between requests, because the caller uses CPU
 * time of the same cores as the gateway.
 */
function newConnectionPool({ port, usesNewConnections }: OverloadCallOptions): {
  send(request: Buffer, pending: PendingRequest): void;
  close(): void;
} {
  const openConnections = new Set<Connection>();
  const idleConnections: Connection[] = [];

  function finish(connection: Connection, answer: string): void {
    const { pending } = connection;
    connection.pending = undefined;
    connection.text = "";
    if (!usesNewConnections && answer && !connection.socket.destroyed) idleConnections.push(connection);
    else connection.socket.destroy();
    pending?.onResponse(answer);
  }

  function openConnection(): Connection {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
    const connection: Connection = { socket, pending: undefined, text: "" };
    openConnections.add(connection);
    socket
      .on("error", () => undefined)
      .on("close", () => {
        openConnections.delete(connection);
        finish(connection, "");
      })
      .on("data", (text: string) => {
        connection.text += text;
        if (isComplete(connection.text)) finish(connection, connection.text);
      });
    return connection;
  }

  const timeoutTimer = setInterval(() => {
    const oldestScheduledMs = performance.now() - patienceMs;
    for (const connection of openConnections)
      if (connection.pending && connection.pending.scheduledAtMs < oldestScheduledMs)
        connection.socket.destroy();
  }, 250);

  return {
    send(request, pending) {
      const isLimitReached =
        !usesNewConnections && idleConnections.length === 0 && openConnections.size >= keptMax;
      if (isLimitReached) return pending.onResponse("");
      let connection = idleConnections.pop();
      while (connection?.socket.destroyed) connection = idleConnections.pop();
      connection ??= openConnection();
      connection.pending = pending;
      connection.socket.write(request);
    },
    close() {
      clearInterval(timeoutTimer);
      for (const { socket } of openConnections) socket.destroy();
    },
  };
}

function isComplete(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? Infinity);
  return headEnd >= 0 && text.length >= headEnd + 4 + length;
}

function signRequests(
  { clientIds, privateKey, paymentMethodType = "GCASH" }: OverloadCallOptions,
  count: number,
): readonly Buffer[] {
  const time = String(Date.now());
  const amount = { currency: "EUR", value: "1250" };
  return Array.from({ length: count }, (_, index) => {
    const clientId = clientIds[index % clientIds.length] ?? "";
    const body = JSON.stringify({
      productCode: "CASHIER_PAYMENT",
      paymentRequestId: `overload-${randomUUID()}`,
      order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
      paymentAmount: amount,
      paymentMethod: { paymentMethodType },
      paymentRedirectUrl: "https://shop.example/thanks",
      env: { terminalType: "WEB" },
    });
    const signature = signatureFor({ path, clientId, time, body }, privateKey, 1);
    const head = `POST ${path} HTTP/1.1\r\nhost: gateway.example\r\ncontent-type: application/json\r\nclient-id: ${clientId}`;
    const remainingHeaders = `request-time: ${time}\r\nsignature: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}`;
    return Buffer.from(`${head}\r\n${remainingHeaders}\r\n\r\n${body}`);
  });
}
