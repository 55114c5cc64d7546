import { fork, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { p99, sum } from "../reports/statistics.ts";
import type { OverloadCallOptions, Second } from "./overload-caller.ts";
import { startSingleGateway, type SingleGateway } from "../installation/single-gateway.ts";

/** The outcome of load at five times the capacity. */
export interface Overload {
  readonly usesNewConnections: boolean;
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

export interface OverloadRunner {
  /** The load as a multiple of the capacity (default five). */
  run(usesNewConnections: boolean, seconds: number, times?: number): Promise<Overload>;
  /** Sends calls at a constant rate from a separate process. */
  call(load: CallerLoad): Promise<readonly Second[]>;
  stop(): Promise<void>;
}

/** A serving process, and the merchants that call it. */
export type Target = Pick<
  SingleGateway,
  "port" | "servePid" | "merchants" | "privateKey" | "control" | "stop"
>;

type CallerLoad = Omit<OverloadCallOptions, "port" | "clientIds" | "privateKey"> &
  Partial<Pick<OverloadCallOptions, "clientIds">>;

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
export function findMisses(round: Overload): readonly string[] {
  const { name, goodputMin, goodP99MsMax, refusedP99MsMax } = round.usesNewConnections
    ? limits.fresh
    : limits.kept;
  return [
    ...(round.kept < goodputMin ? [`${name}: goodput is ${round.kept} of capacity`] : []),
    ...(round.goodP99Ms > goodP99MsMax ? [`${name}: answers took ${round.goodP99Ms} ms`] : []),
    ...(round.refusedP99Ms > refusedP99MsMax ? [`${name}: refusals took ${round.refusedP99Ms} ms`] : []),
    ...(round.lost > 0 ? [`${name}: ${round.lost} got no response, or an unknown outcome`] : []),
    ...(round.recoverySeconds > recoverySecondsMax ? [`${name}: the throughput has not recovered`] : []),
    ...(round.refused === 0 ? [`${name}: no request was rejected, so this was no overload`] : []),
  ];
}

const overloadFactor = 5;
const providerMs = 20;
/**
 * Number of connections that measure the capacity. It is lower than the gateway's slots for new work, because a
 * rejected caller that retries at once would falsify the measurement.
 */
const capacityConnections = 40;
const probeConnections = 8;
/** Seconds at the start that are not measured, because load shedding needs them to adapt. */
const settleSeconds = 2;

export async function startOverloadRunner(durable: boolean): Promise<OverloadRunner> {
  // Callers use loopback addresses, which the gateway treats as a proxy.
  const variables = { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
  return newOverloadRunner(await startSingleGateway({ durable, hasWorker: false, variables }));
}

/** `retries` is the number of times that clients retry after a rejection with a retry hint. */
export async function newOverloadRunner(target: Target, retries = 0): Promise<OverloadRunner> {
  const { servePid, merchants, control, stop } = target;
  // In production the callers, the database and the providers have their own processors. Here they compete with the
  // process for CPU time.
  if (process.getuid?.() === 0) setPriority(servePid, constants.priority.PRIORITY_HIGH);
  await control("POST", "/control/faults", { kind: "late-answer", delayMs: providerMs, count: 1_000_000 });
  const callers: ChildProcess[] = [];
  const allClientIds = merchants.map(({ clientId }) => clientId);
  const call: OverloadRunner["call"] = (load) =>
    runCaller(callers, target, { clientIds: allClientIds, ...load });
  // Warm-up.
  await call({ seconds: 2, usesNewConnections: false, connections: capacityConnections });

  async function run(
    usesNewConnections: boolean,
    seconds: number,
    times = overloadFactor,
  ): Promise<Overload> {
    const probeSeconds = Math.max(2, Math.min(10, Math.floor(seconds / 4)));
    const usualRate = averageGoodput(
      await call({ seconds: probeSeconds, usesNewConnections, connections: probeConnections }),
    );
    const capacity = averageGoodput(
      await call({ seconds: probeSeconds, usesNewConnections, connections: capacityConnections }),
    );
    const offered = Math.round(times * capacity);
    const during = await call({ seconds, usesNewConnections, perSecond: offered, retries });
    const after = await call({
      seconds: Math.min(10, seconds),
      usesNewConnections,
      connections: probeConnections,
    });
    const recoveredIndex = after.findIndex(
      ({ good, refused, unavailable, lost }) => refused + unavailable + lost === 0 && good >= 0.7 * usualRate,
    );
    const measuredSeconds = during.slice(settleSeconds);
    const goodput = sum(measuredSeconds.map(({ good }) => good)) / measuredSeconds.length;
    return {
      usesNewConnections,
      capacity: Math.round(capacity),
      offered,
      goodput: Math.round(goodput),
      kept: Math.round((100 * goodput) / capacity) / 100,
      goodP99Ms: p99(measuredSeconds.flatMap(({ goodMs }) => goodMs)),
      refusedP99Ms: p99(measuredSeconds.flatMap(({ refusedMs }) => refusedMs)),
      refused: sum(during.map(({ refused }) => refused)),
      lost: sum(during.map(({ lost, unavailable }) => lost + unavailable)),
      recoverySeconds: recoveredIndex === -1 ? Infinity : recoveredIndex + 1,
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
async function runCaller(
  idleCallers: ChildProcess[],
  { port, privateKey }: Target,
  load: Omit<OverloadCallOptions, "port" | "privateKey">,
): Promise<readonly Second[]> {
  const caller = idleCallers.pop() ?? fork(fileURLToPath(new URL("overload-caller.ts", import.meta.url)));
  const seconds = await new Promise<readonly Second[]>((resolve) => {
    caller.once("message", (report) => resolve(report as readonly Second[]));
    caller.send({ ...load, port, privateKey } satisfies OverloadCallOptions);
  });
  idleCallers.push(caller);
  return seconds;
}

function averageGoodput(seconds: readonly Second[]): number {
  const measuredSeconds = seconds.slice(1);
  return sum(measuredSeconds.map(({ good }) => good)) / measuredSeconds.length;
}
