import { createHash } from "node:crypto";
import { changeDispute } from "../wallet/change-dispute.ts";
import { disputeOnTheWire, evidenceTypes, type Dispute } from "../wallet/dispute.ts";
import type { CallOutcome, DisputeAnswered, StoredDocument } from "../wallet/effect.ts";
import type { Answer, ResultCode } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { isOfOtherAccount, isReference, malformed, callRecord, type Fields, type Verb } from "./verb.ts";

const documentsMax = 10;
/** The maximum size of all documents of a defense together. */
const documentsBytesMax = 1024 * 1024;
const formats = ["PDF", "WORD", "ZIP", "JPG"];

/** Accepts a dispute, for the merchant or after its deadline. Idempotent by answer reference. */
export const acceptDispute: Verb = {
  name: "accept-dispute",
  folder: "disputes",
  act: (wallet, fields) => answerDispute(wallet, "accept-dispute", fields),
};

/** Defends a dispute for the merchant, with documents unless all was refunded. Idempotent by answer reference. */
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
  const dispute = wallet.projection.dispute(answerFields.providerDisputeId);
  const order = dispute && wallet.projection.order(dispute.reference);
  if (!dispute || isOfOtherAccount(fields, order)) {
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
  const { providerDisputeId, answerReference, reason, evidence = [] } = fields;
  if (!isReference(providerDisputeId)) return "providerDisputeId";
  if (!isReference(answerReference)) return "answerReference";
  if (!isReference(reason)) return "reason";
  const documents = readDocuments(evidence);
  if (typeof documents === "string") return documents;
  const contentHash = sha256(JSON.stringify([providerDisputeId, documents]));
  const answered = { providerDisputeId, answerReference, contentHash, acceptReason: reason };
  return { ...answered, ...(documents.length > 0 && { documents }) };
}

/** Reads the documents of a defense; returns the name of the first invalid field. */
function readDocuments(evidence: unknown): readonly StoredDocument[] | string {
  if (!Array.isArray(evidence) || evidence.length > documentsMax) return "evidence";
  const documents: StoredDocument[] = [];
  for (const [index, each] of evidence.entries()) {
    const { type, format, content, sha256: digest } = (each ?? {}) as Fields;
    const named = `evidence[${index}]`;
    const knownType = evidenceTypes.find((known) => known === type);
    if (!knownType) return `${named}.type`;
    if (typeof format !== "string" || !formats.includes(format)) return `${named}.format`;
    const bytes = typeof content === "string" ? Buffer.from(content, "base64") : Buffer.alloc(0);
    if (bytes.length === 0) return `${named}.content`;
    // The digest shows that the document arrived undamaged, and later that the merchant supplied it.
    if (digest !== sha256(bytes)) return `${named}.sha256`;
    documents.push({ type: knownType, format, bytes: bytes.length, sha256: digest });
  }
  const sum = documents.reduce((total, { bytes }) => total + bytes, 0);
  return sum <= documentsBytesMax ? documents : "evidence";
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function disputeAnswer(code: ResultCode, dispute: Dispute): Answer {
  return { code, fields: { dispute: disputeOnTheWire(dispute) } };
}
