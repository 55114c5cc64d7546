import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ClientRequest } from "node:http";

/** A request, byte for byte: an HTTP client would put right what is to be tested. */
export interface Sent {
  readonly method?: string;
  /** Path and query as they are written into the request, and so as they are signed. */
  readonly path: string;
  /** In order; a name may stand twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Sends the body in pieces, with a gap between them. */
  readonly drip?: { readonly pieces: number; readonly gapMs: number };
  /** Cuts the connection after so many bytes of the body; `whole` sends all of it, and waits for no answer. */
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

/** Sends it over a connection of its own. Throws a sentence when no answer comes. */
export async function exchange(origin: URL, sent: Sent): Promise<Answer> {
  const startedMs = performance.now();
  const { method = "POST", path, body, timeoutMs = answerTimeoutMs } = sent;
  const start = origin.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = start(origin, {
    method,
    path,
    agent: false,
    // An array is sent as it is: Node adds nothing to it.
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

/** Throws a sentence when nobody is there at all: every case would say the same. */
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

/** The other side cannot tell it from a network that broke. */
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
    return `There was no answer within ${timeoutMs / 1000} s.`;
  if (code === "ECONNREFUSED") return "Nobody listens there: the connection was refused.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The connection was closed without an answer.";
  return `There was no answer: ${error.message}${syscall ? ` (${syscall})` : ""}.`;
}
