import type { Break } from "./break.ts";

/** Counts and sums of the reconciled and open movements of one provider in one currency. */
export interface Agreement {
  readonly connector: string | undefined;
  readonly currency: string;
  readonly matchedCount: number;
  /** Sum of the reconciled payments and captures. */
  readonly takenMinor: bigint;
  /** Sum of the reconciled refunds and other returns. */
  readonly givenBackMinor: bigint;
  /** Movements after the cut-off of the provider's files. */
  readonly openCount: number;
}

export interface ReconciliationTotal extends Agreement {
  readonly breakCount: number;
  readonly oldestBreakAt: Date | undefined;
}

/** Returns one line for each provider and currency, even if nothing is reconciled. */
export function totalsOf(
  agreements: readonly Agreement[],
  breaks: readonly Break[],
): readonly ReconciliationTotal[] {
  const known = new Map(agreements.map((agreement) => [nameOf(agreement), agreement]));
  for (const { connector, currency } of breaks) {
    const name = nameOf({ connector, currency });
    if (!known.has(name)) known.set(name, { ...nothing, connector, currency });
  }
  return [...known]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, agreement]) => {
      const own = breaks.filter((each) => nameOf(each) === name);
      const times = own.flatMap(({ at }) => (at ? [at.getTime()] : []));
      const oldestBreakAt = times.length > 0 ? new Date(times.reduce((a, b) => Math.min(a, b))) : undefined;
      return { ...agreement, breakCount: own.length, oldestBreakAt };
    });
}

const nothing = { matchedCount: 0, takenMinor: 0n, givenBackMinor: 0n, openCount: 0 };

function nameOf({ connector = "", currency }: Pick<Break, "connector" | "currency">): string {
  return `${connector} ${currency}`;
}
