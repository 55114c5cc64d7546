import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { leavesChunksUnread } from "../merchant-api/body-reader.ts";
import { watchForTinyChunks } from "../merchant-api/tiny-chunk-guard.ts";
import { newRateLimiter } from "../../resilience/limits.ts";
import { newFairScheduler, type QueuedConnection } from "./fair-connection-scheduler.ts";
import { callerAddress, networkOf, type Proxies } from "../../core/network-address.ts";

/** Limit of unanswered pipelined requests. A caller that sends without reading responses would exhaust memory. */
export const unansweredRequestsMax = 100;
/**
 * Limit of unanswered pipelined requests before the caller is authenticated. No client library pipelines that many
 * requests before its first response.
 */
export const unansweredBeforeAuthenticationMax = 64;
/** Concurrency limit of one connection: further pipelined requests wait, and cannot starve other connections. */
const concurrentPerConnectionMax = 8;
const connectionsMax = 8_000;
/** Maximum number of connections per network. The operator's own proxies are exempt. */
export const connectionsPerNetworkMax = 200;
/** Write timeout. Node checks twice, so a caller that does not read is disconnected after twice this time. */
const unreadResponseTimeoutMs = 4_000;

/** A connection and its requests. */
interface Connection extends QueuedConnection {
  readonly socket: Socket;
  unansweredCount: number;
  isReservedForStream: boolean;
  /** Whether a caller on this connection was authenticated, or has shown a valid checkout link. */
  isAuthenticated: boolean;
  onIdle: () => void;
  /** Called on abuse: behaviour that no legitimate caller shows, and that costs the gateway more than the sender. */
  reportAbuse: () => void;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket): Connection {
  const existing = connections.get(socket);
  if (existing) return existing;
  const connection: Connection = {
    socket,
    unansweredCount: 0,
    inFlight: 0,
    pending: [],
    isQueued: false,
    isReservedForStream: false,
    isAuthenticated: false,
    onIdle: () => undefined,
    reportAbuse: () => undefined,
  };
  connections.set(socket, connection);
  return connection;
}

/** Reserves a connection for one event stream. Closes it and returns false if other requests are pipelined on it. */
export function reserveForStream(socket: Socket): boolean {
  const connection = connectionOf(socket);
  connection.isReservedForStream = true;
  if (connection.unansweredCount > 1) socket.destroy();
  return !socket.destroyed;
}

/** `markAuthenticated` marks a connection as authenticated. Connections without an authenticated caller are evicted first. */
export function markAuthenticated(socket: Socket): void {
  connectionOf(socket).isAuthenticated = true;
}

/**
 * `reportMemoryAbuse` reports a connection whose body was evicted from the memory budget, because its network used most of it.
 * Each such body leaves as much garbage as its length, and V8 collects it late. So its network gets few new connections
 * for a while.
 */
export function reportMemoryAbuse(socket: Socket): void {
  const connection = connectionOf(socket);
  if (!connection.isAuthenticated) connection.reportAbuse();
}

/** Sheds load: rejects a request if it must be rejected at once, and then returns true. */
export type ShedRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * `limitConnections` adds limits that Node lacks. Node waits without limit for callers that do not read, and processes
 * all requests that they pipeline. `limitConnections` starts pipelined requests round-robin over the connections, a few
 * in each turn of the event loop. Load shedding rejects a request on arrival, before it waits behind others.
 */
export function limitConnections(
  app: FastifyInstance,
  proxies: Proxies,
  {
    shed,
    wrapHandler,
  }: { readonly shed: ShedRequest; readonly wrapHandler: (next: RequestHandler) => RequestHandler },
): void {
  const [handler, ...others] = app.server.listeners("request") as [RequestHandler];
  assert.equal(others.length, 0, "Register other request listeners after limitConnections.");
  app.server.removeAllListeners("request");
  const answer = wrapHandler(handler);
  const scheduler = newFairScheduler(concurrentPerConnectionMax, () => performance.now());
  // This listener runs before the handler: an immediate response can finish before a later listener sees its request.
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    connection.unansweredCount += 1;
    if (hasTooManyUnanswered(connection)) return void request.socket.destroy();
    if (request.headers["transfer-encoding"] !== undefined)
      watchForTinyChunks(request, () => {
        connection.reportAbuse();
        // The socket is destroyed with the response. Otherwise Node reads up to two megabytes per turn of the event
        // loop until the peer closes.
        response.once("finish", () => request.socket.destroy());
      });
    response.once("close", () => {
      connection.unansweredCount -= 1;
      connection.inFlight -= 1;
      if (connection.unansweredCount === 0) connection.onIdle();
      else scheduler.enqueue(connection);
    });
    response.once("prefinish", () => response.setTimeout(unreadResponseTimeoutMs));
    if (shed(request, response)) {
      connection.inFlight += 1;
      return;
    }
    if (connection.inFlight === 0 && connection.pending.length === 0) {
      connection.inFlight = 1;
      return answer(request, response);
    }
    connection.pending.push(() => {
      // The limit is checked again: another request may have taken the last slot while this request waited.
      if (!connection.socket.destroyed && !shed(request, response)) answer(request, response);
    });
    scheduler.enqueue(connection);
  });
  app.addHook("onSend", ({ raw }, reply, payload, done) => {
    if (leavesChunksUnread(raw)) void reply.header("connection", "close");
    done(null, payload);
  });
  limitConnectionCount(app, proxies);
}

