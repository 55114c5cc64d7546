import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A proxy between a point of sale and the gateway. It can break connections, and it can lose responses. */
export interface Line {
  readonly url: string;
  /** Breaks all connections, existing and new ones. */
  cut(): void;
  /** Forwards requests to the gateway and drops this number of responses. */
  loseAnswers(count: number): void;
  /** Restores normal operation. */
  repair(): void;
  stop(): Promise<void>;
}

export async function startLine(gatewayUrl: string): Promise<Line> {
  const { hostname, port } = new URL(gatewayUrl);
  let isCut = false;
  let toLose = 0;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy();
    const far = connect(Number(port), hostname);
    open.add(near);
    const end = (): void => {
      open.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const side of [near, far]) side.on("error", end).on("close", end);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (toLose === 0) return void near.write(bytes);
      toLose -= 1;
      near.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const near of open) near.resetAndDestroy();
    },
    loseAnswers(count) {
      toLose = count;
    },
    repair() {
      [isCut, toLose] = [false, 0];
    },
    async stop() {
      for (const near of open) near.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
