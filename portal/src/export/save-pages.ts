import { csvLine, csvStart } from "./csv.ts";

export interface SavedFile {
  readonly rowCount: number;
  /** False if the download was stopped. */
  readonly isComplete: boolean;
}

export interface PagesToSave<Row> {
  readonly file: string;
  readonly head: readonly string[];
  readonly cells: (row: Row) => readonly string[];
  readonly fetchPage: (
    cursor: string | undefined,
  ) => Promise<{ readonly rows: readonly Row[]; readonly nextCursor?: string | undefined }>;
  readonly onProgress: (rowCount: number, last: Row | undefined) => void;
  readonly signal: AbortSignal;
}

/**
 * `savePages` downloads a list of any length as a file, page by page. Each page becomes part of a Blob, which
 * browsers keep on disk when it grows, so memory holds at most the rows of one page.
 */
export async function savePages<Row>(options: PagesToSave<Row>): Promise<SavedFile> {
  const { file, head, cells, fetchPage, onProgress, signal } = options;
  let content = new Blob([csvStart, csvLine(head)], { type: "text/csv;charset=utf-8" });
  let rowCount = 0;
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await fetchPage(cursor);
    if (signal.aborted) return { rowCount, isComplete: false };
    content = new Blob([content, ...rows.map((row) => csvLine(cells(row)))], { type: content.type });
    rowCount += rows.length;
    onProgress(rowCount, rows.at(-1));
    cursor = nextCursor;
  } while (cursor !== undefined);
  startDownload(content, file);
  return { rowCount, isComplete: true };
}

export function startDownload(content: Blob, file: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  // Revoking the URL releases the file. The timer waits a minute, so that the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
