/** How much a case weighs: what must hold decides the exit code, what should hold is advice. */
export type Grade = "must" | "should";

/** One thing that is demanded of a receiver, a gateway or a wallet, and the way to find out. */
export interface Case<World> {
  readonly id: string;
  readonly grade: Grade;
  /** What has to hold, as a sentence. */
  readonly demands: string;
  /** What to do where it does not hold. */
  readonly mend: string;
  /** Throws `Unmet` when it does not hold, and `NotSeen` when it cannot be told from outside. */
  find(world: World): Promise<void>;
}

export interface Group<World> {
  readonly name: string;
  readonly cases: readonly Case<World>[];
}

/** What became of a case. */
export interface Verdict {
  readonly id: string;
  readonly group: string;
  readonly grade: Grade;
  readonly demands: string;
  readonly outcome: "holds" | "broken" | "not seen";
  /** What was found instead, or why nothing could be seen. */
  readonly found?: string;
  readonly mend?: string;
}

/** A demand that is not met; the message says what was found instead. */
export class Unmet extends Error {}

/** Nothing can be said about a demand; the message says what is missing. */
export class NotSeen extends Error {}

export function demand(isMet: boolean, found: string): asserts isMet {
  if (!isMet) throw new Unmet(found);
}

/** Runs one case after the other. A fault of the other side, such as no answer at all, breaks the case that met it. */
export async function runGroups<World>(
  groups: readonly Group<World>[],
  world: World,
  onVerdict: (verdict: Verdict) => void,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { name, cases } of groups)
    for (const each of cases) {
      const verdict = await verdictOn(each, name, world);
      verdicts.push(verdict);
      onVerdict(verdict);
    }
  return verdicts;
}

async function verdictOn<World>(each: Case<World>, group: string, world: World): Promise<Verdict> {
  const { id, grade, demands, mend } = each;
  const about = { id, group, grade, demands };
  try {
    await each.find(world);
    return { ...about, outcome: "holds" };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    if (error instanceof NotSeen) return { ...about, outcome: "not seen", found };
    return { ...about, outcome: "broken", found, mend };
  }
}

type Find<World> = (world: World) => Promise<void>;

export function must<World>(id: string, demands: string, mend: string, find: Find<World>): Case<World> {
  return { id, grade: "must", demands, mend, find };
}

export function should<World>(id: string, demands: string, mend: string, find: Find<World>): Case<World> {
  return { id, grade: "should", demands, mend, find };
}
