import Document from "pdfkit";
import { replaceMissing, runsOf, wrapText, type TextRun } from "./text-runs.ts";

/** A paragraph, or a row of a table: its first cell begins at the left margin, the others end at equal distances. */
export type PdfLine = string | readonly string[];

export interface PdfLayout {
  readonly title: string;
  /**
   * The creation time in the PDF file. It is a time of the record, not of the clock, so that the same record gives the
   * same bytes.
   */
  readonly createdAt: Date;
  /** Font size in points. */
  readonly size: number;
  /** Line spacing in points. */
  readonly leading: number;
}

const margin = 56;

/**
 * Creates a PDF of A4 pages; the same lines give the same bytes. A character without a font is shown as its code point,
 * and a note at the end names its script.
 */
export function createPdf(lines: readonly PdfLine[], { title, createdAt, size, leading }: PdfLayout): Buffer {
  const document = new Document({
    size: "A4",
    margin,
    autoFirstPage: false,
    // Without a font, pdfkit loads Helvetica, which has only Latin-1.
    font: "",
    lang: "en",
    // The first version with `ActualText`.
    pdfVersion: "1.5",
    info: { Title: title, CreationDate: createdAt },
  });
  document.addPage();
  document.fontSize(size);
  const { width, height } = document.page;
  const contentWidth = width - 2 * margin;
  const missingNotes = new Set<string>();
  let y = margin;
  const endLine = (): void => {
    y += leading;
    if (y + leading <= height - margin) return;
    document.addPage();
    y = margin;
  };
  const drawParagraph = (paragraph: string): void => {
    const text = replaceMissing(paragraph.replaceAll("\t", " "), missingNotes);
    const runs = runsOf(text);
    if (widthOf(document, runs) <= contentWidth) {
      drawRuns(document, runs, margin, y);
      return endLine();
    }
    for (const line of wrapText(text, contentWidth, (part) => widthOf(document, runsOf(part)))) {
      drawRuns(document, runsOf(line), margin, y);
      endLine();
    }
  };
  const drawRow = (cells: readonly string[]): void => {
    for (const [index, cell] of cells.entries()) {
      const runs = runsOf(replaceMissing(cell, missingNotes));
      const end = margin + (contentWidth * (index + 1)) / cells.length;
      drawRuns(document, runs, index === 0 ? margin : end - widthOf(document, runs), y);
    }
    endLine();
  };
  for (const line of lines)
    if (typeof line === "string") line.split(/\r\n|[\n\r\u2028\u2029]/).forEach(drawParagraph);
    else drawRow(line);
  if (missingNotes.size > 0) {
    endLine();
    drawParagraph(
      `Codes in brackets are Unicode code points. There is no font here for: ${[...missingNotes].join(", ")}.`,
    );
  }
  document.end();
  return document.read() as Buffer;
}

function widthOf(document: PDFKit.PDFDocument, runs: readonly TextRun[]): number {
  let width = 0;
  for (const run of runs) width += useFont(document, run).widthOfString(run.text, textOptions(run));
  return width;
}

function drawRuns(document: PDFKit.PDFDocument, runs: readonly TextRun[], x: number, y: number): void {
  let runX = x;
  for (const run of runs) {
    useFont(document, run);
    // Thai combining marks are placed one by one. PDF readers that order glyphs by position get the order of these
    // marks wrong.
    const draw = (): void =>
      void document.text(run.text, runX, y, {
        ...textOptions(run),
        lineBreak: false,
        baseline: "alphabetic",
      });
    if (/\p{Script=Thai}/u.test(run.text)) withActualText(document, run.text, draw);
    else draw();
    runX += document.widthOfString(run.text, textOptions(run));
  }
}

/**
 * Adds the text to the drawn glyphs, for search and copying. Thai combining marks are placed one by one, and PDF
 * readers that order glyphs by position get their order wrong. The text must be inside the text object, where
 * `markContent` cannot write.
 */
function withActualText(document: PDFKit.PDFDocument, text: string, draw: () => void): void {
  const { addContent } = document;
  const actualTextHex = Buffer.from(`\uFEFF${text}`, "utf16le").swap16().toString("hex");
  document.addContent = (data: string) => {
    if (data === "ET") addContent.call(document, "EMC");
    addContent.call(document, data);
    if (data === "BT") addContent.call(document, `/Span << /ActualText <${actualTextHex}> >> BDC`);
    return document;
  };
  draw();
  document.addContent = addContent;
}

/**
 * The font is selected by its name, because pdfkit would open a font object and compare it with all others each time.
 */
function useFont(document: PDFKit.PDFDocument, { font }: TextRun): PDFKit.PDFDocument {
  document.registerFont(font.postscriptName ?? "", font as unknown as PDFKit.Mixins.PDFFontSource);
  return document.font(font.postscriptName ?? "");
}

const textOptions = ({ isRightToLeft }: TextRun): PDFKit.Mixins.TextOptions => ({
  features: [isRightToLeft ? "rtla" : "ltra"],
});
