import type { Break } from "./break.ts";

/** The movements of one wallet in one currency that match, and those that are open. */
export interface Agreement {
  readonly connector: string | undefined;
  readonly currency: string;
  readonly matchedCount: number;
  /** Sum of the matched payments and captures. */
  readonly takenMinor: bigint;
  /** Sum of the matched refunds, and of all else that went back. */
  readonly givenBackMinor: bigint;
  /** Movements after the cut-off of the wallet's files. */
  readonly openCount: number;
}

export interface MatchTotal extends Agreement {
  readonly breakCount: number;
  readonly oldestBreakAt: Date | undefined;
}

/** One line for each wallet and currency, also where nothing matches. */
export function totalsOf(agreements: readonly Agreement[], breaks: readonly Break[]): readonly MatchTotal[] {
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
