import { createHash } from "node:crypto";
import { systemScope } from "../../../../server/src/postgres/database.ts";
import type { DisputeReport, EvidenceDocument, Sent } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { errorPlace } from "../error-place.ts";
import { isOfOtherAccount } from "../orders/inquire-order.ts";
import { findOrder, inTransaction } from "../orders/leased-order.ts";
import { isOrder, toKnownOrder, type Order } from "../orders/order.ts";
import { malformed, type Answer, unknownOutcome } from "../protocol/answer.ts";
import type { DisputeAnswerCall, DisputeInquiry } from "../protocol/messages.schema.ts";
import {
  insertAnswer,
  markAnswerDone,
  selectAnswer,
  selectDispute,
  type AnswerRow,
  type DisputeRow,
} from "./dispute.sql.ts";
import { disputeContext, refreshDispute, reportDispute, toWireDispute } from "./refresh-dispute.ts";

const documentsMax = 10;
const documentsBytesMax = 1024 * 1024;
const formats = ["PDF", "WORD", "ZIP", "JPG"];
const notFound: Answer = { code: "RECORD_NOT_FOUND" };

interface OwnedDispute {
  readonly dispute: DisputeRow;
  readonly order: Order;
}

async function findDispute(
  engine: Engine,
  { providerDisputeId, account }: DisputeInquiry,
): Promise<OwnedDispute | undefined> {
  const reader = engine.database.reader(systemScope);
  const [dispute] = await reader.query<DisputeRow>(selectDispute(providerDisputeId));
  const order = dispute && (await findOrder(engine, dispute.orderReference));
  return dispute && order && isOrder(order) && !isOfOtherAccount(order, account)
    ? { dispute, order }
    : undefined;
}

function disputeAnswer(dispute: DisputeRow, { paymentId }: Order, code = "SUCCESS"): Answer {
  return { code, fields: { dispute: toWireDispute(dispute, paymentId) } };
}

/** Returns the state of a dispute, after a look-up at the provider. */
export async function inquireDispute(engine: Engine, call: DisputeInquiry): Promise<Answer> {
  const owned = await findDispute(engine, call);
  if (!owned) return notFound;
  const { dispute, order } = owned;
  return disputeAnswer(
    (await refreshDispute(engine, dispute.providerDisputeId, order.account)) ?? dispute,
    order,
  );
}

/**
 * Accepts or defends a dispute. An answer reference has one content permanently. The state of the dispute at the
 * provider makes a repeat harmless, so an answer without a known outcome is sent again.
 */
export async function answerDispute(
  engine: Engine,
  kind: "accept" | "defend",
  call: DisputeAnswerCall,
): Promise<Answer> {
  const { providerDisputeId, answerReference, evidence = [] } = call;
  const documents = readDocuments(evidence);
  if (typeof documents === "string") return malformed(documents);
  const owned = await findDispute(engine, call);
  if (!owned) return notFound;
  const { order } = owned;
  const contentHash = createHash("sha256")
    .update(JSON.stringify([kind, providerDisputeId, evidence.map(({ type, sha256 }) => [type, sha256])]))
    .digest();
  const [stored] = await inTransaction(engine, async (tx) => {
    await tx.query(insertAnswer(answerReference, providerDisputeId, contentHash));
    return tx.query<AnswerRow>(selectAnswer(answerReference));
  });
  if (!stored?.contentHash.equals(contentHash)) return { code: "REPEAT_REQ_INCONSISTENT" };
  const current = (await refreshDispute(engine, providerDisputeId, order.account)) ?? owned.dispute;
  if (stored.isDone) return disputeAnswer(current, order);
  if (current.state !== "OPEN") return disputeAnswer(current, order, "ORDER_STATUS_INVALID");
  const sent = await send(engine, { dispute: current, order }, kind, documents);
  const isDone = sent.outcome === "reported";
  const changed = isDone ? await reportDispute(engine, sent.report) : undefined;
  if (sent.outcome === "rejected") return disputeAnswer(current, order, "ORDER_STATUS_INVALID");
  if (!isDone || !changed) return unknownOutcome;
  await inTransaction(engine, async (tx) => tx.write(markAnswerDone(answerReference)));
  return disputeAnswer(changed, order);
}

async function send(
  engine: Engine,
  { dispute, order }: OwnedDispute,
  kind: "accept" | "defend",
  documents: readonly EvidenceDocument[],
): Promise<Sent<DisputeReport>> {
  const { providerDisputeId } = dispute;
  const { disputes } = engine.connector;
  const context = disputeContext(engine, order.account, providerDisputeId);
  if (!disputes || !context) return { outcome: "unknown", reason: "no secrets of the account" };
  const known = { providerDisputeId, order: toKnownOrder(order) };
  const sending =
    kind === "accept" ? disputes.accept(known, context) : disputes.defend(known, documents, context);
  const sent = await sending.catch(
    (error: unknown) => ({ outcome: "unknown", reason: errorPlace(error) }) as const,
  );
  engine.meter.add("provider_calls", `${kind} dispute ${sent.outcome}`);
  return sent;
}

/** Reads the documents of a defense; returns the name of the first invalid field. */
function readDocuments(
  evidence: NonNullable<DisputeAnswerCall["evidence"]>,
): readonly EvidenceDocument[] | string {
  if (evidence.length > documentsMax) return "evidence";
  const documents: EvidenceDocument[] = [];
  for (const [index, { type, format, content, sha256 }] of evidence.entries()) {
    const bytes = Buffer.from(content, "base64");
    if (!formats.includes(format)) return `evidence[${index}].format`;
    if (bytes.length === 0) return `evidence[${index}].content`;
    if (createHash("sha256").update(bytes).digest("hex") !== sha256) return `evidence[${index}].sha256`;
    documents.push({ type, format, bytes });
  }
  const sum = documents.reduce((total, { bytes }) => total + bytes.length, 0);
  return sum <= documentsBytesMax ? documents : "evidence";
}
