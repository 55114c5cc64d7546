/**
 * A library's API as text, one line for each item: `owner | signature`. An item that callers must provide,
 * such as a required field of a request or a method of an interface that programs implement, has `!` before
 * its signature.
 */
export interface ApiLine {
  readonly owner: string;
  readonly signature: string;
  readonly isRequired?: boolean;
}

export function reportOf(language: string, lines: readonly ApiLine[]): string {
  const head = `API of the library for ${language}. Written by \`npm run api:report\`; do not edit.`;
  const texts = lines.map(
    ({ owner, signature, isRequired = false }) => `${owner} | ${isRequired ? "! " : ""}${signature}`,
  );
  return `${[head, "", ...[...new Set(texts)].toSorted()].join("\n")}\n`;
}

export interface Changes {
  /** Changes that can break an existing program. */
  readonly breaks: readonly string[];
  readonly additions: readonly string[];
}

/**
 * The changes of an API. A changed signature counts as a removal and an addition, because this tool cannot
 * know whether the new one is compatible.
 */
export function changesBetween(before: string, now: string): Changes {
  const [old, current] = [linesOf(before), linesOf(now)];
  const owners = new Set([...old].map(ownerOf));
  const removed = [...old].filter((line) => !current.has(line)).map((line) => `gone: ${line}`);
  const added = [...current].filter((line) => !old.has(line));
  const isRequiredAddition = (line: string): boolean => line.includes(" | ! ") && owners.has(ownerOf(line));
  return {
    breaks: [...removed, ...added.filter(isRequiredAddition).map((line) => `newly required: ${line}`)],
    additions: added.filter((line) => !isRequiredAddition(line)),
  };
}

function linesOf(report: string): ReadonlySet<string> {
  return new Set(report.split("\n").filter((line) => line.includes(" | ")));
}

function ownerOf(line: string): string {
  return line.split(" | ")[0] ?? "";
}
