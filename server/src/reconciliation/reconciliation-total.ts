import type { Break } from "./break.ts";

/** Counts and sums of the reconciled and open movements of one provider in one currency. */
export interface MovementTotals {
  readonly connector: string | undefined;
  readonly currency: string;
  readonly matchedCount: number;
  /** Sum of the reconciled payments and captures. */
  readonly takenMinor: bigint;
  /** Sum of the reconciled refunds and other returns, less the refunds that failed after they succeeded. */
  readonly givenBackMinor: bigint;
  /** Movements after the cut-off of the provider's files. */
  readonly openCount: number;
}

export interface ReconciliationTotal extends MovementTotals {
  readonly breakCount: number;
  readonly oldestBreakAt: Date | undefined;
}

/** Returns one line for each provider and currency, even if nothing is reconciled. */
export function reconciliationTotals(
  movementTotals: readonly MovementTotals[],
  breaks: readonly Break[],
): readonly ReconciliationTotal[] {
  const totalsByGroup = new Map(movementTotals.map((agreement) => [groupKeyOf(agreement), agreement]));
  for (const { connector, currency } of breaks) {
    const name = groupKeyOf({ connector, currency });
    if (!totalsByGroup.has(name)) totalsByGroup.set(name, { ...zeroTotals, connector, currency });
  }
  return [...totalsByGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, agreement]) => {
      const groupBreaks = breaks.filter((each) => groupKeyOf(each) === name);
      const times = groupBreaks.flatMap(({ at }) => (at ? [at.getTime()] : []));
      const oldestBreakAt = times.length > 0 ? new Date(times.reduce((a, b) => Math.min(a, b))) : undefined;
      return { ...agreement, breakCount: groupBreaks.length, oldestBreakAt };
    });
}

const zeroTotals = { matchedCount: 0, takenMinor: 0n, givenBackMinor: 0n, openCount: 0 };

function groupKeyOf({ connector = "", currency }: Pick<Break, "connector" | "currency">): string {
  return `${connector} ${currency}`;
}
