import { randomUUID } from "node:crypto";
import { constants, setPriority } from "node:os";
import { connect, type Socket } from "node:net";
import { signatureFor } from "../../clients/typescript/src/signing.ts";

/** Payments in a closed loop over some connections, or in an open loop at a rate. */
export interface CallOrder {
  readonly port: number;
  readonly clientIds: readonly string[];
  readonly privateKey: string;
  readonly seconds: number;
  /** True if each request has a new connection, as with client libraries without keep-alive. */
  readonly isFresh: boolean;
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

process.on("message", (order: CallOrder) => void run(order).then((seconds) => process.send?.(seconds)));
process.once("disconnect", () => process.exit());

async function run(order: CallOrder): Promise<readonly Second[]> {
  const { seconds, perSecond } = order;
  const count = Math.ceil(seconds * (perSecond ?? closedPerSecondMax));
  const requests = signed(order, count);
  const told = Array.from({ length: seconds }, (): Mutable<Second> => ({
    good: 0,
    refused: 0,
    unavailable: 0,
    lost: 0,
    goodMs: [],
    refusedMs: [],
  }));
  const lines = openLines(order);
  const startedAtMs = performance.now();
  let sent = 0;

  async function call(meantAtMs: number): Promise<void> {
    const request = requests[sent];
    sent += 1;
    if (request) await ask(request, meantAtMs, 0);
  }

  /**
   * `ask` sends a request and its retries. A retry counts in the second of its own scheduled time, and its latency
   * starts at that time.
   */
  async function ask(request: Buffer, meantAtMs: number, tried: number): Promise<void> {
    const second = told[Math.floor((meantAtMs - startedAtMs) / 1_000)];
    if (!second) return;
    const answer = await new Promise<string>((hear) => lines.ask(request, { meantAtMs, hear }));
    note(second, answer, performance.now() - meantAtMs);
    if (tried >= (order.retries ?? 0) || !isRefusal(answer)) return;
    const pauseMs = Math.random() * firstPauseMs * 2 ** tried;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await ask(request, performance.now(), tried + 1);
  }

  const endsAtMs = startedAtMs + seconds * 1_000;
  if (perSecond === undefined) {
    const converse = async (): Promise<void> => {
      while (performance.now() < endsAtMs && sent < requests.length) await call(performance.now());
    };
    await Promise.all(Array.from({ length: order.connections ?? 1 }, converse));
  } else {
    const underWay: Promise<void>[] = [];
    while (sent < count) {
      const due = Math.min(count, ((performance.now() - startedAtMs) / 1_000) * perSecond);
      while (sent < due) underWay.push(call(startedAtMs + (sent / perSecond) * 1_000));
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
    await Promise.all(underWay);
  }
  lines.close();
  return told;
}

function note(second: Mutable<Second>, answer: string, ms: number): void {
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

/** The request that waits on a connection. If the connection ends without a response, `hear` gets an empty text. */
interface Waiting {
  readonly meantAtMs: number;
  readonly hear: (answer: string) => void;
}

interface Line {
  readonly socket: Socket;
  waiting: Waiting | undefined;
  text: string;
}

/**
 * Connections with one request at a time. Listeners and timers are shared between requests, because the caller uses CPU
 * time of the same cores as the gateway.
 */
function openLines({ port, isFresh }: CallOrder): {
  ask(request: Buffer, waiting: Waiting): void;
  close(): void;
} {
  const open = new Set<Line>();
  const free: Line[] = [];

  function end(line: Line, answer: string): void {
    const { waiting } = line;
    line.waiting = undefined;
    line.text = "";
    if (!isFresh && answer && !line.socket.destroyed) free.push(line);
    else line.socket.destroy();
    waiting?.hear(answer);
  }

  function dial(): Line {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
    const line: Line = { socket, waiting: undefined, text: "" };
    open.add(line);
    socket
      .on("error", () => undefined)
      .on("close", () => {
        open.delete(line);
        end(line, "");
      })
      .on("data", (text: string) => {
        line.text += text;
        if (isWhole(line.text)) end(line, line.text);
      });
    return line;
  }

  const sweep = setInterval(() => {
    const oldestMs = performance.now() - patienceMs;
    for (const line of open) if (line.waiting && line.waiting.meantAtMs < oldestMs) line.socket.destroy();
  }, 250);

  return {
    ask(request, waiting) {
      const isOneTooMany = !isFresh && free.length === 0 && open.size >= keptMax;
      if (isOneTooMany) return waiting.hear("");
      let line = free.pop();
      while (line?.socket.destroyed) line = free.pop();
      line ??= dial();
      line.waiting = waiting;
      line.socket.write(request);
    },
    close() {
      clearInterval(sweep);
      for (const { socket } of open) socket.destroy();
    },
  };
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? Infinity);
  return headEnd >= 0 && text.length >= headEnd + 4 + length;
}

function signed(
  { clientIds, privateKey, paymentMethodType = "GCASH" }: CallOrder,
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
    const rest = `request-time: ${time}\r\nsignature: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}`;
    return Buffer.from(`${head}\r\n${rest}\r\n\r\n${body}`);
  });
}
