import { Type } from "typebox";
import { inquiry, type Call } from "../contract/operation.ts";
import { DisputeId, OneOf, type Meanings } from "../contract/schemas.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { findDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { evidenceFormats } from "./evidence-format.schema.ts";
import { createEvidenceLetter } from "./evidence-letter.ts";
import { findEvidence } from "./evidence.sql.ts";
import { evidenceLengthMax, encodeEvidence, type Evidence } from "./evidence.ts";

const evidenceTypes: Meanings = {
  DISPUTE_EVIDENCE_TEMPLATE: "A letter with the known facts.",
  DISPUTE_EVIDENCE_FILE: "The first document of your last defense.",
  DISPUTE_EVIDENCE_AI: "A defense that the gateway writes; not supported.",
};

export const downloadDisputeEvidence = inquiry({
  path: "payments/downloadDisputeEvidence",
  summary: "Returns a letter for the defense, or the first document of the last defense.",
  description:
    "`DISPUTE_EVIDENCE_TEMPLATE` is a letter with the known facts of the payment and the dispute. " +
    "`DISPUTE_EVIDENCE_FILE` is the first document of your last defense. `DISPUTE_EVIDENCE_AI` is refused, " +
    "because the gateway writes no defense.",

  request: Type.Object({
    disputeId: DisputeId,
    disputeEvidenceType: OneOf(evidenceTypes, "The requested document."),
  }),
  response: Type.Object({
    disputeEvidence: Type.String({
      maxLength: evidenceLengthMax,
      "x-digest": true,
      description: "The document, in Base64.",
    }),
    disputeEvidenceFormat: OneOf(evidenceFormats, "The file format."),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],
  inStore: false,

  example: {
    request: {
      disputeId: "20261118101530482047605661029384756",
      disputeEvidenceType: "DISPUTE_EVIDENCE_TEMPLATE",
    },
    response: { disputeEvidence: "JVBERi0xLjQK", disputeEvidenceFormat: "PDF" },
  },

  async find(call, { disputeId, disputeEvidenceType }) {
    const dispute = await findDispute(call.tx, call, disputeId);
    if (!dispute)
      return refuse("PARAM_ILLEGAL", { field: "disputeId", detail: "The dispute does not exist." });
    switch (disputeEvidenceType) {
      case "DISPUTE_EVIDENCE_TEMPLATE":
        return createLetter(call, dispute);
      case "DISPUTE_EVIDENCE_FILE": {
        const evidence = await findEvidence(call.tx, call, disputeId);
        return evidence ?? refuseEvidenceType("No document has been supplied.");
      }
      case "DISPUTE_EVIDENCE_AI":
        return refuseEvidenceType(
          "The gateway writes no defense. Use DISPUTE_EVIDENCE_TEMPLATE or DISPUTE_EVIDENCE_FILE.",
        );
      default:
        return refuseEvidenceType("The type of evidence does not exist.");
    }
  },

  answer(evidence: Evidence) {
    const { format } = evidence;
    return { code: "SUCCESS", disputeEvidence: encodeEvidence(evidence), disputeEvidenceFormat: format };
  },
});

async function createLetter(call: Call, dispute: Dispute): Promise<Evidence> {
  const payment = await findPayment(call.tx, call, dispute.paymentId);
  if (!payment) throw new Error(`Dispute ${dispute.disputeId} has no payment.`);
  return { format: "PDF", content: await createEvidenceLetter(dispute, payment) };
}

function refuseEvidenceType(detail: string): Refusal<"PARAM_ILLEGAL"> {
  return refuse("PARAM_ILLEGAL", { field: "disputeEvidenceType", detail });
}
