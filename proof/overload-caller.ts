import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { signatureFor } from "../clients/typescript/src/signing.ts";

/** Payments, sent as fast as they are answered over some connections, or at a rate whether they are answered or not. */
export interface CallOrder {
  readonly port: number;
  readonly clientIds: readonly string[];
  readonly privateKey: string;
  readonly seconds: number;
  /** Each request over a connection of its own, as libraries do that keep none. */
  readonly isFresh: boolean;
  /** As fast as they are answered, over so many connections. */
  readonly connections?: number;
  readonly perSecond?: number;
}

/** What became of the requests that were meant for one second. Times count from when they were meant to be sent. */
export interface Second {
  readonly good: number;
  readonly refused: number;
  /** Answered "unknown", cut off, or not answered in time. */
  readonly lost: number;
  readonly goodMs: readonly number[];
  readonly refusedMs: readonly number[];
}

type Mutable<Value> = {
  -readonly [Key in keyof Value]: Value[Key] extends readonly number[] ? number[] : Value[Key];
};

const path = "/ams/sandbox/api/v1/payments/pay";
const patienceMs = 15_000;
/** More than a caller that keeps its connections has open. */
const keptMax = 2_000;
const tickMs = 5;
/** Requests are signed before they are sent, in closed loops by what a fast gateway takes. */
const closedPerSecondMax = 800;

process.on("message", (order: CallOrder) => void run(order).then((seconds) => process.send?.(seconds)));
process.once("disconnect", () => process.exit());

async function run(order: CallOrder): Promise<readonly Second[]> {
  const { seconds, perSecond } = order;
  const count = Math.ceil(seconds * (perSecond ?? closedPerSecondMax));
  const requests = signed(order, count);
  const told = Array.from({ length: seconds }, (): Mutable<Second> => ({
    good: 0,
    refused: 0,
    lost: 0,
    goodMs: [],
    refusedMs: [],
  }));
  const startedAtMs = performance.now();
  const underWay: Promise<void>[] = [];
  const free: Socket[] = [];
  let kept = 0;
  let sent = 0;

  async function call(meantAtMs: number): Promise<void> {
    const request = requests[sent];
    sent += 1;
    const second = told[Math.floor((meantAtMs - startedAtMs) / 1_000)];
    if (!request || !second) return;
    const isNew = order.isFresh || free.length === 0;
    if (isNew && !order.isFresh) kept += 1;
    if (kept > keptMax) {
      kept -= 1;
      second.lost += 1;
      return;
    }
    const socket = (isNew ? undefined : free.pop()) ?? dial(order.port);
    const answer = await exchange(socket, request, meantAtMs);
    const ms = performance.now() - meantAtMs;
    if (answer.includes('"PAYMENT_IN_PROCESS"')) {
      second.good += 1;
      second.goodMs.push(ms);
    } else if (answer.includes('"REQUEST_TRAFFIC_EXCEED_LIMIT"')) {
      second.refused += 1;
      second.refusedMs.push(ms);
    } else second.lost += 1;
    if (!order.isFresh && answer && !socket.destroyed) return void free.push(socket);
    if (!order.isFresh) kept -= 1;
    socket.destroy();
  }

  const endsAtMs = startedAtMs + seconds * 1_000;
  if (perSecond === undefined) {
    const converse = async (): Promise<void> => {
      while (performance.now() < endsAtMs && sent < requests.length) await call(performance.now());
    };
    await Promise.all(Array.from({ length: order.connections ?? 1 }, converse));
  } else {
    while (sent < count) {
      const due = Math.min(count, ((performance.now() - startedAtMs) / 1_000) * perSecond);
      while (sent < due) underWay.push(call(startedAtMs + (sent / perSecond) * 1_000));
      await new Promise((resolve) => setTimeout(resolve, tickMs));
    }
    await Promise.all(underWay);
  }
  for (const socket of free) socket.destroy();
  return told;
}

function dial(port: number): Socket {
  return connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => undefined);
}

/** The answer, or nothing when there is none. */
function exchange(socket: Socket, request: Buffer, meantAtMs: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const end = (answer: string): void => {
      clearTimeout(timer);
      socket.off("data", hear).off("close", gone);
      resolve(answer);
    };
    const gone = (): void => end("");
    const hear = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? Infinity);
      if (headEnd >= 0 && text.length >= headEnd + 4 + length) end(text);
    };
    const timer = setTimeout(
      () => {
        socket.destroy();
        end("");
      },
      meantAtMs + patienceMs - performance.now(),
    );
    socket.on("data", hear).on("close", gone);
    socket.write(request);
  });
}

function signed({ clientIds, privateKey }: CallOrder, count: number): readonly Buffer[] {
  const time = String(Date.now());
  const amount = { currency: "EUR", value: "1250" };
  return Array.from({ length: count }, (_, index) => {
    const clientId = clientIds[index % clientIds.length] ?? "";
    const body = JSON.stringify({
      productCode: "CASHIER_PAYMENT",
      paymentRequestId: `overload-${randomUUID()}`,
      order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
      paymentAmount: amount,
      paymentMethod: { paymentMethodType: "GCASH" },
      paymentRedirectUrl: "https://shop.example/thanks",
      env: { terminalType: "WEB" },
    });
    const signature = signatureFor({ path, clientId, time, body }, privateKey, 1);
    const head = `POST ${path} HTTP/1.1\r\nhost: gateway.example\r\ncontent-type: application/json\r\nclient-id: ${clientId}`;
    const rest = `request-time: ${time}\r\nsignature: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}`;
    return Buffer.from(`${head}\r\n${rest}\r\n\r\n${body}`);
  });
}
