import type { Meanings } from "../api/schemas.ts";
import type { EvidenceFormat } from "./evidence.ts";

export const evidenceFormats: Meanings<EvidenceFormat> = {
  PDF: "A PDF document.",
  WORD: "A document of Word, DOC or DOCX.",
  ZIP: "An archive of several files.",
  JPG: "A picture.",
};