function hasTooManyUnanswered({
  unansweredCount,
  isAuthenticated,
  isReservedForStream,
  reportAbuse,
}: Connection): boolean {
  if (isReservedForStream) return true;
  if (unansweredCount <= (isAuthenticated ? unansweredRequestsMax : unansweredBeforeAuthenticationMax))
    return false;
  reportAbuse();
  return true;
}

/**
 * Limits connections per network and in total. At a limit the server evicts one connection, from the same network if
 * that network is at its limit. An address may belong to a whole mall, or to a merchant and an attacker together. So
 * unauthenticated connections are evicted first, then those that have been idle longest.
 */
function limitConnectionCount(app: FastifyInstance, proxies: Proxies): void {
  // The connections in the order in which they became idle (LRU), oldest first.
  const all = new Set<Connection>();
  const byNetwork = new Map<string, Set<Connection>>();
  const handshakes = new Map<string, Connection>();
  const abusiveNetworks = newAbusiveNetworkLimiter(() => performance.now());
  const endpointOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

  app.server.on("connection", (socket: Socket) => {
    const address = callerAddress(socket.remoteAddress ?? "", undefined, proxies);
    const network = networkOf(address);
    const sameNetwork = byNetwork.get(network) ?? new Set();
    const isProxy = proxies.has(address);
    if (!isProxy && !abusiveNetworks.mayConnect(network)) return void socket.destroy();
    const isNetworkFull = sameNetwork.size >= connectionsPerNetworkMax && !isProxy;
    if (isNetworkFull ? !evictConnection(sameNetwork) : all.size >= connectionsMax && !evictConnection(all)) {
      socket.destroy();
      return;
    }
    const connection = connectionOf(socket);
    const endpoint = endpointOf(socket);
    const leave = (): void => {
      all.delete(connection);
      sameNetwork.delete(connection);
    };
    const join = (): void => {
      all.add(connection);
      sameNetwork.add(connection);
    };
    connection.onIdle = () => {
      leave();
      if (!socket.destroyed) join();
    };
    connection.reportAbuse = () => {
      if (isProxy) return;
      abusiveNetworks.report(network);
      // Other unauthenticated connections of this network are destroyed, too. Their bytes are in the kernel's buffer
      // already, and Node would parse them within this turn of the event loop.
      for (const other of sameNetwork)
        if (other !== connection && !other.isAuthenticated) other.socket.destroy();
    };
    join();
    byNetwork.set(network, sameNetwork);
    handshakes.set(endpoint, connection);
    socket.once("close", () => {
      leave();
      handshakes.delete(endpoint);
      if (sameNetwork.size === 0 && byNetwork.get(network) === sameNetwork) byNetwork.delete(network);
    });
  });
  // With TLS, requests arrive on a TLSSocket that wraps the counted TCP socket.
  app.server.on("secureConnection", (socket: Socket) => {
    const connection = handshakes.get(endpointOf(socket));
    if (connection) connections.set(socket, connection);
  });
}

const abuseWindowMs = 10_000;
const abusiveConnectionRate = { ratePerSecond: 2, burst: 2 };

/**
 * Rate limit on new connections from networks that sent a body in tiny chunks, pipelined too much before
 * authentication, or filled the memory for bodies. Each such connection costs a full socket read before it can be
 * rejected.
 */
function newAbusiveNetworkLimiter(monotonicMs: () => number): {
  report(network: string): void;
  mayConnect(network: string): boolean;
} {
  const limiter = newRateLimiter(monotonicMs);
  const untilMs = new Map<string, number>();
  return {
    report(network) {
      if (untilMs.size >= connectionsMax) untilMs.clear();
      untilMs.set(network, monotonicMs() + abuseWindowMs);
    },
    mayConnect(network) {
      const until = untilMs.get(network);
      if (until === undefined) return true;
      if (until < monotonicMs()) untilMs.delete(network);
      return until < monotonicMs() || limiter.take(network, abusiveConnectionRate) === 0;
    },
  };
}

function evictConnection(candidates: ReadonlySet<Connection>): boolean {
  let idle: Connection | undefined;
  for (const connection of candidates) {
    const { isAuthenticated, unansweredCount, socket } = connection;
    if (socket.destroyed) continue;
    if (!isAuthenticated) {
      socket.destroy();
      return true;
    }
    if (unansweredCount === 0) idle ??= connection;
  }
  idle?.socket.destroy();
  return idle !== undefined;
}
