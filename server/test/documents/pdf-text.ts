import { spawnSync } from "node:child_process";
import bidiFactory, { type Bidi } from "bidi-js";

const bidi = (bidiFactory as unknown as () => Bidi)();
const isInstalled = spawnSync("pdftotext", ["-v"]).error === undefined;

/** Reason to `skip`: a program to read PDF files is missing. Never in CI, where a missing program fails the test. */
export const popplerMissing =
  !isInstalled && process.env["CI"] === undefined
    ? "pdftotext is missing: install Debian's package poppler-utils"
    : false;

/** Text lines of a PDF, as poppler reads them. */
export function pdfText(pdf: Buffer): string {
  const { stdout, error, status } = spawnSync("pdftotext", ["-layout", "-nopgbrk", "-", "-"], { input: pdf });
  if (error || status !== 0)
    throw new Error("pdftotext failed; is poppler-utils installed?", { cause: error });
  return stdout.toString("utf8");
}

/** `textLines` normalises a text: Unicode NFKC, single spaces, and no empty lines. */
export function textLines(text: string): string[] {
  return text
    .normalize("NFKC")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "");
}

/**
 * `visualOrder` returns a source line in its visual order, by the Unicode bidirectional algorithm (UAX 9) in a
 * left-to-right paragraph.
 */
export function visualOrder(line: string): string {
  return bidi.getReorderedString(line, bidi.getEmbeddingLevels(line, "ltr")).replaceAll(/\s+/g, " ").trim();
}

/**
 * A line from poppler in its visual order. Poppler returns the parts of a line from left to right, and puts reversed
 * right-to-left text between U+202B and U+202C.
 */
export function drawnOrder(line: string): string {
  const drawn = line.replaceAll(/\u202B([^\u202C]*)\u202C/g, (_, part: string) =>
    Array.from(part).toReversed().join(""),
  );
  return drawn.replaceAll(/\s+/g, " ").trim();
}
