import type { Break } from "./break.ts";

/** What of one wallet in one currency agrees, and what does not yet. */
export interface Agreement {
  readonly connector: string | undefined;
  readonly currency: string;
  readonly matchedCount: number;
  /** Of what is matched: payments and captures. */
  readonly takenMinor: bigint;
  /** Of what is matched: refunds, and what else went back. */
  readonly givenBackMinor: bigint;
  /** Too young for the wallet's files. */
  readonly openCount: number;
}

export interface MatchTotal extends Agreement {
  readonly breakCount: number;
  readonly oldestBreakAt: Date | undefined;
}

/** One line for each wallet and currency, also for those of which nothing agrees. */
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
