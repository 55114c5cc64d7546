import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { leavesChunksUnread } from "../merchant-api/body-reader.ts";
import { watchForTinyChunks } from "../merchant-api/tiny-chunk-guard.ts";
import { newLimiter } from "../../resilience/limits.ts";
import { scheduleFairly, type Waiting } from "./fair-connection-scheduler.ts";
import { callerAddress, networkOf, type Proxies } from "../../core/network-address.ts";

/** Limit of unanswered pipelined requests. A caller that sends without reading responses would exhaust memory. */
export const unansweredRequestsMax = 100;
/**
 * Limit of unanswered pipelined requests before the caller is authenticated. No client library pipelines that many
 * requests before its first response.
 */
export const answersOwedBeforeProofMax = 64;
/** Concurrency limit of one connection: further pipelined requests wait, and cannot starve other connections. */
const atOncePerConnectionMax = 8;
const connectionsMax = 8_000;
/** Maximum number of connections per network. The operator's own proxies are exempt. */
export const connectionsPerAddressMax = 200;
/** Write timeout. Node checks twice, so a caller that does not read is disconnected after twice this time. */
const unreadAnswerMs = 4_000;

/** A connection and its requests. */
interface Connection extends Waiting {
  readonly socket: Socket;
  owed: number;
  isHeldForOne: boolean;
  /** Whether a caller on this connection was authenticated, or has shown a valid checkout link. */
  isProven: boolean;
  fellIdle: () => void;
  /** Called on abuse: behaviour that no legitimate caller shows, and that costs the gateway more than the sender. */
  misbehaved: () => void;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const connections = new WeakMap<Socket, Connection>();

function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection: Connection = {
    socket,
    owed: 0,
    underWay: 0,
    waiting: [],
    isInLine: false,
    isHeldForOne: false,
    isProven: false,
    fellIdle: () => undefined,
    misbehaved: () => undefined,
  };
  connections.set(socket, connection);
  return connection;
}

/** Reserves a connection for one event stream. Closes it and returns false if other requests are pipelined on it. */
export function reserveForStream(socket: Socket): boolean {
  const connection = connectionOf(socket);
  connection.isHeldForOne = true;
  if (connection.owed > 1) socket.destroy();
  return !socket.destroyed;
}

/** `markAuthenticated` marks a connection as authenticated. Connections without an authenticated caller are evicted first. */
export function markAuthenticated(socket: Socket): void {
  connectionOf(socket).isProven = true;
}

/**
 * `reportMemoryAbuse` reports a connection whose body was evicted from the memory budget, because its network used most of it.
 * Each such body leaves as much garbage as its length, and V8 collects it late. So its network gets few new connections
 * for a while.
 */
export function reportMemoryAbuse(socket: Socket): void {
  const connection = connectionOf(socket);
  if (!connection.isProven) connection.misbehaved();
}

/** Sheds load: rejects a request if it must be rejected at once, and then returns true. */
export type Shed = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * `limitConnections` adds limits that Node lacks. Node waits without limit for callers that do not read, and processes
 * all requests that they pipeline. `limitConnections` starts pipelined requests round-robin over the connections, a few
 * in each turn of the event loop. Load shedding rejects a request on arrival, before it waits behind others.
 */
export function limitConnections(
  app: FastifyInstance,
  proxies: Proxies,
  { shed, around }: { readonly shed: Shed; readonly around: (answer: Answer) => Answer },
): void {
  const [within, ...others] = app.server.listeners("request") as [Answer];
  assert.equal(others.length, 0, "Register other request listeners after limitConnections.");
  app.server.removeAllListeners("request");
  const answer = around(within);
  const turns = scheduleFairly(atOncePerConnectionMax, () => performance.now());
  // This listener runs before the handler: an immediate response can finish before a later listener sees its request.
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    connection.owed += 1;
    if (owesTooMuch(connection)) return void request.socket.destroy();
    if (request.headers["transfer-encoding"] !== undefined)
      watchForTinyChunks(request, () => {
        connection.misbehaved();
        // The socket is destroyed with the response. Otherwise Node reads up to two megabytes per turn of the event
        // loop until the peer closes.
        response.once("finish", () => request.socket.destroy());
      });
    response.once("close", () => {
      connection.owed -= 1;
      connection.underWay -= 1;
      if (connection.owed === 0) connection.fellIdle();
      else turns.wait(connection);
    });
    response.once("prefinish", () => response.setTimeout(unreadAnswerMs));
    if (shed(request, response)) {
      connection.underWay += 1;
      return;
    }
    if (connection.underWay === 0 && connection.waiting.length === 0) {
      connection.underWay = 1;
      return answer(request, response);
    }
    connection.waiting.push(() => {
      // The limit is checked again: another request may have taken the last slot while this request waited.
      if (!connection.socket.destroyed && !shed(request, response)) answer(request, response);
    });
    turns.wait(connection);
  });
  app.addHook("onSend", ({ raw }, reply, payload, done) => {
    if (leavesChunksUnread(raw)) void reply.header("connection", "close");
    done(null, payload);
  });
  countConnections(app, proxies);
}

