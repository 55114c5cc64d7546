import { setTimeout as waitMs } from "node:timers/promises";
import type { CellFleet } from "./cell-fleet.ts";

/** Latency of merchants in other cells while one cell was frozen. */
export interface FrozenCellLatency {
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
export async function freezeCell(
  fleet: CellFleet,
  { times, forMs }: { readonly times: number; readonly forMs: number },
): Promise<FrozenCellLatency> {
  const cell = fleet.cells.at(-1);
  if (!cell) throw new Error("There is no cell to freeze.");
  const others = new Set(
    fleet.merchants.filter((merchant) => merchant.cell !== cell.name).map(({ clientId }) => clientId),
  );
  const startedAtMs = fleet.nowMs();
  const calmMs: number[] = [];
  const frozenMs: number[] = [];
  const latenciesFrom = (fromMs: number): readonly number[] =>
    fleet.history.answers
      .filter(({ clientId, sentAtMs }) => others.has(clientId) && sentAtMs >= fromMs)
      .map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs);
  for (let round = 0; round < times; round += 1) {
    const calmFromMs = fleet.nowMs();
    await waitMs(forMs);
    calmMs.push(...latenciesFrom(calmFromMs));
    await cell.freeze();
    const frozenFromMs = fleet.nowMs();
    await waitMs(forMs);
    frozenMs.push(...latenciesFrom(frozenFromMs));
    await cell.thaw();
    // The queued calls complete together after the thaw; they belong neither to the calm nor to the frozen time.
    await waitMs(forMs / 2);
  }
  const [calmP99Ms, frozenP99Ms] = [p99(calmMs), p99(frozenMs)];
  return {
    cell: cell.name,
    fromMs: startedAtMs,
    untilMs: fleet.nowMs(),
    calmP99Ms,
    frozenP99Ms,
    ratio: frozenP99Ms / calmP99Ms,
    calls: calmMs.length + frozenMs.length,
  };
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}
