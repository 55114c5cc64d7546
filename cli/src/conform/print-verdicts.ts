import type { Verdict } from "./case.ts";

const marks = { holds: "ok   ", broken: "FAIL ", "not seen": "-    " } as const;

/** A verdict for people: a line, and what was found and how to mend it where it is broken. */
export function linesOf({ id, grade, demands, outcome, found, mend }: Verdict): string {
  const mark = outcome === "broken" && grade === "should" ? "warn " : marks[outcome];
  const lines = [`  ${mark} ${demands}`];
  if (outcome === "not seen") lines.push(`        not seen: ${found}`);
  if (outcome === "broken")
    lines.push(`        found: ${found}`, `        mend:  ${mend}`, `        (${grade}, ${id})`);
  return `${lines.join("\n")}\n`;
}

/** How it went, in one line. */
export function summaryOf(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict["outcome"], grade?: Verdict["grade"]): number =>
    verdicts.filter((each) => each.outcome === outcome && (grade ?? each.grade) === each.grade).length;
  const broken = `broken: ${count("broken", "must")} must, ${count("broken", "should")} should`;
  // What the first case needs, all others need as well: a key that fits, an address that is right.
  const advice = verdicts[0]?.outcome === "broken" ? " Begin with the first: others may follow from it." : "";
  return `${passes(verdicts) ? "PASSED" : "FAILED"}: ${count("holds")} hold; ${broken}; ${count("not seen")} not seen.${advice}`;
}

/** What must hold, holds; and something was looked at. */
export function passes(verdicts: readonly Verdict[]): boolean {
  const isBroken = verdicts.some(({ outcome, grade }) => outcome === "broken" && grade === "must");
  return !isBroken && verdicts.some(({ outcome }) => outcome === "holds");
}