function owesTooMuch({ owed, isProven, isHeldForOne, misbehaved }: Connection): boolean {
  if (isHeldForOne) return true;
  if (owed <= (isProven ? unansweredRequestsMax : answersOwedBeforeProofMax)) return false;
  misbehaved();
  return true;
}

/**
 * Limits connections per network and in total. At a limit the server evicts one connection, from the same network if
 * that network is at its limit. An address may belong to a whole mall, or to a merchant and an attacker together. So
 * unauthenticated connections are evicted first, then those that have been idle longest.
 */
function countConnections(app: FastifyInstance, proxies: Proxies): void {
  // The connections in the order in which they became idle (LRU), oldest first.
  const all = new Set<Connection>();
  const byNetwork = new Map<string, Set<Connection>>();
  const handshakes = new Map<string, Connection>();
  const watched = watchNetworks(() => performance.now());
  const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

  app.server.on("connection", (socket: Socket) => {
    const address = callerAddress(socket.remoteAddress ?? "", undefined, proxies);
    const network = networkOf(address);
    const own = byNetwork.get(network) ?? new Set();
    const isProxy = proxies.has(address);
    if (!isProxy && !watched.mayConnect(network)) return void socket.destroy();
    const isOneTooMany = own.size >= connectionsPerAddressMax && !isProxy;
    if (isOneTooMany ? !makeRoom(own) : all.size >= connectionsMax && !makeRoom(all)) {
      socket.destroy();
      return;
    }
    const connection = connectionOf(socket);
    const end = endOf(socket);
    const leave = (): void => {
      all.delete(connection);
      own.delete(connection);
    };
    const join = (): void => {
      all.add(connection);
      own.add(connection);
    };
    connection.fellIdle = () => {
      leave();
      if (!socket.destroyed) join();
    };
    connection.misbehaved = () => {
      if (isProxy) return;
      watched.note(network);
      // Other unauthenticated connections of this network are destroyed, too. Their bytes are in the kernel's buffer
      // already, and Node would parse them within this turn of the event loop.
      for (const other of own) if (other !== connection && !other.isProven) other.socket.destroy();
    };
    join();
    byNetwork.set(network, own);
    handshakes.set(end, connection);
    socket.once("close", () => {
      leave();
      handshakes.delete(end);
      if (own.size === 0 && byNetwork.get(network) === own) byNetwork.delete(network);
    });
  });
  // With TLS, requests arrive on a TLSSocket that wraps the counted TCP socket.
  app.server.on("secureConnection", (socket: Socket) => {
    const connection = handshakes.get(endOf(socket));
    if (connection) connections.set(socket, connection);
  });
}

const watchedForMs = 10_000;
const watchedRate = { ratePerSecond: 2, burst: 2 };

/**
 * Rate limit on new connections from networks that sent a body in tiny chunks, pipelined too much before
 * authentication, or filled the memory for bodies. Each such connection costs a full socket read before it can be
 * rejected.
 */
function watchNetworks(monotonicMs: () => number): {
  note(network: string): void;
  mayConnect(network: string): boolean;
} {
  const limiter = newLimiter(monotonicMs);
  const untilMs = new Map<string, number>();
  return {
    note(network) {
      if (untilMs.size >= connectionsMax) untilMs.clear();
      untilMs.set(network, monotonicMs() + watchedForMs);
    },
    mayConnect(network) {
      const until = untilMs.get(network);
      if (until === undefined) return true;
      if (until < monotonicMs()) untilMs.delete(network);
      return until < monotonicMs() || limiter.take(network, watchedRate) === 0;
    },
  };
}

function makeRoom(among: ReadonlySet<Connection>): boolean {
  let idle: Connection | undefined;
  for (const connection of among) {
    const { isProven, owed, socket } = connection;
    if (socket.destroyed) continue;
    if (!isProven) {
      socket.destroy();
      return true;
    }
    if (owed === 0) idle ??= connection;
  }
  idle?.socket.destroy();
  return idle !== undefined;
}
