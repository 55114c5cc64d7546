import { fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { CallOrder, Second } from "./overload-caller.ts";
import { startLoneGateway } from "./lone-gateway.ts";

/** The outcome of load at five times the capacity. */
export interface Overload {
  readonly isFresh: boolean;
  /** Payments a second in a closed loop over 64 connections. */
  readonly capacity: number;
  readonly offered: number;
  readonly goodput: number;
  /** Goodput divided by capacity. */
  readonly kept: number;
  readonly goodP99Ms: number;
  readonly refusedP99Ms: number;
  readonly refused: number;
  readonly lost: number;
  /** Seconds until the throughput from before the overload is reached again. */
  readonly recoverySeconds: number;
}

export interface Overloads {
  run(isFresh: boolean, seconds: number): Promise<Overload>;
  stop(): Promise<void>;
}

const factor = 5;
const walletMs = 20;
/** Fewer than the places for new work: a caller that is refused, and asks again at once, is no measure of capacity. */
const crowd = 40;
const few = 8;
/** Load shedding needs the first seconds to adapt. */
const settleSeconds = 2;

export async function startOverloads(durable: boolean): Promise<Overloads> {
  // All callers come from one address, as they do through a proxy.
  const variables = { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
  const { port, servePid, merchants, privateKey, control, stop } = await startLoneGateway({
    durable,
    works: false,
    variables,
  });
  // Like the callers, it has processors of its own elsewhere. Here the database and the wallet would take them away.
  if (process.getuid?.() === 0) setPriority(servePid, constants.priority.PRIORITY_HIGH);
  await control("POST", "/control/faults", { kind: "late-answer", delayMs: walletMs, count: 1_000_000 });
  const caller = fork(fileURLToPath(new URL("overload-caller.ts", import.meta.url)));
  process.once("exit", () => caller.kill("SIGKILL"));
  const clientIds = merchants.map(({ clientId }) => clientId);
  const call = (order: Omit<CallOrder, "port" | "clientIds" | "privateKey">): Promise<readonly Second[]> =>
    new Promise((resolve) => {
      caller.once("message", (seconds) => resolve(seconds as readonly Second[]));
      caller.send({ ...order, port, clientIds, privateKey } satisfies CallOrder);
    });
  // Warm-up.
  await call({ seconds: 2, isFresh: false, connections: crowd });

  async function run(isFresh: boolean, seconds: number): Promise<Overload> {
    const probeSeconds = Math.max(2, Math.min(10, Math.floor(seconds / 4)));
    const usual = perSecond(await call({ seconds: probeSeconds, isFresh, connections: few }));
    const capacity = perSecond(await call({ seconds: probeSeconds, isFresh, connections: crowd }));
    const offered = Math.round(factor * capacity);
    const all = await call({ seconds, isFresh, perSecond: offered });
    const after = await call({ seconds: Math.min(10, seconds), isFresh, connections: few });
    const recovered = after.findIndex(
      ({ good, refused, lost }) => refused + lost === 0 && good >= 0.7 * usual,
    );
    const settled = all.slice(settleSeconds);
    const goodput = sum(settled.map(({ good }) => good)) / settled.length;
    return {
      isFresh,
      capacity: Math.round(capacity),
      offered,
      goodput: Math.round(goodput),
      kept: Math.round((100 * goodput) / capacity) / 100,
      goodP99Ms: p99(settled.flatMap(({ goodMs }) => goodMs)),
      refusedP99Ms: p99(settled.flatMap(({ refusedMs }) => refusedMs)),
      refused: sum(all.map(({ refused }) => refused)),
      lost: sum(all.map(({ lost }) => lost)),
      recoverySeconds: recovered === -1 ? Infinity : recovered + 1,
    };
  }

  return {
    run,
    async stop() {
      caller.kill("SIGKILL");
      await stop();
    },
  };
}

function perSecond(seconds: readonly Second[]): number {
  const settled = seconds.slice(1);
  return sum(settled.map(({ good }) => good)) / settled.length;
}

function p99(ms: readonly number[]): number {
  return Math.round(ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
