import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Number of listeners on the same port. Node accepts one connection per listener in each turn of the event loop. In a
 * busy process a turn takes milliseconds, and new connections would wait in the kernel's accept queue, where load
 * shedding cannot reject them.
 */
const listenersMax = 256;

export interface Listening {
  readonly url: string;
  /** Stops accepting, and waits until open connections have closed. */
  close(): Promise<void>;
}

/** Listens on one address several times (SO_REUSEPORT) and hands all connections to one server. */
export async function listenOnManySockets(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  await refuseSharedPort(host, port);
  const reusePort = canShare();
  const url = await app.listen({ host, port, ...(reusePort && { reusePort }) });
  const own = (app.server.address() as AddressInfo).port;
  const others: Server[] = [];
  for (let count = 1; reusePort && count < listenersMax; count += 1) {
    const other = createServer({ noDelay: true }, (socket: Socket) => app.server.emit("connection", socket));
    other.listen({ host, port: own, reusePort });
    await once(other, "listening");
    others.push(other);
  }
  return {
    url,
    close: async () =>
      void (await Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))))),
  };
}

/**
 * Fails if another process uses the port. With SO_REUSEPORT other processes may bind the port, too: for example sandbox
 * and live, or an old and a new process, would each get a part of the callers. So a listener without SO_REUSEPORT binds
 * first.
 */
async function refuseSharedPort(host: string, port: number): Promise<void> {
  const probe = createServer().listen({ host, port });
  await once(probe, "listening");
  await new Promise((resolve) => probe.close(resolve));
}

/**
 * Whether the system balances connections over SO_REUSEPORT listeners. Linux does; on other systems the last listener
 * gets all connections.
 */
function canShare(): boolean {
  return process.platform === "linux";
}
