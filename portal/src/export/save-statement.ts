import { queryView, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { startDownload } from "./save-pages.ts";

type StatementRequest = Omit<Views["statementFile"]["request"], "cursor">;

/** `saveStatement` downloads a month's statement in the parts that the server sends. */
export async function saveStatement(scope: ClientScope, request: StatementRequest): Promise<void> {
  const type = request.format === "PDF" ? "application/pdf" : "text/csv;charset=utf-8";
  let content = new Blob([], { type });
  let cursor: string | undefined;
  for (;;) {
    const part = await queryView(scope, "statementFile", {
      ...request,
      ...(cursor !== undefined && { cursor }),
    });
    const bytes = Uint8Array.from(atob(part.content), (letter) => letter.charCodeAt(0));
    content = new Blob([content, bytes], { type });
    cursor = part.nextCursor;
    if (cursor === undefined) return startDownload(content, part.file);
  }
}
