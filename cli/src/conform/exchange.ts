import { request as httpRequest, type ClientRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** One raw HTTP request. A usual HTTP client would correct the mistakes that the cases test on purpose. */
export interface Sent {
  readonly method?: string;
  /** Path and query exactly as they are sent and signed. */
  readonly path: string;
  /** Headers in the order in which they are sent; a name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Sends the body in pieces, with a gap between them. */
  readonly drip?: { readonly pieces: number; readonly gapMs: number };
  /**
   * Closes the connection early: `half` after half of the body, `whole` after the complete body and before the
   * response.
   */
  readonly cut?: "half" | "whole";
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  readonly tookMs: number;
}

const answerTimeoutMs = 10_000;
const answerBytesMax = 1024 * 1024;
const cutAfterMs = 30;
const connectTimeoutMs = 5_000;

/** Sends the request over a new connection. If no response arrives, it throws an error whose message is a sentence. */
export async function exchange(origin: URL, sent: Sent): Promise<Answer> {
  const startedMs = performance.now();
  const { method = "POST", path, body, timeoutMs = answerTimeoutMs } = sent;
  const start = origin.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = start(origin, {
    method,
    path,
    agent: false,
    // Headers are an array, because Node sends an array of headers unchanged and adds no headers to it.
    headers: [...usual(origin, body), ...sent.headers].flat(),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answered = new Promise<Answer>((resolve, reject) => {
    outgoing.on("error", (error) => reject(new Error(inWords(error, timeoutMs))));
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on("error", (error) => reject(new Error(inWords(error, timeoutMs))));
      incoming.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= answerBytesMax) chunks.push(chunk);
      });
      incoming.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        );
        const tookMs = Math.round(performance.now() - startedMs);
        resolve({
          status: incoming.statusCode ?? 0,
          headers,
          body: bytes,
          text: bytes.toString("utf8"),
          tookMs,
        });
      });
    });
  });
  if (sent.cut) return cutOff(outgoing, sent, answered);
  await write(outgoing, sent);
  return answered;
}

/** Throws if no server listens at the address, because otherwise every case would report this same error. */
export async function demandReachable(url: URL): Promise<void> {
  const { hostname, protocol } = url;
  const port = Number(url.port) || (protocol === "https:" ? 443 : 80);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port, timeout: connectTimeoutMs });
  try {
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
      socket.once("timeout", () => reject(new Error(`no connection within ${connectTimeoutMs / 1000} s`)));
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // oxlint-disable-next-line preserve-caught-error -- The command line would print the cause as a second sentence.
    throw new Error(
      `No server answers at ${url.origin} (${code ?? message}): start it, then run this command again.`,
    );
  } finally {
    socket.destroy();
  }
}

function usual(origin: URL, body: Uint8Array): readonly (readonly [string, string])[] {
  return [
    ["host", origin.host],
    ["content-length", String(body.length)],
    ["connection", "close"],
  ];
}

async function write(outgoing: ClientRequest, { body, drip }: Sent): Promise<void> {
  if (!drip) {
    outgoing.end(body);
    return;
  }
  const size = Math.ceil(body.length / drip.pieces);
  for (let at = 0; at < body.length; at += size) {
    outgoing.write(body.subarray(at, at + size));
    await wait(drip.gapMs);
  }
  outgoing.end();
}

/**
 * Closes the connection after the configured part of the request. For the receiver this looks like a network failure.
 */
async function cutOff(
  outgoing: ClientRequest,
  { body, cut }: Sent,
  answered: Promise<Answer>,
): Promise<Answer> {
  const none: Answer = { status: 0, headers: {}, body: Buffer.alloc(0), text: "", tookMs: 0 };
  answered.catch(() => undefined);
  outgoing.write(cut === "half" ? body.subarray(0, body.length >> 1) : body);
  await wait(cutAfterMs);
  outgoing.destroy();
  return none;
}

function inWords(error: Error, timeoutMs: number): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return `There was no response within ${timeoutMs / 1000} s.`;
  if (code === "ECONNREFUSED") return "No server listens there: the connection was refused.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The connection was closed without a response.";
  return `There was no response: ${error.message}${syscall ? ` (${syscall})` : ""}.`;
}
