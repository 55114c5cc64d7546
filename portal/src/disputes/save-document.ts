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

/** The number of an answer, and the position of a document in it. */
export type DocumentPlace = Pick<Views["dispute"]["response"]["documents"][number], "number" | "position">;

/** `saveDocument` downloads a document of a dispute: the draft, or the supplied document at a place. */
export async function saveDocument(
  scope: ClientScope,
  id: string,
  document: DocumentKind,
  place?: DocumentPlace,
): Promise<void> {
  const { content, format } = await queryView(scope, "disputeDocument", { id, document, ...place });
  const [ending, type] = fileTypes[format];
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const name = place ? `evidence-${place.number}-${place.position}` : "letter";
  saveFile(`${name}-${id}.${ending}`, bytes, type);
}
