import { askView, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { offer } from "./save-pages.ts";

type Asked = Omit<Views["statementFile"]["request"], "cursor">;

/** `saveStatement` downloads a month's statement in the parts that the server sends. */
export async function saveStatement(place: Place, asked: Asked): Promise<void> {
  const type = asked.format === "PDF" ? "application/pdf" : "text/csv;charset=utf-8";
  let whole = new Blob([], { type });
  let cursor: string | undefined;
  for (;;) {
    const part = await askView(place, "statementFile", { ...asked, ...(cursor !== undefined && { cursor }) });
    const bytes = Uint8Array.from(atob(part.content), (letter) => letter.charCodeAt(0));
    whole = new Blob([whole, bytes], { type });
    cursor = part.nextCursor;
    if (cursor === undefined) return offer(whole, part.file);
  }
}
