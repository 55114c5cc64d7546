/**
 * A line of CSV (RFC 4180). A cell that begins like a formula gets an apostrophe in front: a program for sheets would run what a
 * buyer or a merchant's system has written, with the rights of the person who opens the file.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Also in their wide forms, which some programs take for the same. */
const beginsFormula = /^[=+\-@\t\r\n＝＋－＠]/;

function csvCell(text: string): string {
  const safe = beginsFormula.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** In front of the file (BOM): without it Excel reads UTF-8 as the code page of the machine, and spoils every name. Others skip it. */
export const csvStart = "\u{FEFF}";
