const heading = "## Unreleased\n";

/** The entries that wait for a release; empty where there are none. */
export function unreleased(changelog: string): string {
  const [, rest] = changelog.split(heading);
  if (rest === undefined) throw new Error(`There is no heading "${heading.trim()}".`);
  return (rest.split(/^## /m)[0] ?? "").trim();
}

/** What was unreleased stands under the version and its day, below a heading for what comes next. */
export function withRelease(changelog: string, version: string, day: string): string {
  return changelog.replace(heading, `${heading}\n## ${version}, ${day}\n`);
}

export function isReleased(changelog: string, version: string): boolean {
  return changelog.split("\n").some((line) => line.startsWith(`## ${version}, `));
}
