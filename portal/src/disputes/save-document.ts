import { queryView, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { saveFile } from "../components/save-file.ts";

type DocumentKind = NonNullable<Views["disputeDocument"]["request"]["document"]>;
type Format = Views["disputeDocument"]["response"]["format"];

const fileTypes: Readonly<Record<Format, readonly [ending: string, type: string]>> = {
  PDF: ["pdf", "application/pdf"],
  WORD: ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ZIP: ["zip", "application/zip"],
  JPG: ["jpg", "image/jpeg"],
};

/** `saveDocument` downloads a document of a dispute. */
export async function saveDocument(scope: ClientScope, id: string, document: DocumentKind): Promise<void> {
  const { content, format } = await queryView(scope, "disputeDocument", { id, document });
  const [ending, type] = fileTypes[format];
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  saveFile(`${document === "LETTER" ? "letter" : "evidence"}-${id}.${ending}`, bytes, type);
}
