import { createHash } from "node:crypto";
import { changeDispute } from "../wallet/change-dispute.ts";
import { disputeOnTheWire, type Dispute } from "../wallet/dispute.ts";
import type { CallOutcome, DisputeAnswered } from "../wallet/effect.ts";
import type { Answer, ResultCode } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { isReference, malformed, callRecord, type Fields, type Verb } from "./verb.ts";

const evidenceLengthMax = 1_000_000;

/** Accepts a dispute, for the merchant or after its deadline. Idempotent by answer reference. */
export const acceptDispute: Verb = {
  name: "accept-dispute",
  folder: "disputes",
  act: (wallet, fields) => answerDispute(wallet, "accept-dispute", fields),
};

/** Defends a dispute for the merchant, with a document unless all was refunded. Idempotent by answer reference. */
export const defendDispute: Verb = {
  name: "defend-dispute",
  folder: "disputes",
  bodyBytesMax: 1_572_864,
  act: (wallet, fields) => answerDispute(wallet, "defend-dispute", fields),
};

function answerDispute(wallet: Wallet, kind: "accept-dispute" | "defend-dispute", fields: Fields): Answer {
  const log = (outcome: CallOutcome): void => wallet.record(callRecord(kind, fields, outcome));
  const answerFields = readAnswer(fields);
  if (typeof answerFields === "string") {
    log("malformed");
    return malformed(answerFields);
  }
  const dispute = wallet.projection.dispute(answerFields.walletDisputeId);
  if (!dispute) {
    log("refused");
    return { code: "RECORD_NOT_FOUND", detail: "There is no such dispute." };
  }
  const earlier = wallet.projection.disputeAnswer(answerFields.answerReference);
  const { reference, paymentId } = dispute;
  const isRepeatIgnored =
    earlier && wallet.faults.take(["not-idempotent"], { verb: kind, reference, paymentId });
  if (earlier && !isRepeatIgnored) {
    const isSame = earlier.kind === kind && earlier.contentHash === answerFields.contentHash;
    log(isSame ? "repeated" : "inconsistent");
    return disputeAnswer(isSame ? "SUCCESS" : "REPEAT_REQ_INCONSISTENT", dispute);
  }
  const { acceptReason, ...named } = answerFields;
  const changed = changeDispute(wallet, dispute, {
    event: kind === "accept-dispute" ? "accept" : "defend",
    by: "gateway",
    answer: { ...named, kind },
    ...(acceptReason && { acceptReason }),
  });
  log(typeof changed === "string" ? "refused" : isRepeatIgnored ? "done-again" : "done");
  // The response contains the dispute's state also if the answer is rejected.
  return typeof changed === "string"
    ? disputeAnswer("ORDER_STATUS_INVALID", dispute)
    : disputeAnswer("SUCCESS", changed);
}

interface AnswerFields extends Omit<DisputeAnswered, "kind"> {
  readonly acceptReason?: string;
}

/** Reads an answer; returns an error message about the first invalid field. */
function readAnswer(fields: Fields): AnswerFields | string {
  const { walletDisputeId, answerReference, reason, evidence = "" } = fields;
  if (!isReference(walletDisputeId)) return "walletDisputeId";
  if (!isReference(answerReference)) return "answerReference";
  if (!isReference(reason)) return "reason";
  if (typeof evidence !== "string" || evidence.length > evidenceLengthMax) return "evidence";
  const contentHash = createHash("sha256")
    .update(JSON.stringify([walletDisputeId, evidence]))
    .digest("hex");
  return { walletDisputeId, answerReference, contentHash, acceptReason: reason };
}

function disputeAnswer(code: ResultCode, dispute: Dispute): Answer {
  return { code, fields: { dispute: disputeOnTheWire(dispute) } };
}
