import { request as httpRequest, type ClientRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** One raw HTTP request. A usual HTTP client would correct the mistakes that the cases test on purpose. */
export interface OutgoingRequest {
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
  readonly durationMs: number;
}

const answerTimeoutMs = 10_000;
const answerBytesMax = 1024 * 1024;
const cutAfterMs = 30;
const connectTimeoutMs = 5_000;

/** Sends the request over a new connection. If no response arrives, it throws an error whose message is a sentence. */
export async function sendRequest(origin: URL, outgoingRequest: OutgoingRequest): Promise<Answer> {
  const startedMs = performance.now();
  const { method = "POST", path, body, timeoutMs = answerTimeoutMs } = outgoingRequest;
  const startRequest = origin.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = startRequest(origin, {
    method,
    path,
    agent: false,
    // Headers are an array, because Node sends an array of headers unchanged and adds no headers to it.
    headers: [...defaultHeaders(origin, body), ...outgoingRequest.headers].flat(),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answerPromise = new Promise<Answer>((resolve, reject) => {
    outgoing.on("error", (error) => reject(new Error(describeNetworkError(error, timeoutMs))));
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on("error", (error) => reject(new Error(describeNetworkError(error, timeoutMs))));
      incoming.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= answerBytesMax) chunks.push(chunk);
      });
      incoming.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        );
        const durationMs = Math.round(performance.now() - startedMs);
        resolve({
          status: incoming.statusCode ?? 0,
          headers,
          body: bytes,
          text: bytes.toString("utf8"),
          durationMs,
        });
      });
    });
  });
  if (outgoingRequest.cut) return writeAndDisconnect(outgoing, outgoingRequest, answerPromise);
  await writeBody(outgoing, outgoingRequest);
  return answerPromise;
}

/** Throws if no server listens at the address, because otherwise every case would report this same error. */
export async function requireReachable(url: URL): Promise<void> {
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

function defaultHeaders(origin: URL, body: Uint8Array): readonly (readonly [string, string])[] {
  return [
    ["host", origin.host],
    ["content-length", String(body.length)],
    ["connection", "close"],
  ];
}

async function writeBody(outgoing: ClientRequest, { body, drip: chunked }: OutgoingRequest): Promise<void> {
  if (!chunked) {
    outgoing.end(body);
    return;
  }
  const size = Math.ceil(body.length / chunked.pieces);
  for (let at = 0; at < body.length; at += size) {
    outgoing.write(body.subarray(at, at + size));
    await wait(chunked.gapMs);
  }
  outgoing.end();
}

/**
 * Closes the connection after the configured part of the request. For the receiver this looks like a network failure.
 */
async function writeAndDisconnect(
  outgoing: ClientRequest,
  { body, cut }: OutgoingRequest,
  answerPromise: Promise<Answer>,
): Promise<Answer> {
  const emptyAnswer: Answer = { status: 0, headers: {}, body: Buffer.alloc(0), text: "", durationMs: 0 };
  answerPromise.catch(() => undefined);
  outgoing.write(cut === "half" ? body.subarray(0, body.length >> 1) : body);
  await wait(cutAfterMs);
  outgoing.destroy();
  return emptyAnswer;
}

function describeNetworkError(error: Error, timeoutMs: number): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error.name === "TimeoutError" || error.name === "AbortError")
    return `There was no response within ${timeoutMs / 1000} s.`;
  if (code === "ECONNREFUSED") return "No server listens there: the connection was refused.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The connection was closed without a response.";
  return `There was no response: ${error.message}${syscall ? ` (${syscall})` : ""}.`;
}
