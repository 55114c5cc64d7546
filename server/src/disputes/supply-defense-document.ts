import { Type } from "typebox";
import { action } from "../contract/operation.ts";
import { withDescription, DisputeId, OneOf, Time, toTime } from "../contract/schemas.ts";
import { refuse, type ResultCode } from "../core/result.ts";
import { insertLeasedJob, joinOrLeaseJob } from "../jobs/job.sql.ts";
import { findDispute, updateDispute } from "./dispute.sql.ts";
import { defenseRefusal, defenseRefusals, type Dispute } from "./dispute.ts";
import { evidenceTypeMeanings } from "./evidence-format.schema.ts";
import { insertEvidence, isSameEvidence } from "./evidence.sql.ts";
import { decodeDocuments, documentsMax, evidenceLengthMax, type AnsweredDispute } from "./evidence.ts";
import { lockDispute } from "./lock-dispute.tx.ts";

const supplyResults = [
  "SUCCESS",
  ...defenseRefusals,
  "UNKNOWN_EXCEPTION",
] as const satisfies readonly ResultCode[];

const documentFields = {
  disputeEvidence: Type.String({
    minLength: 1,
    maxLength: evidenceLengthMax,
    "x-digest": true,
    description: "One document, in Base64. The gateway stores it; logs contain only its SHA-256.",
  }),
  evidenceType: Type.Optional(
    OneOf(
      evidenceTypeMeanings,
      "The type of the document (default `OTHER`). The dispute's `wantedEvidence` names the types that the payment provider wants.",
    ),
  ),
};

/** The dispute, and the number of this defense. */
interface SuppliedDefense {
  readonly dispute: Dispute;
  readonly number: number;
}

export const supplyDefenseDocument = action({
  path: "payments/supplyDefenseDocument",
  summary: "Defends against a dispute, or supplies the requested documents.",
  description:
    "`disputeEvidence` is one PDF, DOC, DOCX, ZIP or JPG, in Base64, and `evidenceType` is its type. " +
    "`furtherDocuments` has up to nine more documents of the same defense. All documents together have at " +
    "most 1 MiB. `S` means that the payment provider has them. `U` means that it has not confirmed yet: " +
    "repeat the request with the same documents. Other documents get `REPEAT_REQUEST`. For a compliance " +
    "request, new documents are accepted if the previous ones were not sufficient, three times in all. After " +
    "`defenseDueTime` the response is `TIME_EXCEEDS_LIMIT`.",

  request: Type.Object({
    disputeId: DisputeId,
    ...documentFields,
    furtherDocuments: Type.Optional(
      Type.Array(Type.Object(documentFields, { title: "DefenseDocument", description: "A document." }), {
        maxItems: documentsMax - 1,
        description: "More documents of the same defense.",
      }),
    ),
  }),
  response: Type.Object({
    disputeId: DisputeId,
    disputeResolutionTime: Type.Optional(
      withDescription(Time, "When the payment provider confirmed the defense."),
    ),
  }),
  results: supplyResults,
  inStore: false,
  bodyBytesMax: 1_572_864,
  idempotency: {
    keyField: "disputeId",
    comparedFields: ["disputeEvidence", "evidenceType", "furtherDocuments"],
  },
  waitsForProvider: true,

  example: {
    request: {
      disputeId: "20261118101530482047605661029384756",
      disputeEvidence: "JVBERi0xLjQK",
      evidenceType: "RECEIPT",
      furtherDocuments: [{ disputeEvidence: "JVBERi0xLjUK", evidenceType: "PROOF_OF_DELIVERY" }],
    },
    response: {
      disputeId: "20261118101530482047605661029384756",
      disputeResolutionTime: "2026-11-19T08:00:05+00:00",
    },
  },

  async claim(call, { disputeId, furtherDocuments = [], ...first }) {
    const evidence = decodeDocuments([first, ...furtherDocuments]);
    if (typeof evidence === "string")
      return refuse("PARAM_ILLEGAL", { field: "disputeEvidence", detail: evidence });
    const locked = await lockDispute(call.tx, call, disputeId);
    if (!locked)
      return refuse("PARAM_ILLEGAL", { field: "disputeId", detail: "The dispute does not exist." });
    const { dispute, payment } = locked;
    const isDefensePending = dispute.answer?.kind === "DEFEND" && !dispute.autoDefendReason;
    const { bucket, clientId } = call;
    const key = { bucket, clientId, subjectId: disputeId, job: "answer-dispute" } as const;
    if (isDefensePending && (await isSameEvidence(call.tx, dispute, evidence)))
      return { record: { dispute, number: dispute.defenses }, ...(await joinOrLeaseJob(call.tx, key)) };
    const refusalCode = defenseRefusal(dispute, call.now);
    if (refusalCode === "PARAM_ILLEGAL")
      return refuse(refusalCode, { field: "disputeId", detail: "This dispute cannot be defended." });
    if (refusalCode) return refuse(refusalCode);

    const answer = { kind: "DEFEND", requestedAt: call.now } as const;
    const defended = { ...dispute, answer, defenses: dispute.defenses + 1, answeredAt: undefined };
    updateDispute(call.tx, defended);
    await insertEvidence(call.tx, defended, evidence, call.now);
    const answeredDispute: AnsweredDispute = { dispute: defended, evidence, payment };
    const leasedJob = { ...(await insertLeasedJob(call.tx, key)), record: answeredDispute };
    return { record: { dispute: defended, number: defended.defenses }, leasedJob };
  },

  async read(call, { dispute, number }) {
    return { dispute: (await findDispute(call.tx, call, dispute.disputeId)) ?? dispute, number };
  },

  answer({ dispute, number }: SuppliedDefense) {
    const { disputeId, answer, defenses, answeredAt, acceptReason, status } = dispute;
    if (answer) return { code: "UNKNOWN_EXCEPTION" };
    if (acceptReason === "TIMEOUT") return { code: "TIME_EXCEEDS_LIMIT" };
    if (answeredAt && defenses === number && status !== "ACCEPTED")
      return { code: "SUCCESS", disputeId, disputeResolutionTime: toTime(answeredAt) };
    // The provider refused the defense or never received it, or the dispute ended in another way.
    return { code: status === "CREATED" ? "UNKNOWN_EXCEPTION" : "REPEAT_REQUEST" };
  },
});
