import { connect } from "node:net";
import { signatureFor } from "../../clients/typescript/src/signing.ts";

/** A merchant that polls a payment at intervals, over keep-alive connections. */
export interface MerchantLoadOptions {
  readonly port: number;
  readonly path: string;
  readonly clientId: string;
  readonly privateKey: string;
  readonly seconds: number;
}

export interface MerchantReport {
  readonly served: number;
  /**
   * Number of rejected requests, for example by load shedding. The gateway should serve all requests of this merchant.
   */
  readonly refused: number;
  readonly unanswered: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

const connections = 2;
const gapMs = 10;
const patienceMs = 10_000;

process.on(
  "message",
  (options: MerchantLoadOptions) => void measure(options).then((report) => process.send?.(report)),
);
process.once("disconnect", () => process.exit());

async function measure(options: MerchantLoadOptions): Promise<MerchantReport> {
  const counts = { served: 0, refused: 0, unanswered: 0, ms: [] as number[] };
  await Promise.all(Array.from({ length: connections }, () => sendRequests(options, counts)));
  const ms = counts.ms.toSorted((a, b) => a - b);
  const percentile = (share: number): number =>
    Math.round((ms[Math.floor(ms.length * share)] ?? Infinity) * 10) / 10;
  const { served, refused, unanswered } = counts;
  return { served, refused, unanswered, medianMs: percentile(0.5), p95Ms: percentile(0.95) };
}

async function sendRequests(
  { port, path, clientId, privateKey, seconds }: MerchantLoadOptions,
  counts: { served: number; refused: number; unanswered: number; ms: number[] },
): Promise<void> {
  const time = String(Date.now());
  const body = '{"paymentRequestId":"nobody-asked-for-it"}';
  const signature = signatureFor({ path, clientId, time, body }, privateKey, 1);
  const head = `POST ${path} HTTP/1.1\r\nhost: gateway.example\r\ncontent-type: application/json\r\nclient-id: ${clientId}`;
  const remainingHeaders = `request-time: ${time}\r\nsignature: ${signature}\r\ncontent-length: ${body.length}`;
  const request = `${head}\r\n${remainingHeaders}\r\n\r\n${body}`;
  let socket = connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => undefined);
  const endsAtMs = performance.now() + seconds * 1_000;
  while (performance.now() < endsAtMs) {
    const startedAtMs = performance.now();
    const answer = await new Promise<string>((resolve) => {
      const finish = (text: string): void => {
        clearTimeout(timer);
        socket.removeAllListeners("data").removeAllListeners("close");
        resolve(text);
      };
      const timer = setTimeout(() => finish(""), patienceMs);
      socket.once("close", () => finish(""));
      socket.once("data", (data: Buffer) => finish(data.toString("latin1")));
      socket.write(request);
    });
    if (answer.includes('"ORDER_NOT_EXIST"')) {
      counts.served += 1;
      counts.ms.push(performance.now() - startedAtMs);
    } else if (answer) counts.refused += 1;
    else counts.unanswered += 1;
    if (socket.destroyed)
      socket = connect({ port, host: "127.0.0.1", noDelay: true }).on("error", () => undefined);
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  socket.destroy();
}
