import { Type } from "typebox";
import { inquiry, type Call } from "../api/operation.ts";
import { DisputeId, OneOf, type Meanings } from "../api/schemas.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { findPayment } from "../payments/payment.sql.ts";
import { findDispute } from "./dispute.sql.ts";
import type { Dispute } from "./dispute.ts";
import { evidenceFormats } from "./evidence-format.schema.ts";
import { evidenceLetter } from "./evidence-letter.ts";
import { findEvidence } from "./evidence.sql.ts";
import { evidenceLengthMax, evidenceText, type Evidence } from "./evidence.ts";

const evidenceTypes: Meanings = {
  DISPUTE_EVIDENCE_TEMPLATE: "A letter, filled in with what we know.",
  DISPUTE_EVIDENCE_FILE: "The document that you handed in last.",
  DISPUTE_EVIDENCE_AI: "A defense that somebody else writes; refused here.",
};

export const downloadDisputeEvidence = inquiry({
  path: "payments/downloadDisputeEvidence",
  summary: "Gives a letter to defend with, or the document that was handed in.",
  description:
    "`DISPUTE_EVIDENCE_TEMPLATE` is a letter, filled in with what we know of the payment and the dispute; " +
    "`DISPUTE_EVIDENCE_FILE` is what you supplied last. Nobody writes a defense for you here: `DISPUTE_EVIDENCE_AI` is " +
    "refused.",

  request: Type.Object({
    disputeId: DisputeId,
    disputeEvidenceType: OneOf(evidenceTypes, "Which document."),
  }),
  response: Type.Object({
    disputeEvidence: Type.String({
      maxLength: evidenceLengthMax,
      "x-digest": true,
      description: "The document, in Base64.",
    }),
    disputeEvidenceFormat: OneOf(evidenceFormats, "What it is."),
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
    if (!dispute) return refuse("PARAM_ILLEGAL", { field: "disputeId", detail: "There is no such dispute." });
    switch (disputeEvidenceType) {
      case "DISPUTE_EVIDENCE_TEMPLATE":
        return letterFor(call, dispute);
      case "DISPUTE_EVIDENCE_FILE": {
        const evidence = await findEvidence(call.tx, call, disputeId);
        return evidence ?? wrongType("No document has been supplied.");
      }
      case "DISPUTE_EVIDENCE_AI":
        return wrongType("No defense is written for you here.");
      default:
        return wrongType("There is no such type of evidence.");
    }
  },

  answer(evidence: Evidence) {
    const { format } = evidence;
    return { code: "SUCCESS", disputeEvidence: evidenceText(evidence), disputeEvidenceFormat: format };
  },
});

async function letterFor(call: Call, dispute: Dispute): Promise<Evidence> {
  const payment = await findPayment(call.tx, call, dispute.paymentId);
  if (!payment) throw new Error(`Dispute ${dispute.disputeId} is about no payment.`);
  return { format: "PDF", content: evidenceLetter(dispute, payment) };
}

function wrongType(detail: string): Refusal<"PARAM_ILLEGAL"> {
  return refuse("PARAM_ILLEGAL", { field: "disputeEvidenceType", detail });
}
