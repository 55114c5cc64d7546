import { Agent as HttpAgent, request, type RequestOptions } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { callbackify } from "node:util";
import type { Timings } from "../notifications/attempt.ts";
import { connect, NotConnected, type Progress } from "./connection.ts";
import { destinationOf, type Destination, type DestinationRules } from "./destination.ts";
import { openResolver, type ResolveName } from "./resolve-name.ts";
import type { Failure, Sent } from "./delivery-outcome.ts";

export interface EgressRules extends DestinationRules {
  /** An operator's proxy, as `http://host:port`. */
  readonly proxy?: URL | undefined;
  readonly resolveName?: ResolveName;
  /** Certificate authorities in PEM, instead of those that Node trusts. */
  readonly certificateAuthority?: string;
  readonly totalMsMax?: number;
  readonly idleMsMax?: number;
}

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

export interface Egress {
  /** Sends one POST to an address that a merchant chose. It never throws, whatever the receiver does. */
  readonly post: (url: string, message: Message) => Promise<Sent>;
  /** Closes the keep-alive connections. */
  readonly close: () => void;
}

const answerBytesMax = 16 * 1024;
const headerBytesMax = 8 * 1024;
/** Maximum number of interim responses (HTTP 1xx) before the final one; no other limit counts them. */
const interimAnswersMax = 4;
/** Maximum number of idle keep-alive connections to each destination. */
const idleConnectionsMax = 32;

/**
 * The only HTTP client for addresses that merchants choose. The SSRF guard runs when a connection is opened, so every
 * request passes it. The guard has checked a keep-alive connection when it was opened, and the gateway does not resolve
 * its name again.
 */
