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

export interface RebalancePlan {
  readonly moves: readonly PlannedMove[];
  readonly cells: readonly { readonly cell: string; readonly before: number; readonly after: number }[];
}

/**
 * `planMoves` plans moves that bring every cell near the mean load, with as few moves as possible. Each move takes a
 * merchant from the fullest cell to the emptiest: the merchant that halves the difference of these cells best. The plan
 * ends when the fullest cell is within the given percentage of the mean, or when no move helps.
 */
export function planMoves(loads: readonly CellLoad[], withinPercent: number): RebalancePlan {
  const cells = loads.map(({ cell, merchants }) => ({
    cell,
    before: sumOf(merchants),
    merchants: [...merchants],
  }));
  const total = cells.reduce((sum, { before }) => sum + before, 0);
  const loadMax = (total / cells.length) * (1 + withinPercent / 100);
  const moves: PlannedMove[] = [];
  for (;;) {
    const byLoad = cells.toSorted(
      (left, right) => sumOf(right.merchants) - sumOf(left.merchants) || left.cell.localeCompare(right.cell),
    );
    const [fullest, emptiest] = [byLoad[0], byLoad.at(-1)];
    if (!fullest || !emptiest || sumOf(fullest.merchants) <= loadMax) break;
    const gap = sumOf(fullest.merchants) - sumOf(emptiest.merchants);
    const best = fullest.merchants
      .filter(({ payments }) => payments > 0 && payments < gap)
      .toSorted(
        (left, right) =>
          distance(left, gap) - distance(right, gap) || left.clientId.localeCompare(right.clientId),
      )[0];
    if (!best) break;
    fullest.merchants = fullest.merchants.filter(({ clientId }) => clientId !== best.clientId);
    emptiest.merchants.push(best);
    moves.push({ ...best, from: fullest.cell, to: emptiest.cell });
  }
  return {
    moves: mergeMoves(moves),
    cells: cells.map(({ cell, before, merchants }) => ({ cell, before, after: sumOf(merchants) })),
  };
}

/** `mergeMoves` merges the moves of a merchant that was planned to move twice. */
function mergeMoves(moves: readonly PlannedMove[]): readonly PlannedMove[] {
  const moveByClient = new Map<string, PlannedMove>();
  for (const move of moves)
    moveByClient.set(move.clientId, { ...move, from: moveByClient.get(move.clientId)?.from ?? move.from });
  return [...moveByClient.values()].filter(({ from, to }) => from !== to);
}

function distance({ payments }: MerchantLoad, gap: number): number {
  return Math.abs(payments - gap / 2);
}

function sumOf(merchants: readonly MerchantLoad[]): number {
  return merchants.reduce((sum, { payments }) => sum + payments, 0);
}
