import { Type } from "typebox";
import { action } from "../contract/operation.ts";
import { described, DisputeId, Time, toTime } from "../contract/schemas.ts";
import { sha256 } from "../core/digest.ts";
import { refuse, type ResultCode } from "../core/result.ts";
import { insertLeasedJob, joinOrLeaseJob } from "../jobs/job.sql.ts";
import { findDispute, updateDispute } from "./dispute.sql.ts";
import { defenseRefusal, defenseRefusals, type Dispute } from "./dispute.ts";
import { insertEvidence, isSameEvidence } from "./evidence.sql.ts";
import { evidenceLengthMax, readEvidence, type Answering } from "./evidence.ts";
import { lockDispute } from "./lock-dispute.tx.ts";

const supplyResults = [
  "SUCCESS",
  ...defenseRefusals,
  "UNKNOWN_EXCEPTION",
] as const satisfies readonly ResultCode[];

/** The dispute, and the number of this defense. */
interface Supplied {
  readonly dispute: Dispute;
  readonly number: number;
}

export const supplyDefenseDocument = action({
  path: "payments/supplyDefenseDocument",
  summary: "Defends against a dispute, or supplies the requested documents.",
  description:
    "`disputeEvidence` is one PDF, DOC, DOCX, ZIP or JPG, in Base64. `S` means that the payment provider " +
    "has it. `U` means that it has not confirmed yet: repeat the request with the same document. Another " +
    "document gets `REPEAT_REQUEST`. For a compliance request, a new document is accepted if the previous " +
    "one was not sufficient, three documents in all. After `defenseDueTime` the response is " +
    "`TIME_EXCEEDS_LIMIT`.",

  request: Type.Object({
    disputeId: DisputeId,
    disputeEvidence: Type.String({
      minLength: 1,
      maxLength: evidenceLengthMax,
      "x-digest": true,
      description: "One document, in Base64. The gateway stores it; logs contain only its SHA-256.",
    }),
  }),
  response: Type.Object({
    disputeId: DisputeId,
    disputeResolutionTime: Type.Optional(described(Time, "When the payment provider confirmed the defense.")),
  }),
  results: supplyResults,
  inStore: false,
  bodyBytesMax: 1_572_864,
  once: { id: "disputeId", same: ["disputeEvidence"] },
  waits: true,

  example: {
    request: { disputeId: "20261118101530482047605661029384756", disputeEvidence: "JVBERi0xLjQK" },
    response: {
      disputeId: "20261118101530482047605661029384756",
      disputeResolutionTime: "2026-11-19T08:00:05+00:00",
    },
  },

  async claim(call, { disputeId, disputeEvidence }) {
    const evidence = readEvidence(disputeEvidence);
    if (typeof evidence === "string")
      return refuse("PARAM_ILLEGAL", { field: "disputeEvidence", detail: evidence });
    const dispute = await lockDispute(call.tx, call, disputeId);
    if (!dispute)
      return refuse("PARAM_ILLEGAL", { field: "disputeId", detail: "The dispute does not exist." });
    const digest = sha256(evidence.content);
    const isUnderWay = dispute.answer?.kind === "DEFEND" && !dispute.autoDefendReason;
    const { bucket, clientId } = call;
    const key = { bucket, clientId, subjectId: disputeId, job: "answer-dispute" } as const;
    if (isUnderWay && (await isSameEvidence(call.tx, dispute, digest)))
      return { record: { dispute, number: dispute.defenses }, ...(await joinOrLeaseJob(call.tx, key)) };
    const refused = defenseRefusal(dispute, call.now);
    if (refused === "PARAM_ILLEGAL")
      return refuse(refused, { field: "disputeId", detail: "This dispute cannot be defended." });
    if (refused) return refuse(refused);

    const answer = { kind: "DEFEND", requestedAt: call.now } as const;
    const defended = { ...dispute, answer, defenses: dispute.defenses + 1, answeredAt: undefined };
    updateDispute(call.tx, defended);
    await insertEvidence(call.tx, defended, { ...evidence, sha256: digest }, call.now);
    const answering: Answering = { dispute: defended, evidence };
    const leased = { ...(await insertLeasedJob(call.tx, key)), record: answering };
    return { record: { dispute: defended, number: defended.defenses }, leased };
  },

  async read(call, { dispute, number }) {
    return { dispute: (await findDispute(call.tx, call, dispute.disputeId)) ?? dispute, number };
  },

  answer({ dispute, number }: Supplied) {
    const { disputeId, answer, defenses, answeredAt, acceptReason, status } = dispute;
    if (answer) return { code: "UNKNOWN_EXCEPTION" };
    if (acceptReason === "TIMEOUT") return { code: "TIME_EXCEEDS_LIMIT" };
    if (answeredAt && defenses === number && status !== "ACCEPTED")
      return { code: "SUCCESS", disputeId, disputeResolutionTime: toTime(answeredAt) };
    // The provider refused the defense or never received it, or the dispute ended in another way.
    return { code: status === "CREATED" ? "UNKNOWN_EXCEPTION" : "REPEAT_REQUEST" };
  },
});
