/**
 * A line of CSV (RFC 4180). A cell that begins like a formula gets an apostrophe in front: a program for sheets would run what a
 * buyer or a merchant's system has written, with the rights of the person who opens the file.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/**
 * A formula sign (`= + - @`, also in its full-width and small forms), alone or behind characters that a spreadsheet trims or does not show:
 * blanks, controls, zero-width and other default-ignorable characters. A tab or a line break in front counts by itself.
 */
const beginsFormula = /^(?:[\t\r\n]|[\s\p{Z}\p{C}\p{DI}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

function csvCell(text: string): string {
  const safe = beginsFormula.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** In front of the file (BOM): without it Excel reads UTF-8 as the code page of the machine, and spoils every name. Others skip it. */
export const csvStart = "\u{FEFF}";
