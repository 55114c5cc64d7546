/** The load of one cell: the number of payments of its merchants over a few days. */
export interface CellLoad {
  readonly cell: string;
  readonly merchants: readonly MerchantLoad[];
}

export interface MerchantLoad {
  readonly clientId: string;
  readonly payments: number;
}

export interface PlannedMove extends MerchantLoad {
  readonly from: string;
  readonly to: string;
}

export interface Rebalance {
  readonly moves: readonly PlannedMove[];
  readonly cells: readonly { readonly cell: string; readonly before: number; readonly after: number }[];
}

/**
 * `planMoves` plans moves that bring every cell near the mean load, with as few moves as possible. Each move takes a
 * merchant from the fullest cell to the emptiest: the merchant that halves the difference of these cells best. The plan
 * ends when the fullest cell is within the given percentage of the mean, or when no move helps.
 */
export function planMoves(loads: readonly CellLoad[], withinPercent: number): Rebalance {
  const cells = loads.map(({ cell, merchants }) => ({
    cell,
    before: sumOf(merchants),
    merchants: [...merchants],
  }));
  const total = cells.reduce((sum, { before }) => sum + before, 0);
  const enough = (total / cells.length) * (1 + withinPercent / 100);
  const moves: PlannedMove[] = [];
  for (;;) {
    const byLoad = cells.toSorted(
      (one, other) => sumOf(other.merchants) - sumOf(one.merchants) || one.cell.localeCompare(other.cell),
    );
    const [fullest, emptiest] = [byLoad[0], byLoad.at(-1)];
    if (!fullest || !emptiest || sumOf(fullest.merchants) <= enough) break;
    const gap = sumOf(fullest.merchants) - sumOf(emptiest.merchants);
    const best = fullest.merchants
      .filter(({ payments }) => payments > 0 && payments < gap)
      .toSorted(
        (one, other) =>
          distance(one, gap) - distance(other, gap) || one.clientId.localeCompare(other.clientId),
      )[0];
    if (!best) break;
    fullest.merchants = fullest.merchants.filter(({ clientId }) => clientId !== best.clientId);
    emptiest.merchants.push(best);
    moves.push({ ...best, from: fullest.cell, to: emptiest.cell });
  }
  return {
    moves: withoutDetours(moves),
    cells: cells.map(({ cell, before, merchants }) => ({ cell, before, after: sumOf(merchants) })),
  };
}

/** `withoutDetours` merges the moves of a merchant that was planned to move twice. */
function withoutDetours(moves: readonly PlannedMove[]): readonly PlannedMove[] {
  const first = new Map<string, PlannedMove>();
  for (const move of moves)
    first.set(move.clientId, { ...move, from: first.get(move.clientId)?.from ?? move.from });
  return [...first.values()].filter(({ from, to }) => from !== to);
}

function distance({ payments }: MerchantLoad, gap: number): number {
  return Math.abs(payments - gap / 2);
}

function sumOf(merchants: readonly MerchantLoad[]): number {
  return merchants.reduce((sum, { payments }) => sum + payments, 0);
}
