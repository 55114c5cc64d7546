/**
 * A line of CSV (RFC 4180): a cell is quoted if it needs to be. The lines are for programs, so negative amounts are not
 * escaped as formulas.
 */
export function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(quoteCell).join(",")}\r\n`;
}

function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Matches a text that begins with a formula sign (`= + - @`, also in its full-width and small forms). The sign may
 * follow characters that a spreadsheet trims or does not show: spaces, controls, zero-width and other default-ignorable
 * characters. A leading tab or line break matches by itself.
 */
const formulaStart = /^(?:[\t\r\n]|[\s\p{Z}\p{C}\p{DI}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

/**
 * Escapes text of a buyer or a merchant's system for a cell (CSV injection). A cell that begins like a formula gets a
 * leading apostrophe; otherwise a spreadsheet would run it with the privileges of the person who opens the file.
 */
export function escapeFormula(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}
