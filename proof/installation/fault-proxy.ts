import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The faults of a network connection. */
export type NetworkFault =
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
  fail(fault: NetworkFault): void;
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
  const faultState = newFaultState();
  const pairs = new Set<() => void>();
  let targets = targetPorts;
  let connections = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (incoming) => {
    incoming.on("error", () => undefined);
    connections += 1;
    const target = targets[connections % targets.length];
    if (target === undefined || faultState.fault?.kind === "refuse") return void incoming.resetAndDestroy();
    const outgoing = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    outgoing.on("error", () => undefined);
    const reset = (): void => {
      incoming.resetAndDestroy();
      outgoing.resetAndDestroy();
    };
    pairs.add(reset);
    const copied = { bytes: 0 };
    void Promise.all([
      copyBytes(faultState, copied, incoming, outgoing),
      copyBytes(faultState, copied, outgoing, incoming),
    ])
      .catch(reset)
      .finally(() => pairs.delete(reset));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  const reset = (): void => pairs.forEach((each) => each());
  const routeTo = (ports: readonly number[]): void => {
    targets = ports;
    reset();
  };
  return {
    port: (server.address() as AddressInfo).port,
    fail: (fault) => faultState.setFault(fault),
    heal: () => faultState.setFault(undefined),
    reset,
    moveTo: (port) => routeTo([port]),
    fence: () => routeTo([]),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      routeTo([]);
      faultState.setFault(undefined);
      await closed;
    },
  };
}

interface FaultState {
  readonly fault: NetworkFault | undefined;
  setFault(fault: NetworkFault | undefined): void;
  /** Resolves at the next change. */
  readonly changed: Promise<void>;
}

function newFaultState(): FaultState {
  let resolveChange: () => void = () => undefined;
  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      resolveChange = resolve;
    });
  const faultState = {
    fault: undefined as NetworkFault | undefined,
    changed: nextChange(),
    setFault(fault: NetworkFault | undefined) {
      faultState.fault = fault;
      const changed = resolveChange;
      faultState.changed = nextChange();
      changed();
    },
  };
  return faultState;
}

/** Copies one direction, with back-pressure, as far as the current fault permits. */
function copyBytes(
  faultState: FaultState,
  copied: { bytes: number },
  from: Socket,
  to: Socket,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let pending = Promise.resolve();
    let pendingCount = 0;
    const forward = (chunk: Buffer): void => {
      if (!to.write(chunk)) from.pause();
    };
    const wait = async (chunk: Buffer, bytes: number): Promise<void> => {
      await applyFault(faultState, bytes, chunk.length);
      pendingCount -= 1;
      forward(chunk);
      from.resume();
    };
    from.on("data", (chunk: Buffer) => {
      copied.bytes += chunk.length;
      if (!faultState.fault && pendingCount === 0) return forward(chunk);
      // The count of waiting chunks keeps their order: a later chunk waits for an earlier one.
      pendingCount += 1;
      from.pause();
      const { bytes } = copied;
      pending = pending.then(() => wait(chunk, bytes)).catch(reject);
    });
    to.on("drain", () => void from.resume());
    from.on("end", () => void pending.then(() => to.end()));
    from.on(
      "close",
      () => void pending.then(() => (from.readableEnded ? resolve() : reject(new Error("Cut.")))),
    );
  });
}

async function applyFault(faultState: FaultState, passedBytes: number, bytes: number): Promise<void> {
  const { fault } = faultState;
  switch (fault?.kind) {
    case "black-hole":
      await faultState.changed;
      return applyFault(faultState, passedBytes, bytes);
    case "cut-after":
      if (passedBytes > fault.bytes) throw new Error("Cut.");
      return;
    case "delay":
      return waitMs(fault.delayMs);
    case "throttle":
      // The end of the fault also ends the throttling of waiting bytes.
      return Promise.race([waitMs((bytes / fault.bytesPerSecond) * 1_000), faultState.changed]);
    case "refuse":
    case undefined:
      return;
  }
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
