import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CallOrder, Second } from "./overload-caller.ts";
import { startLoneGateway } from "./lone-gateway.ts";

/** What a gateway did with five times what it can do. */
export interface Overload {
  readonly isFresh: boolean;
  /** Payments a second, over 64 connections, each as soon as the one before is answered. */
  readonly capacity: number;
  readonly offered: number;
  readonly goodput: number;
  /** Goodput by capacity. */
  readonly kept: number;
  readonly goodP99Ms: number;
  readonly refusedP99Ms: number;
  readonly refused: number;
  readonly lost: number;
  /** Seconds until what was usual before is usual again. */
  readonly recoverySeconds: number;
}

export interface Overloads {
  run(isFresh: boolean, seconds: number): Promise<Overload>;
  stop(): Promise<void>;
}

const factor = 5;
const walletMs = 20;
const crowd = 64;
const few = 8;
/** The first seconds are for the guard to notice. */
const settleSeconds = 2;

export async function startOverloads(durable: boolean): Promise<Overloads> {
  // All callers come from one address, as they do through a proxy.
  const variables = { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
  const { port, merchants, privateKey, control, stop } = await startLoneGateway({
    durable,
    works: false,
    variables,
  });
  await control("POST", "/control/faults", { kind: "late-answer", delayMs: walletMs, count: 1_000_000 });
  const caller = fork(fileURLToPath(new URL("overload-caller.ts", import.meta.url)));
  process.once("exit", () => caller.kill("SIGKILL"));
  const clientIds = merchants.map(({ clientId }) => clientId);
  const call = (order: Omit<CallOrder, "port" | "clientIds" | "privateKey">): Promise<readonly Second[]> =>
    new Promise((resolve) => {
      caller.once("message", (seconds) => resolve(seconds as readonly Second[]));
      caller.send({ ...order, port, clientIds, privateKey } satisfies CallOrder);
    });
  // For the code to get warm.
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
