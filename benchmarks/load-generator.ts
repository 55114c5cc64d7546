import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { signatureFor, signatureHolds } from "../clients/typescript/src/signing.ts";

/** The load: requests and their target. All are signed before the first one is sent. */
export interface LoadPlan {
  readonly url: string;
  readonly path: string;
  readonly clientIds: readonly string[];
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
  /** Number of payments of each merchant. Their request ids are 1 to this number. */
  readonly paymentsEach: number;
  /** Number of requests to sign. Inquiries are sent repeatedly, payments once. */
  readonly requestCount: number;
  /** The merchants' webhook URL. Without it, the load only sends inquiries and makes no payments. */
  readonly notifyUrl?: string;
  readonly inFlight: number;
}

/** The limits of a burst: it ends after `ms` milliseconds, or after `answersMax` responses. */
export interface BurstOrder {
  readonly ms: number;
  readonly answersMax?: number;
  /**
   * Open loop: this many requests start each second, whatever the state of earlier ones. Without it the loop is closed.
   */
  readonly perSecond?: number;
}

export interface Burst {
  /**
   * Number of responses with the expected result. For each of them the gateway has verified the request's signature.
   */
  readonly answers: number;
  /** Number of responses with another result than the expected one. `firstFailure` is the text of the first. */
  readonly failures: number;
  readonly firstFailure: string;
  /** Responses with a signature of the gateway. */
  readonly signed: number;
  readonly elapsedMs: number;
  /** Latency. In an open loop it starts at the scheduled time of a request, so that waiting for a connection counts. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Ids of the new payments. */
  readonly paymentIds: readonly string[];
}

interface Request {
  readonly bytes: Buffer;
  readonly clientId: string;
}

/** A request with its scheduled time; it is sent at once if that is past or absent. */
interface ScheduledRequest {
  readonly request: Request;
  readonly startMs?: number;
}

/** Number of connections of an open loop. A gateway that handles the load never has this many requests at once. */
const openConnections = 128;

