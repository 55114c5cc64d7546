import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** One way of being slow: what is sent at once, and what then drips. */
export interface SlowKind {
  readonly name: string;
  readonly count: number;
  readonly start: string;
  readonly drip: string;
  /** For how often; then a byte now and then, which tells whether the connection still holds. */
  readonly dripCount: number;
  readonly dripEveryMs: number;
  /** A caller that never reads what it is sent. */
  readonly reads: boolean;
}

export interface SlowOrder {
  readonly port: number;
  readonly kinds: readonly SlowKind[];
}

export interface SlowReport {
  /** Milliseconds after which connections of each kind were cut. */
  readonly cuts: Readonly<Record<string, readonly number[]>>;
  /** How late this process's own timers were at worst: so much of the above is the machine's doing. */
  readonly lateMs: number;
}

/** From the parent: the order, then "enough". To the parent: "open", then the report. */
export type Said = "open" | SlowReport;

const probeEveryMs = 500;
const slices = 50;

// A process of its own, so that two thousand sockets do not slow down whoever measures.
process.once("message", (order: SlowOrder) => void run(order));

async function run({ port, kinds }: SlowOrder): Promise<void> {
  const cuts: Record<string, number[]> = Object.fromEntries(kinds.map(({ name }) => [name, []]));
  const enough = new AbortController();
  let begun = 0;
  const lateness = monitorEventLoopDelay({ resolution: 20 });
  lateness.enable();

  /** A client that is cut off reconnects, until there is enough to see. */
  async function beSlow(kind: SlowKind, turn: number): Promise<void> {
    let opened = (): void => void (begun += 1);
    do {
      cuts[kind.name]?.push(await oneConnection(port, kind, turn, opened));
      opened = () => undefined;
    } while (!enough.signal.aborted);
  }

  const ended = kinds.flatMap((kind) => Array.from({ length: kind.count }, (_, turn) => beSlow(kind, turn)));
  // Not until all are open at the same moment: when some had to knock twice, the first have been cut meanwhile.
  while (begun < ended.length) await new Promise((resolve) => setTimeout(resolve, 20));
  process.send?.("open" satisfies Said);
  process.once("message", () => enough.abort());
  await Promise.all(ended);
  const lateMs = lateness.max / 1e6;
  process.send?.({ cuts, lateMs } satisfies Said, () => process.disconnect());
}

function oneConnection(port: number, kind: SlowKind, turn: number, opened: () => void): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    let openedAtMs = 0;
    let drips: NodeJS.Timeout | undefined;
    const cut = (): void => {
      clearInterval(drips);
      socket.destroy();
      resolve(performance.now() - openedAtMs);
    };
    socket.on("error", () => undefined).on("close", cut);
    if (kind.reads) socket.resume().on("end", cut);
    else socket.pause();
    socket.once("connect", () => {
      openedAtMs = performance.now();
      opened();
      socket.write(kind.start);
      // Not all at the same moment: slow callers do not know of each other.
      setTimeout(() => (drips = dripping(socket, kind)), (kind.dripEveryMs / slices) * (turn % slices));
    });
  });
}

function dripping(socket: Socket, { drip, dripCount, dripEveryMs }: SlowKind): NodeJS.Timeout {
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
