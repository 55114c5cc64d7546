/**
 * `csvLine` returns a line of CSV (RFC 4180). It prevents CSV injection: a cell that begins like a formula gets a
 * leading apostrophe. Without it, a spreadsheet program would run text of a buyer or a merchant's system with the
 * permissions of the person who opens the file.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/**
 * A formula sign (`= + - @`, also full-width and small forms), alone or after characters that a spreadsheet trims or
 * hides: blanks, controls, zero-width and other default-ignorable characters. A leading tab or line break counts by
 * itself.
 */
const beginsFormula = /^(?:[\t\r\n]|[\s\p{Z}\p{C}\p{DI}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

function csvCell(text: string): string {
  const safe = beginsFormula.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/**
 * Byte order mark (BOM). Without it, Excel reads UTF-8 as the local code page and shows wrong characters. Other
 * programs skip it.
 */
export const csvStart = "\u{FEFF}";
