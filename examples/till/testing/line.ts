import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The line between a till and the gateway. It can be cut, and it can lose answers. */
export interface Line {
  readonly url: string;
  /** Breaks all connections, and every new one. */
  cut(): void;
  /** The gateway gets what is sent, and of what it answers nothing comes back, so many times. */
  loseAnswers(count: number): void;
  /** As good as new. */
  mend(): void;
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
    mend() {
      [isCut, toLose] = [false, 0];
    },
    async stop() {
      for (const near of open) near.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
