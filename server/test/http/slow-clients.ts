import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** A kind of slow client: bytes that are sent at once, and bytes that follow slowly. */
export interface SlowClientKind {
  readonly name: string;
  readonly count: number;
  readonly start: string;
  readonly drip: string;
  /**
   * Number of slow bytes. After them the client sends a byte every half second, to notice whether the connection is
   * still open.
   */
  readonly dripCount: number;
  readonly dripEveryMs: number;
  /** Whether the client reads responses. */
  readonly reads: boolean;
}

export interface SlowClientPlan {
  readonly port: number;
  readonly kinds: readonly SlowClientKind[];
}

export interface SlowClientReport {
  /** Milliseconds after which connections of each kind were closed. */
  readonly closedAfterMs: Readonly<Record<string, readonly number[]>>;
  /** The largest delay of this process's own timers in ms. The machine causes this part of the measured times. */
  readonly timerDelayMs: number;
}

/** Messages to the parent process: first "open", then the report. The parent sends the order, and later "enough". */
export type SlowClientMessage = "open" | SlowClientReport;

const probeEveryMs = 500;
const slices = 50;

// A separate process, so that two thousand sockets do not slow down the measuring process.
process.once("message", (order: SlowClientPlan) => void run(order));

async function run({ port, kinds }: SlowClientPlan): Promise<void> {
  const cuts: Record<string, number[]> = Object.fromEntries(kinds.map(({ name }) => [name, []]));
  const enough = new AbortController();
  let openedCount = 0;
  const lateness = monitorEventLoopDelay({ resolution: 20 });
  lateness.enable();

  /** A client whose connection is closed reconnects, until there are enough samples. */
  async function runSlowClient(kind: SlowClientKind, clientNumber: number): Promise<void> {
    let opened = (): void => void (openedCount += 1);
    do {
      cuts[kind.name]?.push(await measureConnection(port, kind, clientNumber, opened));
      opened = () => undefined;
    } while (!enough.signal.aborted);
  }

  const ended = kinds.flatMap((kind) =>
    Array.from({ length: kind.count }, (_, clientNumber) => runSlowClient(kind, clientNumber)),
  );
  // The process waits until each client has opened a connection. Some clients had to retry while the server already
  // closed the first connections.
  while (openedCount < ended.length) await new Promise((resolve) => setTimeout(resolve, 20));
  process.send?.("open" satisfies SlowClientMessage);
  process.once("message", () => enough.abort());
  await Promise.all(ended);
  const lateMs = lateness.max / 1e6;
  process.send?.({ closedAfterMs: cuts, timerDelayMs: lateMs } satisfies SlowClientMessage, () =>
    process.disconnect(),
  );
}

function measureConnection(
  port: number,
  kind: SlowClientKind,
  clientNumber: number,
  opened: () => void,
): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    let openedAtMs = 0;
    let drips: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearInterval(drips);
      socket.destroy();
      resolve(performance.now() - openedAtMs);
    };
    socket.on("error", () => undefined).on("close", finish);
    if (kind.reads) socket.resume().on("end", finish);
    else socket.pause();
    socket.once("connect", () => {
      openedAtMs = performance.now();
      opened();
      socket.write(kind.start);
      // Spread over time, because slow clients are not synchronized.
      setTimeout(
        () => (drips = startDripping(socket, kind)),
        (kind.dripEveryMs / slices) * (clientNumber % slices),
      );
    });
  });
}

function startDripping(socket: Socket, { drip, dripCount, dripEveryMs }: SlowClientKind): NodeJS.Timeout {
  let left = dripCount;
  let nextProbeAtMs = 0;
  return setInterval(() => {
    if (!socket.writable) return;
    if (left > 0) socket.write(drip);
    else if (performance.now() > nextProbeAtMs) {
      nextProbeAtMs = performance.now() + probeEveryMs;
      socket.write("x");
    }
    left -= 1;
  }, dripEveryMs);
}
