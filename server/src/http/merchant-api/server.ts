import assert from "node:assert/strict";
import { randomUUID, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { METHODS, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer, type SecureContextOptions } from "node:tls";
import fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { answerArrival } from "./answer-arrival.ts";
import { arrivalOf, type Arrival } from "./arrival.ts";
import { readTrace } from "../../telemetry/trace.ts";
import { results } from "../../core/result.ts";
import { answerPreflight } from "./cross-origin.ts";
import { markAuthenticated, limitConnections } from "../limits/connections.ts";
import type { Gateway } from "./gateway.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Proxies } from "../../core/network-address.ts";
import type { OverloadGuard } from "../limits/overload-guard.ts";
import type { Streaming } from "./event-stream.ts";
import type { Reply } from "./reply.ts";
import { headerLines, securityHeaders, withHeaders } from "./security-headers.ts";
import { shedLoad } from "../limits/shed-load.ts";
import { isOperationTarget } from "./target.ts";

export interface ServerOptions {
  readonly environment: Environment;
  readonly logLevel: string;
  /**
   * The PEM files of the certificate and its key. Without them the server uses plain HTTP, behind a proxy that
   * terminates TLS.
   */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  /** The gateway's public address. */
  readonly publicUrl: string;
  readonly trustedProxies: Proxies;
}

/** Timeouts of the HTTP server, as documented in docs/reference/limits.md. */
export const timeouts = { headersMs: 5_000, requestMs: 10_000, keepAliveMs: 72_000, checkEveryMs: 1_000 };
export const headerBytesMax = 8 * 1024;

/** Internal route of all operations, whatever the form of their path. No other target is rewritten to it. */
const operationRoute = "/ams";

/** Forward secrecy (ECDHE only): an attacker who steals the certificate key later cannot decrypt recorded traffic. */
const tlsRules = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
  ].join(":"),
} as const;

export interface ServerHooks {
  /** Called for each request that load shedding rejects. */
  readonly onShed?: () => void;
  /** Returns more fields for every log line. */
  readonly logFields?: () => object;
}

export async function newServer(
  options: ServerOptions,
  guard: OverloadGuard,
  { onShed, logFields }: ServerHooks = {},
): Promise<FastifyInstance> {
  const { logLevel, tls, environment, publicUrl, trustedProxies } = options;
  const headers = securityHeaders({ isSecure: tls !== undefined || publicUrl.startsWith("https:") });
  const http = {
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkEveryMs,
    maxHeaderSize: headerBytesMax,
    insecureHTTPParser: false,
  };
  const shared = {
    logger: {
      level: logLevel,
      base: null,
      redact: ["req.headers", "*.signature", "*.privateKey"],
      ...(logFields && { mixin: logFields }),
    },
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: timeouts.requestMs,
    // Keep-alive timeout: old client libraries reuse connections that were idle for half a minute, and do not retry on
    // a closed one.
    keepAliveTimeout: timeouts.keepAliveMs,
    return503OnClosing: false,
    forceCloseConnections: "idle" as const,
    clientErrorHandler: rejectMalformedHttp(headerLines(headers)),
    rewriteUrl: (request: { readonly url?: string | undefined }) =>
      isOperationTarget(request.url ?? "") ? operationRoute : (request.url ?? "/"),
  };
  const app = tls
    ? fastify({
        ...shared,
        https: {
          ...http,
          handshakeTimeout: timeouts.headersMs,
          ...(await secureContextOf(tls)),
        },
      })
    : fastify({ ...shared, http });
  // Node silently drops headers past its limit, so the limit is off, and the request validation counts the headers.
  app.server.maxHeadersCount = 0;
  limitConnections(app, trustedProxies, {
    shed: shedLoad({
      environment,
      publicUrl,
      headers,
      guard,
      log: app.log,
      onShed: onShed ?? (() => undefined),
    }),
    wrapHandler: (next) => withHeaders(headers, next),
  });
  return app;
}

/** Replaces the TLS certificate for new connections; open connections keep their certificate. */
export async function renewCertificate(
  { server }: FastifyInstance,
  { tls }: Pick<ServerOptions, "tls">,
): Promise<void> {
  if (!tls) return;
  assert.ok(server instanceof TlsServer);
  server.setSecureContext(await secureContextOf(tls));
}

/** The expiry of the certificate that new connections get. */
export async function certificateExpiry({ tls }: Pick<ServerOptions, "tls">): Promise<Date | undefined> {
  return tls && new X509Certificate(await readFile(tls.certificateFile)).validToDate;
}

