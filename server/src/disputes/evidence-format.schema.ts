import type { Meanings } from "../contract/schemas.ts";
import type { EvidenceFormat } from "./evidence.ts";

export const evidenceFormats: Meanings<EvidenceFormat> = {
  PDF: "A PDF document.",
  WORD: "A Word document, DOC or DOCX.",
  ZIP: "An archive of several files.",
  JPG: "A picture.",
};
