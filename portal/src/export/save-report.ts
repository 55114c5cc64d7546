import { askView, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { offer, type Saved } from "./save-pages.ts";

type ReportAsked = Omit<Views["report"]["request"], "cursor" | "limit">;

/**
 * `saveReport` downloads a report page by page with the server's own lines, including the last line that marks the
 * file as complete.
 */
export async function saveReport(
  place: Place,
  asked: ReportAsked,
  onProgress: (rowCount: number) => void,
  signal: AbortSignal,
): Promise<Saved & { readonly file: string }> {
  let whole = new Blob([], { type: "text/csv;charset=utf-8" });
  let rowCount = 0;
  let cursor: string | undefined;
  for (;;) {
    const page = await askView(place, "report", { ...asked, ...(cursor !== undefined && { cursor }) });
    const { file, head, lines, nextCursor } = page;
    if (signal.aborted) return { rowCount, isWhole: false, file };
    const parts = [
      ...(cursor === undefined ? [head] : []),
      ...lines,
      ...(nextCursor === undefined ? ["<END>"] : []),
    ];
    whole = new Blob([whole, ...parts.map((line) => `${line}\r\n`)], { type: whole.type });
    rowCount += lines.length;
    onProgress(rowCount);
    cursor = nextCursor;
    if (cursor === undefined) {
      offer(whole, file);
      return { rowCount, isWhole: true, file };
    }
  }
}