async function secureContextOf(tls: NonNullable<ServerOptions["tls"]>): Promise<SecureContextOptions> {
  const [cert, key] = await Promise.all([readFile(tls.certificateFile), readFile(tls.keyFile)]);
  return { ...tlsRules, cert, key };
}

/** Routes every request for an operation to the API, with any method, form or media type. */
export function serveOperations(app: FastifyInstance, gateway: Gateway): void {
  app.removeAllContentTypeParsers();
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // This hook runs before Fastify parses headers: the API validates in its own order, and reads the body late.
  const onRequest = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    if (answerPreflight(gateway, request.raw, reply.raw)) return;
    void handleRequest(gateway, request.raw, reply.raw, request.originalUrl);
  };
  app.all(operationRoute, { onRequest }, () =>
    assert.fail("Unreachable: the onRequest hook answers operations."),
  );
}

function handleRequest(
  gateway: Gateway,
  message: IncomingMessage,
  response: ServerResponse,
  url: string,
): Promise<void> {
  const uuid = randomUUID();
  const arrival = arrivalOf(gateway, message, url, `req_${uuid}`);
  const trace = readTrace(arrival.headers.get("traceparent") ?? [], uuid);
  const step = { kind: "call", name: operationOf(gateway, arrival) } as const;
  return gateway.runner.traces.run(trace, step, () => handleTraced(gateway, message, response, arrival));
}

async function handleTraced(
  gateway: Gateway,
  message: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
): Promise<void> {
  gateway.meter.add("requestsInFlight", []);
  try {
    const reply = await answerArrival(gateway, arrival);
    if (reply.isAuthenticated) markAuthenticated(message.socket);
    if ("follow" in reply) await arrival.slot.idle(reply.follow(response));
    else send(response, arrival, reply);
    logRequest(gateway, arrival, reply);
  } catch (error) {
    gateway.log.error({ err: error, requestId: arrival.requestId }, "Answering a request failed.");
    response.destroy();
  } finally {
    arrival.slot.release();
    gateway.meter.add("requestsInFlight", [], -1);
  }
}

/** The label of an operation in metrics. It is only a known operation path, to bound the label cardinality. */
function operationOf({ routes }: Gateway, { target: { operationPath = "" } }: Arrival): string {
  return routes.has(operationPath) ? operationPath : "unknown";
}

function logRequest(gateway: Gateway, arrival: Arrival, reply: Reply | Streaming): void {
  const { code, isAuthenticated } = reply;
  const ms = Math.round((performance.now() - arrival.arrivedAtMs) * 100) / 100;
  const operation = operationOf(gateway, arrival);
  gateway.runner.traces.recordOutcome(code);
  gateway.meter.add("requests", [operation, code, results[code].status]);
  // The duration of a stream depends on its reader, so the server does not observe it as latency.
  if ("body" in reply) gateway.meter.observe("requestSeconds", [operation], ms / 1000);
  const clientId = arrival.headers.get("client-id")?.[0]?.slice(0, 64);
  const path = arrival.target.path.slice(0, 200);
  const { requestId, address } = arrival;
  const hint = "body" in reply ? hintIn(gateway, reply) : undefined;
  const line = { requestId, path, clientId, address, code, ms, ...(hint !== undefined && { hint }) };
  if (isAuthenticated) gateway.log.info(line);
  else gateway.logUnauthenticated(line);
}

/** The hint of a rejection, for the sandbox's log. The hint contains no secrets, because responses are logged, too. */
function hintIn({ log, environment }: Gateway, { body, code }: Reply): string | undefined {
  if (log.level !== "debug" || environment !== "sandbox" || results[code].status !== "F") return undefined;
  const { result } = JSON.parse(body.toString("utf8")) as {
    readonly result: { readonly resultHint?: string };
  };
  return result.resultHint;
}

function send(response: ServerResponse, arrival: Arrival, { headers, body }: Reply): void {
  response.writeHead(200, {
    ...headers,
    ...(arrival.leavesChunksUnread() && { connection: "close" }),
    "request-id": arrival.requestId,
    "content-type": "application/json; charset=UTF-8",
    "content-length": body.length,
  });
  response.end(body);
}

/** The response to malformed HTTP. It is short, and the server closes the connection. */
function rejectMalformedHttp(
  lines: string,
): (error: Error & { readonly code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = {
      HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
      ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
    }[error.code ?? ""];
    const head = `HTTP/1.1 ${status ?? "400 Bad Request"}\r\n${lines}`;
    socket.end(`${head}connection: close\r\ncontent-length: 0\r\n\r\n`);
  };
}
