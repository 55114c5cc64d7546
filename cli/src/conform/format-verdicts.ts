import type { Verdict } from "./conformance-case.ts";

const marks = { holds: "ok   ", broken: "FAIL ", "not seen": "-    " } as const;

/** Prints a verdict for people: one line, and for a broken case what was found and how to fix it. */
export function formatVerdict({ id, grade, demands, outcome, found, fix }: Verdict): string {
  const mark = outcome === "broken" && grade === "should" ? "warn " : marks[outcome];
  const lines = [`  ${mark} ${demands}`];
  if (outcome === "not seen") lines.push(`        not seen: ${found}`);
  if (outcome === "broken")
    lines.push(`        found: ${found}`, `        fix:   ${fix}`, `        (${grade}, ${id})`);
  return `${lines.join("\n")}\n`;
}

/** The summary in one line. */
export function formatSummary(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict["outcome"], grade?: Verdict["grade"]): number =>
    verdicts.filter((each) => each.outcome === outcome && (grade ?? each.grade) === each.grade).length;
  const broken = `broken: ${count("broken", "must")} must, ${count("broken", "should")} should`;
  // The advice names the first case, because it needs the correct key and address, and all later cases need them as
  // well.
  const advice =
    verdicts[0]?.outcome === "broken" ? " Begin with the first: the others may follow from it." : "";
  return `${hasPassed(verdicts) ? "PASSED" : "FAILED"}: ${count("holds")} hold; ${broken}; ${count("not seen")} not seen.${advice}`;
}

/** Returns true if no required case is broken and at least one case holds. */
export function hasPassed(verdicts: readonly Verdict[]): boolean {
  const isBroken = verdicts.some(({ outcome, grade }) => outcome === "broken" && grade === "must");
  return !isBroken && verdicts.some(({ outcome }) => outcome === "holds");
}
