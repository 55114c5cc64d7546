/** Grade of a case: a failed `must` sets the exit code, a failed `should` is only advice. */
export type Grade = "must" | "should";

/** One requirement for a webhook receiver, a gateway or a provider, and its check. */
export interface Case<World> {
  readonly id: string;
  readonly grade: Grade;
  /** The requirement as a sentence. */
  readonly demands: string;
  /** The change that makes the checked system pass, if the check fails. */
  readonly fix: string;
  /**
   * Throws `Unmet` if the checked system does not meet the requirement, and `NotSeen` if the check can not observe it
   * from outside.
   */
  find(world: World): Promise<void>;
}

export interface Group<World> {
  readonly name: string;
  readonly cases: readonly Case<World>[];
}

/** Outcome of one case. */
export interface Verdict {
  readonly id: string;
  readonly group: string;
  readonly grade: Grade;
  readonly demands: string;
  readonly outcome: "holds" | "broken" | "not seen";
  /** The observed behaviour, or the reason why the check could not observe anything. */
  readonly found?: string;
  readonly fix?: string;
}

/**
 * `Unmet` reports a requirement that the checked system does not meet. The message describes the observed behaviour.
 */
export class Unmet extends Error {}

/** `NotSeen` reports a requirement that the check could not test. The message says what is missing. */
export class NotSeen extends Error {}

export function demand(isMet: boolean, found: string): asserts isMet {
  if (!isMet) throw new Unmet(found);
}

/**
 * Runs the cases one after the other. An error of the checked system, such as a missing response, fails only the case
 * in which it occurs.
 */
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
  const { id, grade, demands, fix } = each;
  const about = { id, group, grade, demands };
  try {
    await each.find(world);
    return { ...about, outcome: "holds" };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    if (error instanceof NotSeen) return { ...about, outcome: "not seen", found };
    return { ...about, outcome: "broken", found, fix };
  }
}

type Find<World> = (world: World) => Promise<void>;

export function must<World>(id: string, demands: string, fix: string, find: Find<World>): Case<World> {
  return { id, grade: "must", demands, fix, find };
}

export function should<World>(id: string, demands: string, fix: string, find: Find<World>): Case<World> {
  return { id, grade: "should", demands, fix, find };
}
