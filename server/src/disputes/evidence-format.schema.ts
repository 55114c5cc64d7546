import type { Meanings } from "../contract/schemas.ts";
import type { EvidenceType } from "../providers/dispute-values.ts";
import type { EvidenceFormat } from "./evidence.ts";

export const evidenceFormats: Meanings<EvidenceFormat> = {
  PDF: "A PDF document.",
  WORD: "A Word document, DOC or DOCX.",
  ZIP: "An archive of several files.",
  JPG: "A picture.",
};

export const evidenceTypeMeanings: Meanings<EvidenceType> = {
  RECEIPT: "The receipt or invoice of the sale.",
  PROOF_OF_DELIVERY: "Proof that the goods arrived, or that the service or the download was used.",
  CUSTOMER_COMMUNICATION: "Messages between you and the buyer.",
  REFUND_POLICY: "Your refund and cancellation policy, as the buyer saw it.",
  TERMS_ACCEPTED: "The terms, and proof that the buyer accepted them.",
  SERVICE_RECORD: "When and how the service was delivered.",
  DUPLICATE_EXPLANATION: "Why two charges are for two different purchases.",
  IDENTITY: "Proof that the buyer is the owner of the card or account, such as a signature or an IP address.",
  OTHER: "Any other document.",
};
