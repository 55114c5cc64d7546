import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** How many answers a connection may owe. Only who means to fill our memory asks on and on without reading. */
export const answersOwedMax = 100;
/** Node looks twice before it believes that nothing moves: a caller that does not read is gone after twice this. */
const unreadAnswerMs = 4_000;

const owed = new WeakMap<Socket, number>();
const heldForOne = new WeakSet<Socket>();

/** Keeps a connection for one answer that goes on and on; false, and the end of it, when more was asked on it. */
export function holdForOne(socket: Socket): boolean {
  heldForOne.add(socket);
  if ((owed.get(socket) ?? 0) > 1) socket.destroy();
  return !socket.destroyed;
}

/** What Node leaves open: it waits for ever for callers that do not read, and answers all that they ask meanwhile. */
export function limitConnections(app: FastifyInstance): void {
  // Before whoever answers: an answer that is ready at once has ended before anybody else hears of its request.
  app.server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    owed.set(socket, (owed.get(socket) ?? 0) + 1);
    response.once("close", () => owed.set(socket, (owed.get(socket) ?? 0) - 1));
    response.once("prefinish", () => response.setTimeout(unreadAnswerMs));
  });
  app.addHook("onRequest", ({ raw }, reply, done) => {
    const isFree = !heldForOne.has(raw.socket) && (owed.get(raw.socket) ?? 0) <= answersOwedMax;
    if (isFree) return done();
    reply.hijack();
    raw.socket.destroy();
  });
}
