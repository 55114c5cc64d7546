import { queryView, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { startDownload, type SavedFile } from "./save-pages.ts";

type ReportRequest = Omit<Views["report"]["request"], "cursor" | "limit">;

/**
 * `saveReport` downloads a report page by page with the server's own lines, including the last line that marks the
 * file as complete.
 */
export async function saveReport(
  scope: ClientScope,
  request: ReportRequest,
  onProgress: (rowCount: number) => void,
  signal: AbortSignal,
): Promise<SavedFile & { readonly file: string }> {
  let content = new Blob([], { type: "text/csv;charset=utf-8" });
  let rowCount = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await queryView(scope, "report", { ...request, ...(cursor !== undefined && { cursor }) });
    const { file, head, lines, nextCursor } = page;
    if (signal.aborted) return { rowCount, isComplete: false, file };
    const parts = [
      ...(cursor === undefined ? [head] : []),
      ...lines,
      ...(nextCursor === undefined ? ["<END>"] : []),
    ];
    content = new Blob([content, ...parts.map((line) => `${line}\r\n`)], { type: content.type });
    rowCount += lines.length;
    onProgress(rowCount);
    cursor = nextCursor;
    if (cursor === undefined) {
      startDownload(content, file);
      return { rowCount, isComplete: true, file };
    }
  }
}
