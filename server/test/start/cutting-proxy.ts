import { connect, createServer, type Socket } from "node:net";
import { after } from "node:test";

/** A proxy between a process and PostgreSQL that cuts the connection once, at a commit. */
export interface CuttingProxy {
  readonly url: string;
  /** How often a connection was cut, so that a test can assert it. */
  cuts(): number;
}

/**
 * The moment of the cut. With `before`, the server never receives the commit. With `after`, the server has committed,
 * and its confirmation is lost.
 */
export async function startCuttingProxy(url: string, when: "before" | "after"): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let cuts = 0;

  const server = createServer((inside) => {
    const outside = connect(Number(port), hostname);
    let committing = false;
    const cut = (): void => {
      cuts += 1;
      inside.destroy();
      outside.destroy();
    };
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => [inside, outside].forEach((either) => either.destroy()));
    }
    inside.on("data", (chunk) => {
      committing = cuts === 0 && chunk.includes("commit\0");
      if (committing && when === "before") cut();
      else outside.write(chunk);
    });
    outside.on("data", (chunk) => {
      if (committing) cut();
      else inside.write(chunk);
    });
  });

  const proxyPort = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const proxyUrl = new URL(url);
  proxyUrl.port = String(proxyPort);
  return { url: proxyUrl.href, cuts: () => cuts };
}
