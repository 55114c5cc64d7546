import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Number of listeners on the same port. Node accepts one connection per listener in each turn of the event loop. In a
 * busy process a turn takes milliseconds, and new connections would wait in the kernel's accept queue, where load
 * shedding cannot reject them.
 */
const listenersMax = 256;

export interface Listener {
  readonly url: string;
  /** Stops accepting, and waits until open connections have closed. */
  close(): Promise<void>;
}

/** Listens on one address several times (SO_REUSEPORT) and hands all connections to one server. */
export async function listenOnManySockets(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listener> {
  await refuseSharedPort(host, port);
  const reusePort = canSharePort();
  const url = await app.listen({ host, port, ...(reusePort && { reusePort }) });
  const boundPort = (app.server.address() as AddressInfo).port;
  const extraListeners: Server[] = [];
  for (let count = 1; reusePort && count < listenersMax; count += 1) {
    const extraListener = createServer({ noDelay: true }, (socket: Socket) =>
      app.server.emit("connection", socket),
    );
    extraListener.listen({ host, port: boundPort, reusePort });
    await once(extraListener, "listening");
    extraListeners.push(extraListener);
  }
  return {
    url,
    close: async () =>
      void (await Promise.all(extraListeners.map((other) => new Promise((resolve) => other.close(resolve))))),
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
function canSharePort(): boolean {
  return process.platform === "linux";
}
