import type { Stripe } from "stripe";
import type {
  Context,
  DisputeReport,
  EvidenceDocument,
  Found,
  KnownDispute,
  Sent,
} from "../../kit/src/connector.ts";
import { toWireTime } from "../../kit/src/protocol/wire-time.ts";
import { toAmount } from "./amount.ts";
import { requestOptions, type ClientOf } from "./client.ts";
import { toFoundOutcome, toSentOutcome } from "./errors.ts";
import { disputeMeanings, meaningOf } from "./states.ts";

/** The field of Stripe's evidence for each type of document. OTHER goes to the only field without a subject. */
export const evidenceFields = {
  RECEIPT: "receipt",
  PROOF_OF_DELIVERY: "shipping_documentation",
  CUSTOMER_COMMUNICATION: "customer_communication",
  REFUND_POLICY: "refund_policy",
  TERMS_ACCEPTED: "cancellation_policy",
  SERVICE_RECORD: "service_documentation",
  DUPLICATE_EXPLANATION: "duplicate_charge_documentation",
  IDENTITY: "customer_signature",
  OTHER: "uncategorized_file",
} as const satisfies Record<string, keyof Stripe.DisputeUpdateParams.Evidence>;

const mediaTypes: Readonly<Record<string, string>> = { PDF: "application/pdf", JPG: "image/jpeg" };
const fraudWarningPrefix = "issfr_";

/** Reads a dispute, or an early fraud warning, which has an id with another prefix. */
export async function findDispute(
  clientOf: ClientOf,
  providerDisputeId: string,
  context: Context,
  account?: string,
): Promise<Found<DisputeReport>> {
  const client = clientOf(context);
  const options = requestOptions(account);
  try {
    const report = providerDisputeId.startsWith(fraudWarningPrefix)
      ? await readFraudWarning(client, providerDisputeId, options)
      : await toDisputeReport(
          client,
          await client.disputes.retrieve(providerDisputeId, {}, options),
          options,
        );
    return report
      ? { outcome: "found", report }
      : { outcome: "unknown", reason: "the dispute has an unknown status" };
  } catch (error) {
    return toFoundOutcome(error);
  }
}

export async function acceptDispute(
  clientOf: ClientOf,
  { providerDisputeId, order }: KnownDispute,
  context: Context,
): Promise<Sent<DisputeReport>> {
  const options = requestOptions(order.account);
  return answer(clientOf, context, options, (client) =>
    client.disputes.close(providerDisputeId, {}, { ...options, idempotencyKey: context.idempotencyKey }),
  );
}

/** Uploads each document, and submits all of them at once. Stripe accepts one document for each field. */
export async function defendDispute(
  clientOf: ClientOf,
  { providerDisputeId, order }: KnownDispute,
  evidence: readonly EvidenceDocument[],
  context: Context,
): Promise<Sent<DisputeReport>> {
  const options = requestOptions(order.account);
  return answer(clientOf, context, options, async (client) => {
    const fields: Record<string, string> = {};
    for (const { type, format, bytes } of evidence) {
      const field = meaningOf(evidenceFields, type) ?? evidenceFields.OTHER;
      const file = {
        data: bytes,
        name: `${field}.${format.toLowerCase()}`,
        type: mediaTypes[format] ?? "application/octet-stream",
      };
      const upload = await client.files.create({ purpose: "dispute_evidence", file }, options);
      fields[field] = upload.id;
    }
    return client.disputes.update(providerDisputeId, { evidence: fields, submit: true }, options);
  });
}

async function answer(
  clientOf: ClientOf,
  context: Context,
  options: Stripe.RequestOptions,
  send: (client: Stripe) => Promise<Stripe.Dispute>,
): Promise<Sent<DisputeReport>> {
  const client = clientOf(context);
  try {
    const report = await toDisputeReport(client, await send(client), options);
    return report
      ? { outcome: "reported", report }
      : { outcome: "unknown", reason: "the dispute has an unknown status" };
  } catch (error) {
    return toSentOutcome(error);
  }
}

async function toDisputeReport(
  client: Stripe,
  dispute: Stripe.Dispute,
  options: Stripe.RequestOptions,
): Promise<DisputeReport | undefined> {
  const meaning = meaningOf(disputeMeanings, dispute.status);
  const sessionId = await findSessionId(client, dispute.payment_intent, options);
  if (!meaning || sessionId === undefined) return undefined;
  const amount = toAmount(dispute.currency, dispute.amount);
  const dueSeconds = dispute.evidence_details.due_by ?? dispute.created + defaultDeadlineSeconds;
  return {
    providerDisputeId: dispute.id,
    providerOrderId: sessionId,
    disputeType: meaning.disputeType,
    state: meaning.state,
    amount,
    defendable: meaning.state === "OPEN",
    createdTime: toWireTime(dispute.created * 1000),
    dueTime: toWireTime(dueSeconds * 1000),
    reasonCode: dispute.reason,
    source: "stripe",
    ...("isTaken" in meaning && { takenAmount: amount }),
    ...("judgedResult" in meaning && { judgedResult: meaning.judgedResult }),
  };
}

/** Only a dispute that takes no evidence has no deadline. */
const defaultDeadlineSeconds = 7 * 24 * 3600;

async function readFraudWarning(
  client: Stripe,
  id: string,
  options: Stripe.RequestOptions,
): Promise<DisputeReport | undefined> {
  const warning = await client.radar.earlyFraudWarnings.retrieve(id, { expand: ["charge"] }, options);
  const { charge, payment_intent: intent } = warning;
  const sessionId = await findSessionId(client, intent ?? null, options);
  if (sessionId === undefined || typeof charge === "string") return undefined;
  return {
    providerDisputeId: id,
    providerOrderId: sessionId,
    disputeType: "FRAUD_WARNING",
    state: "RESOLVED",
    amount: toAmount(charge.currency, charge.amount),
    defendable: false,
    createdTime: toWireTime(warning.created * 1000),
    reasonCode: warning.fraud_type,
    source: "stripe",
  };
}

/** The gateway's order is the Checkout Session of the disputed PaymentIntent. */
async function findSessionId(
  client: Stripe,
  intent: string | Stripe.PaymentIntent | null,
  options: Stripe.RequestOptions,
): Promise<string | undefined> {
  if (intent === null) return undefined;
  const id = typeof intent === "string" ? intent : intent.id;
  const { data } = await client.checkout.sessions.list({ payment_intent: id, limit: 1 }, options);
  return data[0]?.id;
}
