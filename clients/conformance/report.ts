/** Runs each case and prints its verdict on one line: `<file>/<id> ok`, or `<file>/<id> FAILED why`. */
export async function reportCases(
  file: string,
  cases: Iterable<{ readonly id: string }>,
  run: (id: string) => Promise<string | undefined> | string | undefined,
): Promise<void> {
  for (const { id } of cases) {
    let problem: string | undefined;
    try {
      problem = await run(id);
    } catch (error) {
      problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
    const verdict = problem === undefined ? "ok" : `FAILED ${problem.replaceAll(/\s+/g, " ")}`;
    process.stdout.write(`${file}/${id} ${verdict}\n`);
  }
}

/** Compares two JSON values. Returns nothing if they are equal in any order of fields. */
export function describeDifference(actual: unknown, expected: unknown): string | undefined {
  const [actualJson, expectedJson] = [canonicalJson(actual), canonicalJson(expected)];
  return actualJson === expectedJson ? undefined : `${actualJson} is not ${expectedJson}`;
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** The case with this id. */
export function findCase<Case extends { readonly id: string }>(cases: readonly Case[], id: string): Case {
  const found = cases.find((each) => each.id === id);
  if (!found) throw new Error(`Unknown case ${id}.`);
  return found;
}
