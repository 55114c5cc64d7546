import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The faults of a network connection. */
export type LineFault =
  /** Refuse: the proxy resets new connections at once. */
  | { readonly kind: "refuse" }
  /** Black hole: no bytes pass. Bytes that are sent during the fault arrive when the fault ends. */
  | { readonly kind: "black-hole" }
  | { readonly kind: "delay"; readonly delayMs: number }
  /** Cut after: the proxy resets every connection after this number of bytes, counted over both directions. */
  | { readonly kind: "cut-after"; readonly bytes: number }
  | { readonly kind: "throttle"; readonly bytesPerSecond: number };

/** A TCP proxy between two parts, which injects network faults. */
export interface FaultProxy {
  readonly port: number;
  /** Injects a fault, until `heal`. */
  fail(fault: LineFault): void;
  heal(): void;
  /** Resets the open connections; new ones are accepted. */
  reset(): void;
  /** Connects to another port from now on. Old connections are reset, so that the old target is never reached again. */
  moveTo(port: number): void;
  /** Fencing: the proxy connects nowhere until `moveTo`. */
  fence(): void;
  close(): Promise<void>;
}

/** Listens on a free port and forwards to these ports of this machine, round robin. */
export async function startFaultProxy(...targetPorts: readonly number[]): Promise<FaultProxy> {
  const line = newLine();
  const pairs = new Set<() => void>();
  let targets = targetPorts;
  let connections = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
    inside.on("error", () => undefined);
    connections += 1;
    const target = targets[connections % targets.length];
    if (target === undefined || line.fault?.kind === "refuse") return void inside.resetAndDestroy();
    const outside = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    outside.on("error", () => undefined);
    const reset = (): void => {
      inside.resetAndDestroy();
      outside.resetAndDestroy();
    };
    pairs.add(reset);
    const passed = { bytes: 0 };
    void Promise.all([pump(line, passed, inside, outside), pump(line, passed, outside, inside)])
      .catch(reset)
      .finally(() => pairs.delete(reset));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  const reset = (): void => pairs.forEach((each) => each());
  const leadTo = (ports: readonly number[]): void => {
    targets = ports;
    reset();
  };
  return {
    port: (server.address() as AddressInfo).port,
    fail: (fault) => line.become(fault),
    heal: () => line.become(undefined),
    reset,
    moveTo: (port) => leadTo([port]),
    fence: () => leadTo([]),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      leadTo([]);
      line.become(undefined);
      await closed;
    },
  };
}

interface Line {
  readonly fault: LineFault | undefined;
  become(fault: LineFault | undefined): void;
  /** Resolves at the next change. */
  readonly changed: Promise<void>;
}

function newLine(): Line {
  let tell: () => void = () => undefined;
  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      tell = resolve;
    });
  const line = {
    fault: undefined as LineFault | undefined,
    changed: nextChange(),
    become(fault: LineFault | undefined) {
      line.fault = fault;
      const changed = tell;
      line.changed = nextChange();
      changed();
    },
  };
  return line;
}

/** Copies one direction, with back-pressure, as far as the current fault permits. */
function pump(line: Line, passed: { bytes: number }, from: Socket, to: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let waiting = Promise.resolve();
    let waitingCount = 0;
    const pass = (chunk: Buffer): void => {
      if (!to.write(chunk)) from.pause();
    };
    const wait = async (chunk: Buffer, bytes: number): Promise<void> => {
      await struggle(line, bytes, chunk.length);
      waitingCount -= 1;
      pass(chunk);
      from.resume();
    };
    from.on("data", (chunk: Buffer) => {
      passed.bytes += chunk.length;
      if (!line.fault && waitingCount === 0) return pass(chunk);
      // The count of waiting chunks keeps their order: a later chunk waits for an earlier one.
      waitingCount += 1;
      from.pause();
      const { bytes } = passed;
      waiting = waiting.then(() => wait(chunk, bytes)).catch(reject);
    });
    to.on("drain", () => void from.resume());
    from.on("end", () => void waiting.then(() => to.end()));
    from.on(
      "close",
      () => void waiting.then(() => (from.readableEnded ? resolve() : reject(new Error("Cut.")))),
    );
  });
}

async function struggle(line: Line, passedBytes: number, bytes: number): Promise<void> {
  const { fault } = line;
  switch (fault?.kind) {
    case "black-hole":
      await line.changed;
      return struggle(line, passedBytes, bytes);
    case "cut-after":
      if (passedBytes > fault.bytes) throw new Error("Cut.");
      return;
    case "delay":
      return afterMs(fault.delayMs);
    case "throttle":
      // The end of the fault also ends the throttling of waiting bytes.
      return Promise.race([afterMs((bytes / fault.bytesPerSecond) * 1_000), line.changed]);
    case "refuse":
    case undefined:
      return;
  }
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
