import { Type } from "typebox";
import { action } from "../contract/operation.ts";
import { withDescription, DisputeId, Time, toTime } from "../contract/schemas.ts";
import { refuse, type ResultCode } from "../core/result.ts";
import { insertLeasedJob, joinOrLeaseJob } from "../jobs/job.sql.ts";
import { findDispute, updateDispute } from "./dispute.sql.ts";
import { acceptRefusal, acceptRefusals, type Dispute } from "./dispute.ts";
import type { AnsweredDispute } from "./evidence.ts";
import { lockDispute } from "./lock-dispute.tx.ts";

const acceptResults = [
  "SUCCESS",
  ...acceptRefusals,
  "UNKNOWN_EXCEPTION",
] as const satisfies readonly ResultCode[];

export const acceptDispute = action({
  path: "payments/acceptDispute",
  summary: "Accepts a chargeback: the buyer gets the money back.",
  description:
    "`S` means that the payment provider has confirmed; the frozen amount is then debited. `U` means that " +
    "it has not confirmed yet: repeat the request, or wait for the webhook. After an acceptance, or " +
    "another final result of the dispute, the response is `REPEAT_REQUEST`; after `defenseDueTime`, it is " +
    "`TIME_EXCEEDS_LIMIT`. Only a chargeback can be accepted.",

  request: Type.Object({ disputeId: DisputeId }),
  response: Type.Object({
    disputeId: DisputeId,
    disputeResolutionTime: Type.Optional(
      withDescription(Time, "When the payment provider confirmed the acceptance."),
    ),
  }),
  results: acceptResults,
  inStore: false,
  idempotency: { keyField: "disputeId", comparedFields: [] },
  waitsForProvider: true,

  example: {
    request: { disputeId: "20261118101530482047605661029384756" },
    response: {
      disputeId: "20261118101530482047605661029384756",
      disputeResolutionTime: "2026-11-19T08:00:05+00:00",
    },
  },

  async claim(call, { disputeId }) {
    const { tx, bucket, clientId, now } = call;
    const locked = await lockDispute(tx, call, disputeId);
    if (!locked)
      return refuse("PARAM_ILLEGAL", { field: "disputeId", detail: "The dispute does not exist." });
    const { dispute, payment } = locked;
    const refusalCode = acceptRefusal(dispute, now);
    if (refusalCode === "PARAM_ILLEGAL")
      return refuse(refusalCode, { field: "disputeId", detail: "Only a chargeback can be accepted." });
    if (refusalCode) return refuse(refusalCode);
    const key = { bucket, clientId, subjectId: disputeId, job: "answer-dispute" } as const;
    if (dispute.answer) return { record: dispute, ...(await joinOrLeaseJob(tx, key)) };
    const accepted: Dispute = { ...dispute, answer: { kind: "ACCEPT", requestedAt: now } };
    updateDispute(tx, accepted);
    const answeredDispute: AnsweredDispute = { dispute: accepted, payment };
    const leasedJob = { ...(await insertLeasedJob(tx, key)), record: answeredDispute };
    return { record: accepted, leasedJob };
  },

  async read(call, dispute) {
    return (await findDispute(call.tx, call, dispute.disputeId)) ?? dispute;
  },

  answer({ disputeId, status, answer, acceptReason, answeredAt }: Dispute) {
    if (answer) return { code: "UNKNOWN_EXCEPTION" };
    if (acceptReason === "TIMEOUT") return { code: "TIME_EXCEEDS_LIMIT" };
    // The provider refused the acceptance or never received it, so the dispute is still open.
    if (status === "CREATED") return { code: "UNKNOWN_EXCEPTION" };
    // Lost race: the buyer withdrew the dispute, or it was judged, before the acceptance reached the provider.
    if (status !== "ACCEPTED") return { code: "REPEAT_REQUEST" };
    const disputeResolutionTime = answeredAt && { disputeResolutionTime: toTime(answeredAt) };
    return { code: "SUCCESS", disputeId, ...disputeResolutionTime };
  },
});
