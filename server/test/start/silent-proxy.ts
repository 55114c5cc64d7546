import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { after } from "node:test";

/** A proxy between the gateway and a provider that stops responding on demand. */
export interface SilentProxy {
  readonly url: string;
  /** Makes the proxy accept requests and never respond. */
  stopResponding(): void;
  /** Makes the proxy serve new requests again. Requests that it accepted while silent never get a response. */
  resumeResponding(): void;
  /** The largest number of connections that waited for a response at the same time. */
  waitingMax(): number;
}

export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const waiting = new Set<Socket>();
  let silent = false;
  let waitingMax = 0;

  const server = createServer((inside) => {
    const outside = connect(Number(port), hostname);
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        waiting.delete(inside);
        for (const either of [inside, outside]) either.destroy();
      });
    }
    inside.on("data", (chunk) => {
      if (silent) waiting.add(inside);
      waitingMax = Math.max(waitingMax, waiting.size);
      if (!waiting.has(inside)) outside.write(chunk);
    });
    outside.on("data", (chunk) => inside.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const proxyUrl = new URL(url);
  proxyUrl.port = String((server.address() as AddressInfo).port);
  return {
    url: proxyUrl.href,
    stopResponding: () => {
      silent = true;
    },
    resumeResponding: () => {
      silent = false;
    },
    waitingMax: () => waitingMax,
  };
}
