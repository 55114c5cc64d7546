import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Node takes one new connection from a listener in each turn of its loop. In a process that is busy, a turn takes
 * milliseconds, and whoever opens a connection would wait for it in the kernel, where nobody can say "later".
 */
const listenersMax = 64;

/**
 * How many wait for one listener. What waits longer than its caller has patience for is taken on for nobody; beyond this the
 * kernel drops what arrives, which costs us nothing, and callers' kernels try again a second later.
 */
const backlog = 16;

export interface Listening {
  readonly url: string;
  /** Takes no new connections, and waits until those that came are gone. */
  close(): Promise<void>;
}

/** Listens at one address several times, and lets one server have all the connections. */
export async function listenWidely(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  await refuseSharedPort(host, port);
  const reusePort = canShare();
  const url = await app.listen({ host, port, backlog, ...(reusePort && { reusePort }) });
  const own = (app.server.address() as AddressInfo).port;
  const others: Server[] = [];
  for (let count = 1; reusePort && count < listenersMax; count += 1) {
    const other = createServer({ noDelay: true }, (socket: Socket) => app.server.emit("connection", socket));
    other.listen({ host, port: own, backlog, reusePort });
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
 * Listeners that share a port share it with whoever else asks to. Sandbox and live, or an old process and a new one,
 * would each get some of the callers by mistake, so one that does not share has to fit in first.
 */
async function refuseSharedPort(host: string, port: number): Promise<void> {
  const probe = createServer().listen({ host, port });
  await once(probe, "listening");
  await new Promise((resolve) => probe.close(resolve));
}

/** Elsewhere the kernel gives all connections to the listener that came last. */
function canShare(): boolean {
  return process.platform === "linux";
}
