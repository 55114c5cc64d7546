import { Type } from "typebox";
import { withDescription, Id, OneOf, type Meanings } from "../contract/schemas.ts";
import { view, type ViewCall } from "../contract/view.ts";
import { refuse } from "../core/result.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { findDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { evidenceFormats } from "./evidence-format.schema.ts";
import { createEvidenceLetter } from "./evidence-letter.ts";
import { findEvidence } from "./evidence.sql.ts";
import { documentsMax, evidenceLengthMax, encodeEvidence, type Evidence } from "./evidence.ts";

const documents: Meanings = {
  LETTER: "A letter for the defense, with the known facts.",
  HANDED_IN: "A supplied document; by default, the first one of the last answer.",
};

/**
 * The view of the document that `downloadDisputeEvidence` returns to a merchant's system. The document may contain
 * buyers' names, so the view needs the permission to answer disputes.
 */
export const viewDisputeDocument = view({
  name: "disputeDocument",
  summary: "Returns a letter for the defense, or a supplied document.",
  permission: "disputes.answer",

  request: Type.Object({
    id: withDescription(Id, "Our id of the dispute."),
    document: Type.Optional(OneOf(documents, "The requested document (default: the letter).")),
    number: Type.Optional(Type.Integer({ minimum: 1, description: "The number of the answer." })),
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: documentsMax,
        description: "The document's position in the answer.",
      }),
    ),
  }),
  response: Type.Object({
    content: Type.String({
      maxLength: evidenceLengthMax,
      "x-digest": true,
      description: "The document, in Base64.",
    }),
    format: OneOf(evidenceFormats, "The file format."),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { id: "20261118101530482047605661029384756", document: "LETTER" },
    response: { content: "JVBERi0xLjQK", format: "PDF" },
  },

  async find(call, { id, document = "LETTER", ...place }) {
    const dispute = await findDispute(call.tx, call, id);
    if (!dispute) return refuse("PARAM_ILLEGAL", { field: "id", detail: "The dispute does not exist." });
    if (document === "LETTER") return createLetter(call, dispute);
    const suppliedDocument =
      document === "HANDED_IN" ? await findEvidence(call.tx, call, id, place) : undefined;
    return (
      suppliedDocument ??
      refuse("PARAM_ILLEGAL", { field: "document", detail: "The document does not exist." })
    );
  },

  answer(evidence: Evidence) {
    return { code: "SUCCESS", content: encodeEvidence(evidence), format: evidence.format };
  },
});

async function createLetter(call: ViewCall, dispute: Dispute): Promise<Evidence> {
  const payment = await findPayment(call.tx, call, dispute.paymentId);
  if (!payment) throw new Error(`Dispute ${dispute.disputeId} has no payment.`);
  return { format: "PDF", content: await createEvidenceLetter(dispute, payment) };
}
