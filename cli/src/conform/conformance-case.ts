/** Grade of a case: a failed `must` sets the exit code, a failed `should` is only advice. */
export type Grade = "must" | "should";

/** One requirement for a webhook receiver, a gateway or a provider, and its check. */
export interface Case<Context> {
  readonly id: string;
  readonly grade: Grade;
  /** The requirement as a sentence. */
  readonly demands: string;
  /** The change that makes the checked system pass, if the check fails. */
  readonly fix: string;
  /**
   * Throws `UnmetRequirement` if the checked system does not meet the requirement, and `NotObservable` if the check can
   * not observe it from outside.
   */
  check(context: Context): Promise<void>;
}

export interface CaseGroup<Context> {
  readonly name: string;
  readonly cases: readonly Case<Context>[];
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
 * `UnmetRequirement` reports a requirement that the checked system does not meet. The message describes the observed
 * behaviour.
 */
export class UnmetRequirement extends Error {}

/** `NotObservable` reports a requirement that the check could not test. The message says what is missing. */
export class NotObservable extends Error {}

export function ensure(isMet: boolean, found: string): asserts isMet {
  if (!isMet) throw new UnmetRequirement(found);
}

/**
 * Runs the cases one after the other. An error of the checked system, such as a missing response, fails only the case
 * in which it occurs.
 */
export async function runGroups<Context>(
  groups: readonly CaseGroup<Context>[],
  context: Context,
  onVerdict: (verdict: Verdict) => void,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { name, cases } of groups)
    for (const each of cases) {
      const verdict = await evaluateCase(each, name, context);
      verdicts.push(verdict);
      onVerdict(verdict);
    }
  return verdicts;
}

async function evaluateCase<Context>(each: Case<Context>, group: string, context: Context): Promise<Verdict> {
  const { id, grade, demands, fix } = each;
  const caseFields = { id, group, grade, demands };
  try {
    await each.check(context);
    return { ...caseFields, outcome: "holds" };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    if (error instanceof NotObservable) return { ...caseFields, outcome: "not seen", found };
    return { ...caseFields, outcome: "broken", found, fix };
  }
}

type CheckFunction<Context> = (context: Context) => Promise<void>;

export function requiredCase<Context>(
  id: string,
  demands: string,
  fix: string,
  check: CheckFunction<Context>,
): Case<Context> {
  return { id, grade: "must", demands, fix, check };
}

export function advisedCase<Context>(
  id: string,
  demands: string,
  fix: string,
  check: CheckFunction<Context>,
): Case<Context> {
  return { id, grade: "should", demands, fix, check };
}
