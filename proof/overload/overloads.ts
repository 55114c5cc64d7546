import { fork, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { p99, sum } from "../reports/figures.ts";
import type { CallOrder, Second } from "./overload-caller.ts";
import { startLoneGateway, type LoneGateway } from "../installation/lone-gateway.ts";

/** The outcome of load at five times the capacity. */
export interface Overload {
  readonly isFresh: boolean;
  /** Payments per second in a closed loop over 64 connections. */
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
  /** The load as a multiple of the capacity (default five). */
  run(isFresh: boolean, seconds: number, times?: number): Promise<Overload>;
  /** Sends calls at a constant rate from a separate process. */
  call(order: CallsAsked): Promise<readonly Second[]>;
  stop(): Promise<void>;
}

/** A serving process, and the merchants that call it. */
export type Target = Pick<LoneGateway, "port" | "servePid" | "merchants" | "privateKey" | "control" | "stop">;

type CallsAsked = Omit<CallOrder, "port" | "clientIds" | "privateKey"> &
  Partial<Pick<CallOrder, "clientIds">>;

/**
 * A new connection can be rejected only after it is accepted. Accepting and rejecting thousands per second costs a part
 * of the capacity. Therefore operators should run a proxy with keep-alive connections in front.
 */
export const limits = {
  kept: { name: "kept connections", goodputMin: 0.85, goodP99MsMax: 1_500, refusedP99MsMax: 100 },
  fresh: { name: "new connections", goodputMin: 0.35, goodP99MsMax: 2_000, refusedP99MsMax: 1_000 },
};
export const recoverySecondsMax = 10;

/** Results of a round that exceed its limits. */
export function missesOf(round: Overload): readonly string[] {
  const { name, goodputMin, goodP99MsMax, refusedP99MsMax } = round.isFresh ? limits.fresh : limits.kept;
  return [
    ...(round.kept < goodputMin ? [`${name}: goodput is ${round.kept} of capacity`] : []),
    ...(round.goodP99Ms > goodP99MsMax ? [`${name}: answers took ${round.goodP99Ms} ms`] : []),
    ...(round.refusedP99Ms > refusedP99MsMax ? [`${name}: refusals took ${round.refusedP99Ms} ms`] : []),
    ...(round.lost > 0 ? [`${name}: ${round.lost} got no response, or an unknown outcome`] : []),
    ...(round.recoverySeconds > recoverySecondsMax ? [`${name}: the throughput has not recovered`] : []),
    ...(round.refused === 0 ? [`${name}: no request was rejected, so this was no overload`] : []),
  ];
}

const factor = 5;
const providerMs = 20;
/**
 * Number of connections that measure the capacity. It is lower than the gateway's slots for new work, because a
 * rejected caller that retries at once would falsify the measurement.
 */
const crowd = 40;
const few = 8;
/** Seconds at the start that are not measured, because load shedding needs them to adapt. */
const settleSeconds = 2;

export async function startOverloads(durable: boolean): Promise<Overloads> {
  // Callers use loopback addresses, which the gateway treats as a proxy.
  const variables = { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
  return overloadsOf(await startLoneGateway({ durable, works: false, variables }));
}

/** `retries` is the number of times that clients retry after a rejection with a retry hint. */
export async function overloadsOf(target: Target, retries = 0): Promise<Overloads> {
  const { servePid, merchants, control, stop } = target;
  // In production the callers, the database and the providers have their own processors. Here they compete with the
  // process for CPU time.
  if (process.getuid?.() === 0) setPriority(servePid, constants.priority.PRIORITY_HIGH);
  await control("POST", "/control/faults", { kind: "late-answer", delayMs: providerMs, count: 1_000_000 });
  const callers: ChildProcess[] = [];
  const all = merchants.map(({ clientId }) => clientId);
  const call: Overloads["call"] = (order) => callFrom(callers, target, { clientIds: all, ...order });
  // Warm-up.
  await call({ seconds: 2, isFresh: false, connections: crowd });

  async function run(isFresh: boolean, seconds: number, times = factor): Promise<Overload> {
    const probeSeconds = Math.max(2, Math.min(10, Math.floor(seconds / 4)));
    const usual = perSecond(await call({ seconds: probeSeconds, isFresh, connections: few }));
    const capacity = perSecond(await call({ seconds: probeSeconds, isFresh, connections: crowd }));
    const offered = Math.round(times * capacity);
    const during = await call({ seconds, isFresh, perSecond: offered, retries });
    const after = await call({ seconds: Math.min(10, seconds), isFresh, connections: few });
    const recovered = after.findIndex(
      ({ good, refused, unavailable, lost }) => refused + unavailable + lost === 0 && good >= 0.7 * usual,
    );
    const settled = during.slice(settleSeconds);
    const goodput = sum(settled.map(({ good }) => good)) / settled.length;
    return {
      isFresh,
      capacity: Math.round(capacity),
      offered,
      goodput: Math.round(goodput),
      kept: Math.round((100 * goodput) / capacity) / 100,
      goodP99Ms: p99(settled.flatMap(({ goodMs }) => goodMs)),
      refusedP99Ms: p99(settled.flatMap(({ refusedMs }) => refusedMs)),
      refused: sum(during.map(({ refused }) => refused)),
      lost: sum(during.map(({ lost, unavailable }) => lost + unavailable)),
      recoverySeconds: recovered === -1 ? Infinity : recovered + 1,
    };
  }

  return {
    run,
    call,
    async stop() {
      for (const caller of callers) caller.kill("SIGKILL");
      await stop();
    },
  };
}

/** Concurrent callers are separate processes; an idle one is reused. */
async function callFrom(
  free: ChildProcess[],
  { port, privateKey }: Target,
  order: Omit<CallOrder, "port" | "privateKey">,
): Promise<readonly Second[]> {
  const caller = free.pop() ?? fork(fileURLToPath(new URL("overload-caller.ts", import.meta.url)));
  const seconds = await new Promise<readonly Second[]>((resolve) => {
    caller.once("message", (told) => resolve(told as readonly Second[]));
    caller.send({ ...order, port, privateKey } satisfies CallOrder);
  });
  free.push(caller);
  return seconds;
}

function perSecond(seconds: readonly Second[]): number {
  const settled = seconds.slice(1);
  return sum(settled.map(({ good }) => good)) / settled.length;
}
