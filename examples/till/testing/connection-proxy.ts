import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A proxy between a point of sale and the gateway. It can break connections, and it can lose responses. */
export interface ConnectionProxy {
  readonly url: string;
  /** Breaks all connections, existing and new ones. */
  cut(): void;
  /** Forwards requests to the gateway and drops this number of responses. */
  dropResponses(count: number): void;
  /** Restores normal operation. */
  repair(): void;
  stop(): Promise<void>;
}

export async function startConnectionProxy(gatewayUrl: string): Promise<ConnectionProxy> {
  const { hostname, port } = new URL(gatewayUrl);
  let isCut = false;
  let responsesToDrop = 0;
  const openSockets = new Set<Socket>();
  const server = createServer((clientSocket) => {
    if (isCut) return void clientSocket.resetAndDestroy();
    const gatewaySocket = connect(Number(port), hostname);
    openSockets.add(clientSocket);
    const closeBoth = (): void => {
      openSockets.delete(clientSocket);
      clientSocket.destroy();
      gatewaySocket.destroy();
    };
    for (const side of [clientSocket, gatewaySocket]) side.on("error", closeBoth).on("close", closeBoth);
    clientSocket.on("data", (bytes) => gatewaySocket.write(bytes));
    gatewaySocket.on("data", (bytes) => {
      if (responsesToDrop === 0) return void clientSocket.write(bytes);
      responsesToDrop -= 1;
      clientSocket.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const clientSocket of openSockets) clientSocket.resetAndDestroy();
    },
    dropResponses(count) {
      responsesToDrop = count;
    },
    repair() {
      [isCut, responsesToDrop] = [false, 0];
    },
    async stop() {
      for (const clientSocket of openSockets) clientSocket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
