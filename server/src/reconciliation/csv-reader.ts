import { FileProblem } from "../core/file-problem.ts";

export interface CsvRecord {
  /** Number of the line at which the record starts; the first line is 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * A streaming CSV parser: it reads a file in chunks, so that the memory that it needs does not depend on the file's
 * size.
 */
export interface CsvReader {
  /** Returns the records that this chunk completes. */
  read(text: string): readonly CsvRecord[];
  /** Returns the last record, which need not end with a line break. */
  end(): readonly CsvRecord[];
  /** Line number of the next record. */
  line(): number;
}

/**
 * A reader of CSV as in RFC 4180, with LF or CRLF. It rejects an invalid file, because the file's amounts could be
 * misread.
 */
export function newCsvReader(recordLengthMax: number): CsvReader {
  let remainder = "";
  let line = 1;

  function parseChunk(text: string, isEnd: boolean): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    let offset = 0;
    while (offset < text.length) {
      const scanned = scanRecord(text, offset, { line, isEnd });
      const length = (scanned?.next ?? text.length) - offset;
      if (length > recordLengthMax)
        throw new FileProblem(line, `The record is longer than ${recordLengthMax} characters.`);
      if (!scanned) break;
      records.push({ line, fields: scanned.fields });
      line += scanned.lineCount;
      offset = scanned.next;
    }
    remainder = text.slice(offset);
    return records;
  }

  return {
    read: (text) => parseChunk(remainder + text, false),
    end: () => parseChunk(remainder, true),
    line: () => line,
  };
}

interface ScannedRecord {
  readonly fields: readonly string[];
  /** Start of the next record. */
  readonly next: number;
  readonly lineCount: number;
}

interface ParsePosition {
  readonly line: number;
  /** Whether the text ends where the file ends. */
  readonly isEnd: boolean;
}

/** Scans the record at `start`; undefined if the text ends before the record does. */
function scanRecord(text: string, start: number, position: ParsePosition): ScannedRecord | undefined {
  const fields: string[] = [];
  let offset = start;
  let lineCount = 1;
  for (;;) {
    const isQuoted = text[offset] === '"';
    const end = isQuoted ? quotedEnd(text, offset, position) : plainEnd(text, offset, position);
    if (end === undefined) return undefined;
    const field = isQuoted ? text.slice(offset + 1, end - 1).replaceAll('""', '"') : text.slice(offset, end);
    fields.push(field);
    if (isQuoted) lineCount += field.split("\n").length - 1;
    if (text[end] === ",") {
      offset = end + 1;
      continue;
    }
    const next = afterLineBreak(text, end, position);
    return next === undefined ? undefined : { fields, next, lineCount };
  }
}

/** Returns the end of a quoted field: the position after its closing quotation mark. */
function quotedEnd(text: string, start: number, { line, isEnd }: ParsePosition): number | undefined {
  for (let offset = start + 1; ; offset += 2) {
    offset = text.indexOf('"', offset);
    if (offset < 0) {
      if (isEnd) throw new FileProblem(line, "A quotation mark is not closed.");
      return undefined;
    }
    // The text ends with a quotation mark. The next chunk may begin with a second one, and two of them are an escaped
    // one.
    if (offset + 1 === text.length && !isEnd) return undefined;
    if (text[offset + 1] !== '"') return offset + 1;
  }
}

function plainEnd(text: string, start: number, { line, isEnd }: ParsePosition): number | undefined {
  for (let offset = start; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === "," || character === "\n" || character === "\r") return offset;
    if (character === '"') throw new FileProblem(line, "An unquoted field contains a quotation mark.");
  }
  return isEnd ? text.length : undefined;
}

function afterLineBreak(text: string, offset: number, { line, isEnd }: ParsePosition): number | undefined {
  if (text[offset] === "\n") return offset + 1;
  if (offset === text.length) return isEnd ? offset : undefined;
  if (text[offset] !== "\r")
    throw new FileProblem(line, "There is text after the closing quotation mark of a field.");
  if (text[offset + 1] === "\n") return offset + 2;
  if (offset + 1 === text.length && !isEnd) return undefined;
  throw new FileProblem(line, "There is a carriage return without a line feed.");
}
