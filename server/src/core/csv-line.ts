/** A line of CSV (RFC 4180): a cell stands in quotation marks where it needs them. For programs, so nothing is put before a sum below zero. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(",")}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A formula sign (`= + - @`, also in its full-width and small forms), alone or behind characters that a spreadsheet trims or does not show:
 * blanks, controls, zero-width and other default-ignorable characters. A tab or a line break in front counts by itself.
 */
const beginsFormula = /^(?:[\t\r\n]|[\s\p{Z}\p{C}\p{DI}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

/**
 * What a buyer or a merchant's system has written, for a cell: one that begins like a formula gets an apostrophe in front, because a program
 * for sheets would run it, with the rights of the person who opens the file.
 */
export function csvText(text: string): string {
  return beginsFormula.test(text) ? `'${text}` : text;
}
