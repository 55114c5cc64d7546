import { setTimeout as waitMs } from "node:timers/promises";
import type { CellFleet } from "./cell-fleet.ts";

/** Latency of merchants in other cells while one cell was frozen. */
export interface FrozenSeen {
  readonly cell: string;
  /** The time of the first freeze; `untilMs` is the time of the last thaw. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly calmP99Ms: number;
  readonly frozenP99Ms: number;
  readonly ratio: number;
  readonly calls: number;
}

/** Freezes every process of one cell, several times, while merchants of all cells send orders. */
export async function freezeOne(
  fleet: CellFleet,
  { times, forMs }: { readonly times: number; readonly forMs: number },
): Promise<FrozenSeen> {
  const cell = fleet.cells.at(-1);
  if (!cell) throw new Error("There is no cell to freeze.");
  const others = new Set(
    fleet.merchants.filter((merchant) => merchant.cell !== cell.name).map(({ clientId }) => clientId),
  );
  const beganAtMs = fleet.nowMs();
  const calm: number[] = [];
  const frozen: number[] = [];
  const tookFrom = (fromMs: number): readonly number[] =>
    fleet.history.answers
      .filter(({ clientId, sentAtMs }) => others.has(clientId) && sentAtMs >= fromMs)
      .map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs);
  for (let time = 0; time < times; time += 1) {
    const calmFromMs = fleet.nowMs();
    await waitMs(forMs);
    calm.push(...tookFrom(calmFromMs));
    await cell.freeze();
    const frozenFromMs = fleet.nowMs();
    await waitMs(forMs);
    frozen.push(...tookFrom(frozenFromMs));
    await cell.thaw();
    // The queued calls complete together after the thaw; they belong neither to the calm nor to the frozen time.
    await waitMs(forMs / 2);
  }
  const [calmP99Ms, frozenP99Ms] = [p99(calm), p99(frozen)];
  return {
    cell: cell.name,
    fromMs: beganAtMs,
    untilMs: fleet.nowMs(),
    calmP99Ms,
    frozenP99Ms,
    ratio: frozenP99Ms / calmP99Ms,
    calls: calm.length + frozen.length,
  };
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}
