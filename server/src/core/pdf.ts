interface Type {
  /** Both are in every reader. Courier has letters of one width, for columns. */
  readonly font: "Helvetica" | "Courier";
  readonly size: number;
  /** From one line to the next, in points. */
  readonly leading: number;
}

/** A minimal PDF on A4: a catalogue, pages of lines, and one font. The same lines give the same bytes. */
export function pdfOf(pages: readonly (readonly string[])[], type: Type): Buffer {
  // The catalogue, the list of pages and the font come first, then each page and its text.
  const numberOf = (page: number): number => 4 + 2 * page;
  const kids = pages.map((_, index) => `${numberOf(index)} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /${type.font} /Encoding /WinAnsiEncoding >>`,
    ...pages.flatMap((lines, index) => pageObjects(lines, type, numberOf(index) + 1)),
  ];
  let document = "%PDF-1.4\n";
  const places: number[] = [];
  for (const [index, object] of objects.entries()) {
    places.push(document.length);
    document += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${document.length}\n%%EOF\n`;
  return Buffer.from(`${document}xref\n0 ${count}\n0000000000 65535 f \n${rows}${trailer}`, "latin1");
}

function pageObjects(
  lines: readonly string[],
  { size, leading }: Type,
  textNumber: number,
): readonly [page: string, text: string] {
  const shown = lines.map((line) => `(${escaped(line)}) Tj T*`).join("\n");
  const text = `BT /F1 ${size} Tf ${leading} TL 56 780 Td\n${shown}\nET`;
  const font = "/Resources << /Font << /F1 3 0 R >> >>";
  return [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${textNumber} 0 R ${font} >>`,
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
  ];
}

/** The font has Latin-1 letters only: one letter is one byte. Others are shown as a question mark. */
function escaped(line: string): string {
  return line.replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, "?").replaceAll(/[\\()]/g, String.raw`\$&`);
}
