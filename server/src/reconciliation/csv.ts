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
  let unread = "";
  let line = 1;

  function take(text: string, isEnd: boolean): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const scanned = scanRecord(text, at, { line, isEnd });
      const length = (scanned?.next ?? text.length) - at;
      if (length > recordLengthMax)
        throw new FileProblem(line, `The record is longer than ${recordLengthMax} characters.`);
      if (!scanned) break;
      records.push({ line, fields: scanned.fields });
      line += scanned.lineCount;
      at = scanned.next;
    }
    unread = text.slice(at);
    return records;
  }

  return {
    read: (text) => take(unread + text, false),
    end: () => take(unread, true),
    line: () => line,
  };
}

interface Scanned {
  readonly fields: readonly string[];
  /** Start of the next record. */
  readonly next: number;
  readonly lineCount: number;
}

interface Place {
  readonly line: number;
  /** Whether the text ends where the file ends. */
  readonly isEnd: boolean;
}

/** Scans the record at `start`; undefined if the text ends before the record does. */
function scanRecord(text: string, start: number, place: Place): Scanned | undefined {
  const fields: string[] = [];
  let at = start;
  let lineCount = 1;
  for (;;) {
    const isQuoted = text[at] === '"';
    const end = isQuoted ? quotedEnd(text, at, place) : plainEnd(text, at, place);
    if (end === undefined) return undefined;
    const field = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end);
    fields.push(field);
    if (isQuoted) lineCount += field.split("\n").length - 1;
    if (text[end] === ",") {
      at = end + 1;
      continue;
    }
    const next = afterLineBreak(text, end, place);
    return next === undefined ? undefined : { fields, next, lineCount };
  }
}

/** Returns the end of a quoted field: the position after its closing quotation mark. */
function quotedEnd(text: string, start: number, { line, isEnd }: Place): number | undefined {
  for (let at = start + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) {
      if (isEnd) throw new FileProblem(line, "A quotation mark is not closed.");
      return undefined;
    }
    // The text ends with a quotation mark. The next chunk may begin with a second one, and two of them are an escaped
    // one.
    if (at + 1 === text.length && !isEnd) return undefined;
    if (text[at + 1] !== '"') return at + 1;
  }
}

function plainEnd(text: string, start: number, { line, isEnd }: Place): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "," || sign === "\n" || sign === "\r") return at;
    if (sign === '"') throw new FileProblem(line, "An unquoted field contains a quotation mark.");
  }
  return isEnd ? text.length : undefined;
}

function afterLineBreak(text: string, at: number, { line, isEnd }: Place): number | undefined {
  if (text[at] === "\n") return at + 1;
  if (at === text.length) return isEnd ? at : undefined;
  if (text[at] !== "\r")
    throw new FileProblem(line, "There is text after the closing quotation mark of a field.");
  if (text[at + 1] === "\n") return at + 2;
  if (at + 1 === text.length && !isEnd) return undefined;
  throw new FileProblem(line, "There is a carriage return without a line feed.");
}
