import { Type } from "typebox";
import { described, Id, OneOf, type Meanings } from "../api/schemas.ts";
import { view, type ViewCall } from "../api/view.ts";
import { refuse } from "../core/result.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { findDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { evidenceFormats } from "./evidence-format.schema.ts";
import { evidenceLetter } from "./evidence-letter.ts";
import { findEvidence } from "./evidence.sql.ts";
import { evidenceLengthMax, evidenceText, type Evidence } from "./evidence.ts";

const documents: Meanings = {
  LETTER: "A letter to defend with, filled in with what we know.",
  HANDED_IN: "The document that was handed in last.",
};

/** What `downloadDisputeEvidence` gives a merchant's system. It may name buyers, so it is for those who answer disputes. */
export const viewDisputeDocument = view({
  name: "disputeDocument",
  summary: "Gives a letter to defend with, or the document that was handed in last.",
  right: "disputes.answer",

  request: Type.Object({
    id: described(Id, "Our name for the dispute."),
    document: Type.Optional(OneOf(documents, "Which document; the letter unless said otherwise.")),
  }),
  response: Type.Object({
    content: Type.String({
      maxLength: evidenceLengthMax,
      "x-digest": true,
      description: "The document, in Base64.",
    }),
    format: OneOf(evidenceFormats, "What it is."),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { id: "20261118101530482047605661029384756", document: "LETTER" },
    response: { content: "JVBERi0xLjQK", format: "PDF" },
  },

  async find(call, { id, document = "LETTER" }) {
    const dispute = await findDispute(call.tx, call, id);
    if (!dispute) return refuse("PARAM_ILLEGAL", { field: "id", detail: "There is no such dispute." });
    if (document === "LETTER") return letterFor(call, dispute);
    const handedIn = document === "HANDED_IN" ? await findEvidence(call.tx, call, id) : undefined;
    return handedIn ?? refuse("PARAM_ILLEGAL", { field: "document", detail: "There is no such document." });
  },

  answer(evidence: Evidence) {
    return { code: "SUCCESS", content: evidenceText(evidence), format: evidence.format };
  },
});

async function letterFor(call: ViewCall, dispute: Dispute): Promise<Evidence> {
  const payment = await findPayment(call.tx, call, dispute.paymentId);
  if (!payment) throw new Error(`Dispute ${dispute.disputeId} is about no payment.`);
  return { format: "PDF", content: evidenceLetter(dispute, payment) };
}