/** Load shedding: with these result codes, an overloaded gateway asks the client to retry the same request. */
const sheddingResponse = /^\{"result":\{"resultCode":"(?:REQUEST_TRAFFIC_EXCEED_LIMIT|UNKNOWN_EXCEPTION)"/;
const retryAfterMs = 200;

/** The beginning of a correct response. */
const expected = {
  inquiry: '{"result":{"resultCode":"SUCCESS"',
  pay: '{"result":{"resultCode":"PAYMENT_IN_PROCESS"',
};

/** The load generator is a separate process, so that its CPU time is not counted as the gateway's. */
process.once("message", (plan: LoadPlan) => {
  process.on("message", (order: BurstOrder) => {
    // A request id is valid for one payment, and a signature for some minutes, so each burst signs its own requests.
    const requestCount = plan.notifyUrl === undefined ? plan.requestCount : (order.answersMax ?? 0);
    send(plan, signRequests({ ...plan, requestCount }), order).then(
      (burst) => process.send?.(burst),
      (error: Error) => {
        process.stderr.write(`${error.stack}\n`);
        process.exit(1);
      },
    );
  });
  process.send?.("ready");
});
process.once("disconnect", () => process.exit());

function signRequests({
  path,
  clientIds,
  privateKey,
  paymentsEach,
  requestCount,
  notifyUrl,
}: LoadPlan): readonly Request[] {
  const time = String(Date.now());
  return Array.from({ length: requestCount }, (_, index) => {
    const clientId = clientIds[index % clientIds.length] ?? "";
    const body = notifyUrl === undefined ? inquiryBody(paymentsEach) : payBody(notifyUrl);
    const signature = signatureFor({ path, clientId, time, body }, privateKey, 1);
    const head = [
      `POST ${path} HTTP/1.1`,
      "host: gateway.example",
      "content-type: application/json; charset=UTF-8",
      "accept: application/json",
      `client-id: ${clientId}`,
      `request-time: ${time}`,
      `signature: ${signature}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return { bytes: Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`), clientId };
  });
}

function inquiryBody(paymentsEach: number): string {
  return JSON.stringify({ paymentRequestId: String(1 + Math.floor(Math.random() * paymentsEach)) });
}

function payBody(notifyUrl: string): string {
  const amount = { currency: "EUR", value: "1250" };
  return JSON.stringify({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: `bench-${randomUUID()}`,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: notifyUrl,
    env: { terminalType: "WEB" },
  });
}

/**
 * Each connection sends its next request after the response to the last one, and in an open loop not before its
 * scheduled time.
 */
async function send(plan: LoadPlan, requests: readonly Request[], order: BurstOrder): Promise<Burst> {
  const startedAtMs = performance.now();
  const latenciesMs: number[] = [];
  const expectedStart = plan.notifyUrl === undefined ? expected.inquiry : expected.pay;
  const paymentIds: string[] = [];
  let sent = 0;
  let signed = 0;
  let failures = 0;
  let firstFailure = "";

  const nextRequest = (): ScheduledRequest | undefined => {
    const isOver = sent >= (order.answersMax ?? Infinity) || performance.now() - startedAtMs >= order.ms;
    const request = requests[sent % requests.length];
    if (isOver || !request) return undefined;
    const startMs = order.perSecond && startedAtMs + (sent / order.perSecond) * 1_000;
    sent += 1;
    return { request, ...(startMs !== undefined && { startMs }) };
  };
  const connections = order.perSecond === undefined ? plan.inFlight : openConnections;
  await Promise.all(
    Array.from({ length: connections }, () =>
      runConnection(plan.url, nextRequest, (request, answer, latencyMs) => {
        if (!answer.body.startsWith(expectedStart)) {
          failures += 1;
          firstFailure ||= answer.body;
          return;
        }
        // The client verifies only one of 500 responses. Verifying all would take a third of the CPU time that the
        // gateway needs to sign them.
        if (latenciesMs.length % 500 === 0) verify(plan, request, answer);
        if (answer.head.includes("\r\nsignature: algorithm=RSA256,")) signed += 1;
        latenciesMs.push(latencyMs);
        if (plan.notifyUrl !== undefined) paymentIds.push(/"paymentId":"(\d+)"/.exec(answer.body)?.[1] ?? "");
      }),
    ),
  );
  const elapsedMs = performance.now() - startedAtMs;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
  const [p50Ms, p99Ms] = [at(0.5), at(0.99)];
  return { answers: latenciesMs.length, failures, firstFailure, signed, elapsedMs, p50Ms, p99Ms, paymentIds };
}

interface Answer {
  readonly head: string;
  readonly body: string;
}

function runConnection(
  url: string,
  nextRequest: () => ScheduledRequest | undefined,
  onAnswer: (request: Request, answer: Answer, latencyMs: number) => void,
): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let scheduled: ScheduledRequest | undefined;
    let startedMs = 0;
    let received: Buffer = Buffer.alloc(0);
    const sendNext = (): void => {
      scheduled = nextRequest();
      if (!scheduled) return closeConnection(socket, resolve);
      const { request, startMs = performance.now() } = scheduled;
      startedMs = startMs;
      const waitMs = startMs - performance.now();
      if (waitMs <= 0) socket.write(request.bytes);
      else setTimeout(() => socket.write(request.bytes), waitMs);
    };
    socket.on("connect", sendNext);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The gateway closed a connection.")));
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = parseAnswer(received);
      if (!answer || !scheduled) return;
      if (sheddingResponse.test(answer.body)) {
        const { bytes } = scheduled.request;
        received = Buffer.alloc(0);
        return void setTimeout(() => socket.write(bytes), retryAfterMs);
      }
      onAnswer(scheduled.request, answer, performance.now() - startedMs);
      received = Buffer.alloc(0);
      sendNext();
    });
  });
}

function closeConnection(socket: Socket, resolve: () => void): void {
  socket.removeAllListeners("close").end();
  resolve();
}

/** The parsed response, or undefined until it is complete. */
function parseAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const [, length] = /content-length: (\d+)/.exec(head) ?? [];
  const bodyAt = headEnd + 4;
  if (bytes.length < bodyAt + Number(length)) return undefined;
  return { head, body: bytes.toString("utf8", bodyAt) };
}

function verify({ path, gatewayPublicKey }: LoadPlan, { clientId }: Request, { head, body }: Answer): void {
  const [, time = ""] = /\r\nresponse-time: (.+)/.exec(head) ?? [];
  const [, signature = ""] = /\r\nsignature: (.+)/.exec(head) ?? [];
  if (!signatureHolds({ path, clientId, time, body }, signature, gatewayPublicKey))
    throw new Error(`The signature of a response is invalid:\n${head}\n${body}`);
}
