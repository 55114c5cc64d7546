import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { leavesChunksUnread } from "./body-reader.ts";
import { watchForCrumbs } from "./crumbs.ts";
import { newLimiter } from "./limits.ts";
import { takeTurns, type Waiting } from "./turns.ts";
import { callerAddress, networkOf, type Proxies } from "./network-address.ts";

/** How many answers a connection may owe. Only who means to fill our memory asks on and on without reading. */
export const answersOwedMax = 100;
/** So many before anybody has proved who it is: no library asks ahead of its first answer. */
export const answersOwedBeforeProofMax = 64;
/** Of these so many are worked on. The others wait: nobody comes before others by asking faster than it is answered. */
const atOncePerConnectionMax = 8;
const connectionsMax = 8_000;
/** A proxy of the operator's may have as many as it likes. */
export const connectionsPerAddressMax = 200;
/** Node looks twice before it believes that nothing moves: a caller that does not read is gone after twice this. */
const unreadAnswerMs = 4_000;

/** A connection, and what is going on on it. */
interface Connection extends Waiting {
  readonly socket: Socket;
  owed: number;
  isHeldForOne: boolean;
  /** Whether somebody has proved on it who it is, or has shown a checkout link of ours. */
  isProven: boolean;
  fellIdle: () => void;
  /** Did what no honest caller does, and what costs us more than it costs whoever does it. */
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

/** Keeps a connection for one answer that goes on and on; false, and the end of it, when more was asked on it. */
export function holdForOne(socket: Socket): boolean {
  const connection = connectionOf(socket);
  connection.isHeldForOne = true;
  if (connection.owed > 1) socket.destroy();
  return !socket.destroyed;
}

/** When connections have to go, those on which nobody has shown a right to be served go first. */
export function hasProven(socket: Socket): void {
  connectionOf(socket).isProven = true;
}

/** Refuses a request, if it is to be refused at once. */
export type Shed = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * What Node leaves open: it waits for ever for callers that do not read, and answers all that they ask meanwhile. Requests
 * are answered in turn, a few in each turn of the event loop; whom there is no place for is told so when it comes, and does
 * not wait until others are done with theirs.
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
  // Before whoever answers: an answer that is ready at once has ended before anybody else hears of its request.
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    connection.owed += 1;
    if (owesTooMuch(connection)) return void request.socket.destroy();
    if (request.headers["transfer-encoding"] !== undefined)
      watchForCrumbs(request, () => {
        connection.misbehaved();
        // Not when Node would: it reads on, up to two megabytes in a turn, until the other side has taken note.
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
      // Others may have taken the last place meanwhile.
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
 * When there are too many, one makes room, first of all one from the same address: behind an address there may be a whole
 * mall, or a merchant beside a stranger. The first to go is who has not shown for longest that it has a right to be here,
 * then whose connection has been idle for longest: what browsers keep open for later is worth least.
 */
function countConnections(app: FastifyInstance, proxies: Proxies): void {
  // Each in the order in which they fell idle.
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
      // What the others have sent is still in the kernel, and would be taken in within this turn of the loop.
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
  // Over TLS requests come on a socket of their own, around the one that was counted.
  app.server.on("secureConnection", (socket: Socket) => {
    const connection = handshakes.get(endOf(socket));
    if (connection) connections.set(socket, connection);
  });
}

const watchedForMs = 10_000;
const watchedRate = { ratePerSecond: 2, burst: 2 };

/**
 * Networks from which somebody has sent a body in crumbs, or has asked ahead of its first answer too often. Each costs us a
 * whole read, and is gone before it can be told to wait, so they get few new connections for a while.
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
