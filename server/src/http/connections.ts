import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { leavesChunksUnread } from "./body-reader.ts";
import { watchForCrumbs } from "./crumbs.ts";
import { newLimiter } from "../core/limits.ts";
import { takeTurns, type Waiting } from "./turns.ts";
import { callerAddress, networkOf, type Proxies } from "./network-address.ts";

/** Limit of unanswered pipelined requests: a caller that sends without reading would fill our memory. */
export const answersOwedMax = 100;
/** The same before the caller is authenticated: no library pipelines so far ahead of its first answer. */
export const answersOwedBeforeProofMax = 64;
/** Concurrency limit of a connection: a fast sender's pipelined requests wait, and cannot starve others. */
const atOncePerConnectionMax = 8;
const connectionsMax = 8_000;
/** The operator's own proxies are exempt. */
export const connectionsPerAddressMax = 200;
/** Write timeout. Node checks twice, so a caller that does not read is cut off after twice this. */
const unreadAnswerMs = 4_000;

/** A connection and its requests. */
interface Connection extends Waiting {
  readonly socket: Socket;
  owed: number;
  isHeldForOne: boolean;
  /** Whether a caller on it was authenticated, or has shown a valid checkout link. */
  isProven: boolean;
  fellIdle: () => void;
  /** Called on abuse: something that no honest caller does, and that costs us more than the sender. */
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

/**
 * Reserves a connection for one endless answer. When other requests were pipelined on it, closes it: false.
 */
export function holdForOne(socket: Socket): boolean {
  const connection = connectionOf(socket);
  connection.isHeldForOne = true;
  if (connection.owed > 1) socket.destroy();
  return !socket.destroyed;
}

/** Connections without an authenticated caller are evicted first. */
export function hasProven(socket: Socket): void {
  connectionOf(socket).isProven = true;
}

/**
 * Its body was evicted from the memory budget, of which its network held most. Each such body has cost us as much garbage
 * as it has bytes, and V8 lets tens of megabytes pile up; so a stranger's network gets few new connections for a while.
 */
export function hasCrowded(socket: Socket): void {
  const connection = connectionOf(socket);
  if (!connection.isProven) connection.misbehaved();
}

/** Refuses a request, if it is to be refused at once. */
export type Shed = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * What Node lacks: it waits for ever for callers that do not read, and answers all that they pipeline
 * meanwhile. Pipelined requests are started round-robin over the connections, a few in each turn of the event
 * loop. Load shedding refuses a request on arrival, before it has waited for others.
 */
export function limitConnections(
  app: FastifyInstance,
  proxies: Proxies,
  { shed, around }: { readonly shed: Shed; readonly around: (answer: Answer) => Answer },
): void {
  const [within, ...others] = app.server.listeners("request") as [Answer];
  assert.equal(
    others.length,
    0,
    "Who else listens has to come after this, or would be taken for who answers.",
  );
  app.server.removeAllListeners("request");
  const answer = around(within);
  const turns = takeTurns(atOncePerConnectionMax, () => performance.now());
  // Before the handler: an answer that is ready at once ends before a later listener hears of its request.
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    connection.owed += 1;
    if (owesTooMuch(connection)) return void request.socket.destroy();
    if (request.headers["transfer-encoding"] !== undefined)
      watchForCrumbs(request, () => {
        connection.misbehaved();
        // With the answer: Node would read on, up to two megabytes in a turn, until the peer has closed.
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
      // Checked again: the last place may have been taken while it waited.
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
  if (owed <= (isProven ? answersOwedMax : answersOwedBeforeProofMax)) return false;
  misbehaved();
  return true;
}

/**
 * Connection limits, by network and in all. At a limit one connection is evicted, of the same network if that
 * is full: an address may be a whole mall, or a merchant beside a stranger. Unauthenticated connections go
 * first, then those that have been idle longest: browsers keep them open just in case.
 */
function countConnections(app: FastifyInstance, proxies: Proxies): void {
  // Each in the order in which they fell idle (LRU).
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
      // Their bytes are in the kernel's buffer, and would be parsed within this turn of the event loop.
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
  // Over TLS requests come on a TLSSocket, which wraps the TCP socket that was counted.
  app.server.on("secureConnection", (socket: Socket) => {
    const connection = handshakes.get(endOf(socket));
    if (connection) connections.set(socket, connection);
  });
}

const watchedForMs = 10_000;
const watchedRate = { ratePerSecond: 2, burst: 2 };

/**
 * Rate limit on new connections from networks that have sent a body in tiny chunks, pipelined too much before
 * authentication, or filled the memory for bodies. Each such connection costs a whole read before it can be refused.
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
