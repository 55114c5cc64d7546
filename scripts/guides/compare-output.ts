/** Values that differ between runs → their replacement. Ids keep their length, so that a wrong one is still found. */
const variableValues: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d:\d\d|Z)/g, "<time>"],
  [/\b\d\d:\d\d:\d\d\b/g, "<clock>"],
  [/\b127\.0\.0\.1:\d+/g, "<address>"],
  [/\bSANDBOX_[0-9A-Z]+/g, "<client>"],
  [/\b[0-9a-f]{32}\b/g, "<random>"],
  [/\b\d{10,}\b/g, (digits) => `<${digits.length} digits>`],
];

/**
 * Compares the output on a page with the real one; undefined if they are equal. In the page's output, `…` matches any
 * text within a line, and a line with only `…` matches any number of lines.
 */
export function compareOutput(displayed: readonly string[], printed: readonly string[]): string | undefined {
  const pattern = displayed.map((line) =>
    line.trim() === "…"
      ? "(?:.*\n)*"
      : `${replaceVariableValues(line).split("…").map(escapeRegExp).join(".*")}\n`,
  );
  const text = printed.map((line) => `${replaceVariableValues(line)}\n`).join("");
  if (new RegExp(`^${pattern.join("")}$`).test(text)) return undefined;
  return `the output differs from the page:\n${printed.map((line) => `    ${line}`).join("\n")}`;
}

function replaceVariableValues(line: string): string {
  return variableValues.reduce(
    (text, [pattern, instead]) =>
      typeof instead === "string" ? text.replaceAll(pattern, instead) : text.replaceAll(pattern, instead),
    line.trimEnd(),
  );
}

/** Escapes a text for use in a regular expression. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
