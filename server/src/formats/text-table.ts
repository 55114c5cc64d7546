/** A table as lines for the terminal, each column as wide as its widest cell. The first row is the header. */
export function formatTextTable(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0);
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/**
 * Makes another person's text safe to print: escapes control and format characters, which could move, hide or add lines
 * on a terminal.
 */
export function escapeControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

/** A time for people: UTC, to the second. */
export function formatUtcTime(time: Date | undefined, fallback = "never"): string {
  return time ? time.toISOString().slice(0, 19).replace("T", " ") : fallback;
}
