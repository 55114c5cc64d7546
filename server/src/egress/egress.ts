import { Agent as HttpAgent, request, type RequestOptions } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { callbackify } from "node:util";
import type { Timings } from "../notifications/delivery-attempt.ts";
import { connect, ConnectionFailed, type ConnectionProgress } from "./connection.ts";
import { parseDestination, type Destination, type DestinationRules } from "./destination.ts";
import { openResolver, type ResolveName } from "./resolve-name.ts";
import type { DeliveryFailure, PostOutcome } from "./delivery-outcome.ts";

export interface EgressRules extends DestinationRules {
  /** An operator's proxy, as `http://host:port`. */
  readonly proxy?: URL | undefined;
  readonly resolveName?: ResolveName;
  /** Certificate authorities in PEM, instead of those that Node trusts. */
  readonly certificateAuthority?: string;
  readonly totalMsMax?: number;
  readonly idleMsMax?: number;
}

export interface OutgoingMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

export interface Egress {
  /** Sends one POST to an address that a merchant chose. It never throws, whatever the receiver does. */
  readonly post: (url: string, message: OutgoingMessage) => Promise<PostOutcome>;
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
  const agents = { http: createGuardedAgent(HttpAgent, rules), https: createGuardedAgent(HttpsAgent, rules) };
  const totalMsMax = rules.totalMsMax ?? 10_000;
  return {
    async post(url, message) {
      const destination = parseDestination(url, rules);
      if ("refused" in destination) return refusedUrlOutcome(destination.refused);
      const agent = destination.isSecure ? agents.https : agents.http;
      const attempt = { agent, deadlineMs: performance.now() + totalMsMax, isRetry: false };
      const { outcome, isStaleConnection } = await sendOnce(destination, message, attempt);
      // Keep-alive race: the receiver closed an idle connection just as the gateway used it. The gateway retries once
      // on a new connection.
      return isStaleConnection
        ? (await sendOnce(destination, message, { ...attempt, isRetry: true })).outcome
        : outcome;
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function refusedUrlOutcome(reason: string): PostOutcome {
  const detail = `The URL is refused: ${reason}`;
  return { httpStatus: 0, answer: "", failure: "blocked", detail, timings: measureTimings(createProgress()) };
}

/** Parameters that a request passes to the agent's `createConnection`. */
interface ConnectionParameters {
  readonly destination: Destination;
  readonly progress: ConnectionProgress;
  readonly poolName: string;
}

type ConnectCallback = (cause: Error | null, socket: Socket) => void;

/** A Node agent that connects only through the SSRF guard. */
function createGuardedAgent<Agent extends HttpAgent>(
  AgentClass: new (options: object) => Agent,
  {
    allowsLoopback,
    proxy,
    resolveName = openResolver(),
    certificateAuthority,
    idleMsMax = 4_000,
  }: EgressRules,
): Agent {
  const agent = new AgentClass({
    keepAlive: true,
    timeout: idleMsMax,
    maxFreeSockets: idleConnectionsMax,
    rejectUnauthorized: true,
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  });
  const rules = { allowsLoopback, proxy, resolveName };
  const connectOverTls = agent.createConnection.bind(agent);
  agent.getName = (options) => (options as ConnectionParameters | undefined)?.poolName ?? "";
  agent.createConnection = (options, callback) => {
    const { destination, progress } = options as unknown as ConnectionParameters;
    const servername = destination.addresses?.includes(destination.host) ? "" : destination.host;
    const startTls = (socket: Socket): TLSSocket => {
      const tlsOptions = { ...options, socket, servername };
      return connectOverTls(tlsOptions) as TLSSocket;
    };
    const connection = connect(destination, rules, progress, startTls);
    callbackify(() => connection)(callback as ConnectCallback);
    return undefined;
  };
  return agent;
}

interface RequestAttempt {
  readonly agent: HttpAgent;
  readonly deadlineMs: number;
  /** Whether this is the retry, which uses a new connection without keep-alive. */
  readonly isRetry: boolean;
}

interface SendResult {
  readonly outcome: PostOutcome;
  /** Whether a keep-alive connection was closed before any byte of the response arrived. */
  readonly isStaleConnection: boolean;
}

function sendOnce(
  destination: Destination,
  message: OutgoingMessage,
  attempt: RequestAttempt,
): Promise<SendResult> {
  const { signal, body } = message;
  const progress = createProgress();
  const answer = createAnswerBuffer();
  let isFinished = false;
  return new Promise((resolve) => {
    const outgoing = request(requestOptions(destination, message, attempt, progress));
    const finish = (failure?: DeliveryFailure, detail?: string, isStaleConnection = false): void => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", expire);
      if (failure) outgoing.destroy();
      const { httpStatus } = answer;
      const outcome = {
        httpStatus,
        answer: answer.text(),
        failure,
        detail,
        timings: measureTimings(progress),
      };
      resolve({ outcome, isStaleConnection });
    };
    const expire = (): void => {
      const isConnected = outgoing.socket !== null || progress.connectMs !== undefined;
      finish(isConnected ? "timeout" : "no connection", "It took too long.");
    };
    const timer = setTimeout(expire, attempt.deadlineMs - performance.now());
    signal.addEventListener("abort", expire);
    outgoing.on("error", (cause: NodeJS.ErrnoException) => {
      const isReset = cause.code === "ECONNRESET" || cause.code === "EPIPE";
      finish(classifyError(cause), cause.message, isReset && outgoing.reusedSocket && !attempt.isRetry);
    });
    // The receiver switched protocols, or closed without a response.
    outgoing.on("close", () => {
      if (answer.httpStatus === 0) finish("broken answer", "The connection was closed.");
    });
    outgoing.on("information", () => {
      answer.interimCount += 1;
      if (answer.interimCount > interimAnswersMax)
        finish("broken answer", "There were too many interim responses.");
    });
    outgoing.on("response", (incoming) => {
      progress.firstByteMs = performance.now() - progress.startedMs;
      answer.httpStatus = incoming.statusCode ?? 0;
      incoming.on("data", (chunk: Buffer) => {
        if (!answer.add(chunk)) finish("too long", `The answer is longer than ${answerBytesMax} bytes.`);
      });
      incoming.on("error", ({ message: detail }) => finish("broken answer", detail));
      incoming.on("end", () => finish());
    });
    outgoing.end(body);
    if (signal.aborted) expire();
  });
}

function requestOptions(
  destination: Destination,
  { headers, body }: OutgoingMessage,
  { agent, isRetry }: RequestAttempt,
  progress: ConnectionProgress,
): RequestOptions & ConnectionParameters {
  const { host, port, authority, path, isSecure } = destination;
  const ownHeaders = { host: authority, "content-length": String(body.length) };
  return {
    method: "POST",
    protocol: isSecure ? "https:" : "http:",
    host,
    port,
    path,
    agent,
    maxHeaderSize: headerBytesMax,
    headers: { ...headers, ...ownHeaders, ...(isRetry ? { connection: "close" } : {}) },
    destination,
    progress,
    poolName: isRetry ? `${authority} again` : authority,
  };
}

interface AnswerBuffer {
  httpStatus: number;
  interimCount: number;
  /** Adds a chunk of the response; returns false if the response exceeds the limit. */
  readonly add: (chunk: Buffer) => boolean;
  readonly text: () => string;
}

function createAnswerBuffer(): AnswerBuffer {
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

function classifyError(cause: NodeJS.ErrnoException): DeliveryFailure {
  if (cause instanceof ConnectionFailed) return cause.failure;
  if (cause.code === "HPE_HEADER_OVERFLOW") return "too long";
  // A TLS error of an open connection: a server may request a client certificate after the handshake, and reject the
  // gateway only then.
  return cause.code?.startsWith("ERR_SSL") ? "tls" : "broken answer";
}

function createProgress(): ConnectionProgress {
  const noTimings = { dnsMs: undefined, connectMs: undefined, tlsMs: undefined, firstByteMs: undefined };
  return { ...noTimings, totalMs: 0, startedMs: performance.now() };
}

function measureTimings({ startedMs, dnsMs, connectMs, tlsMs, firstByteMs }: ConnectionProgress): Timings {
  return { dnsMs, connectMs, tlsMs, firstByteMs, totalMs: performance.now() - startedMs };
}
