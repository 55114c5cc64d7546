import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { after } from "node:test";

/** Stands between the gateway and a wallet, and falls silent when it is told to. */
export interface SilentProxy {
  readonly url: string;
  /** From now on takes whatever is sent, and answers nothing. */
  fallSilent(): void;
  /** Serves what comes from now on; what it took while it was silent stays without an answer. */
  answerAgain(): void;
  /** The most connections that waited for an answer at once. */
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

  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    fallSilent: () => {
      silent = true;
    },
    answerAgain: () => {
      silent = false;
    },
    waitingMax: () => waitingMax,
  };
}
