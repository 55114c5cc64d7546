const heading = "## Unreleased\n";

/** The entries under Unreleased; empty if there are none. */
export function unreleasedEntries(changelog: string): string {
  const [, rest] = changelog.split(heading);
  if (rest === undefined) throw new Error(`There is no heading "${heading.trim()}".`);
  return (rest.split(/^## /m)[0] ?? "").trim();
}

/** Moves the unreleased entries under a heading with the version and its day. */
export function addRelease(changelog: string, version: string, day: string): string {
  return changelog.replace(heading, `${heading}\n## ${version}, ${day}\n`);
}

export function isReleased(changelog: string, version: string): boolean {
  return changelog.split("\n").some((line) => line.startsWith(`## ${version}, `));
}