export function openEgress(rules: EgressRules): Egress {
  const agents = { http: guarded(HttpAgent, rules), https: guarded(HttpsAgent, rules) };
  const totalMsMax = rules.totalMsMax ?? 10_000;
  return {
    async post(url, message) {
      const destination = destinationOf(url, rules);
      if ("refused" in destination) return refusedUrl(destination.refused);
      const agent = destination.isSecure ? agents.https : agents.http;
      const way = { agent, deadlineMs: performance.now() + totalMsMax, isAgain: false };
      const { sent, isGivenUp } = await exchange(destination, message, way);
      // Keep-alive race: the receiver closed an idle connection just as the gateway used it. The gateway retries once
      // on a new connection.
      return isGivenUp ? (await exchange(destination, message, { ...way, isAgain: true })).sent : sent;
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function refusedUrl(what: string): Sent {
  const detail = `The URL is refused: ${what}`;
  return { httpStatus: 0, answer: "", failure: "blocked", detail, timings: timingsOf(newProgress()) };
}

/** Parameters that a request passes to the agent's `createConnection`. */
interface Passage {
  readonly destination: Destination;
  readonly progress: Progress;
  readonly poolName: string;
}

type Connected = (cause: Error | null, socket: Socket) => void;

/** A Node agent that connects only through the SSRF guard. */
function guarded<Kept extends HttpAgent>(
  Kind: new (options: object) => Kept,
  {
    allowsLoopback,
    proxy,
    resolveName = openResolver(),
    certificateAuthority,
    idleMsMax = 4_000,
  }: EgressRules,
): Kept {
  const agent = new Kind({
    keepAlive: true,
    timeout: idleMsMax,
    maxFreeSockets: idleConnectionsMax,
    rejectUnauthorized: true,
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  });
  const rules = { allowsLoopback, proxy, resolveName };
  const secure = agent.createConnection.bind(agent);
  agent.getName = (options) => (options as Passage | undefined)?.poolName ?? "";
  agent.createConnection = (options, callback) => {
    const { destination, progress } = options as unknown as Passage;
    const servername = destination.addresses?.includes(destination.host) ? "" : destination.host;
    const overTls = (socket: Socket): TLSSocket => {
      const more = { ...options, socket, servername };
      return secure(more) as TLSSocket;
    };
    const connecting = connect(destination, rules, progress, overTls);
    callbackify(() => connecting)(callback as Connected);
    return undefined;
  };
  return agent;
}

interface Way {
  readonly agent: HttpAgent;
  readonly deadlineMs: number;
  /** Whether this is the retry, which uses a new connection without keep-alive. */
  readonly isAgain: boolean;
}

interface Exchanged {
  readonly sent: Sent;
  /** Whether a keep-alive connection was closed before any byte of the response arrived. */
  readonly isGivenUp: boolean;
}

function exchange(destination: Destination, message: Message, way: Way): Promise<Exchanged> {
  const { signal, body } = message;
  const progress = newProgress();
  const answer = newAnswer();
  let isOver = false;
  return new Promise((resolve) => {
    const outgoing = request(requestOptions(destination, message, way, progress));
    const end = (failure?: Failure, detail?: string, isGivenUp = false): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", expire);
      if (failure) outgoing.destroy();
      const { httpStatus } = answer;
      const sent = { httpStatus, answer: answer.text(), failure, detail, timings: timingsOf(progress) };
      resolve({ sent, isGivenUp });
    };
    const expire = (): void => {
      const isConnected = outgoing.socket !== null || progress.connectMs !== undefined;
      end(isConnected ? "timeout" : "no connection", "It took too long.");
    };
    const timer = setTimeout(expire, way.deadlineMs - performance.now());
    signal.addEventListener("abort", expire);
    outgoing.on("error", (cause: NodeJS.ErrnoException) => {
      const isReset = cause.code === "ECONNRESET" || cause.code === "EPIPE";
      end(failureOf(cause), cause.message, isReset && outgoing.reusedSocket && !way.isAgain);
    });
    // The receiver switched protocols, or closed without a response.
    outgoing.on("close", () => {
      if (answer.httpStatus === 0) end("broken answer", "The connection was closed.");
    });
    outgoing.on("information", () => {
      answer.interimCount += 1;
      if (answer.interimCount > interimAnswersMax)
        end("broken answer", "There were too many interim responses.");
    });
    outgoing.on("response", (incoming) => {
      progress.firstByteMs = performance.now() - progress.startedMs;
      answer.httpStatus = incoming.statusCode ?? 0;
      incoming.on("data", (chunk: Buffer) => {
        if (!answer.add(chunk)) end("too long", `The answer is longer than ${answerBytesMax} bytes.`);
      });
      incoming.on("error", ({ message: detail }) => end("broken answer", detail));
      incoming.on("end", () => end());
    });
    outgoing.end(body);
    if (signal.aborted) expire();
  });
}

function requestOptions(
  destination: Destination,
  { headers, body }: Message,
  { agent, isAgain }: Way,
  progress: Progress,
): RequestOptions & Passage {
  const { host, port, authority, path, isSecure } = destination;
  const own = { host: authority, "content-length": String(body.length) };
  return {
    method: "POST",
    protocol: isSecure ? "https:" : "http:",
    host,
    port,
    path,
    agent,
    maxHeaderSize: headerBytesMax,
    headers: { ...headers, ...own, ...(isAgain ? { connection: "close" } : {}) },
    destination,
    progress,
    poolName: isAgain ? `${authority} again` : authority,
  };
}

interface Answer {
  httpStatus: number;
  interimCount: number;
  /** Adds a chunk of the response; returns false if the response exceeds the limit. */
  readonly add: (chunk: Buffer) => boolean;
  readonly text: () => string;
}

function newAnswer(): Answer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    httpStatus: 0,
    interimCount: 0,
    add(chunk) {
      chunks.push(chunk.subarray(0, answerBytesMax - bytes));
      bytes = Math.min(bytes + chunk.length, answerBytesMax + 1);
      return bytes <= answerBytesMax;
    },
    text: () => (chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString("utf8")),
  };
}

function failureOf(cause: NodeJS.ErrnoException): Failure {
  if (cause instanceof NotConnected) return cause.failure;
  if (cause.code === "HPE_HEADER_OVERFLOW") return "too long";
  // A TLS error of an open connection: a server may request a client certificate after the handshake, and reject the
  // gateway only then.
  return cause.code?.startsWith("ERR_SSL") ? "tls" : "broken answer";
}

function newProgress(): Progress {
  const nowhere = { dnsMs: undefined, connectMs: undefined, tlsMs: undefined, firstByteMs: undefined };
  return { ...nowhere, totalMs: 0, startedMs: performance.now() };
}

function timingsOf({ startedMs, dnsMs, connectMs, tlsMs, firstByteMs }: Progress): Timings {
  return { dnsMs, connectMs, tlsMs, firstByteMs, totalMs: performance.now() - startedMs };
}
