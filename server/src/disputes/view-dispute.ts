import { Type } from "typebox";
import { Amount, withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { sumDisputeLosses } from "../payments/display-status.sql.ts";
import { PaymentSummary, summaryOf as paymentSummaryOf } from "../payments/payment-summary.schema.ts";
import { findPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import type { DisputeNotificationType } from "./decide-dispute.ts";
import { DisputeSummary, disputeStatuses, summarizeDispute } from "./dispute-summary.schema.ts";
import { findDispute, listDisputeEvents } from "./dispute.sql.ts";
import type { Dispute, DisputeEvent } from "./dispute.ts";
import { evidenceFormats, evidenceTypeMeanings } from "./evidence-format.schema.ts";
import { listEvidence } from "./evidence.sql.ts";
import { documentsBytesMax, documentsMax, evidenceBytesMax, type SuppliedDocument } from "./evidence.ts";

const notificationTypeMeanings: Meanings<DisputeNotificationType> = {
  DISPUTE_CREATED: "The dispute was opened.",
  DEFENSE_SUPPLIED: "The payment provider has your documents.",
  DEFENSE_DUE_ALERT: "The deadline is near.",
  DISPUTE_ACCEPTED: "The dispute was accepted: the buyer gets the money back.",
  DISPUTE_CANCELLED: "The buyer withdrew the dispute.",
  DISPUTE_JUDGED: "The dispute was decided.",
  RDR_RESOLVED: "The scheme settled the dispute.",
};

/** A dispute with its payment, events and documents. */
interface DisputeDetails {
  readonly dispute: Dispute;
  readonly payment: Payment;
  /** Amount that disputes have debited of the payment, in minor units. */
  readonly lostMinor: bigint;
  readonly events: readonly DisputeEvent[];
  readonly documents: readonly SuppliedDocument[];
  readonly now: Date;
}

export const viewDispute = view({
  name: "dispute",
  summary: "Shows a dispute: its deadline, the possible answers, the supplied documents, and its history.",
  permission: "disputes.read",

  request: Type.Object({ id: withDescription(Id, "Our id of the dispute.") }),
  response: Type.Object({
    dispute: withDescription(DisputeSummary, "The dispute."),
    source: Type.Optional(
      Type.String({ maxLength: 128, description: "The bank or scheme that raised the dispute." }),
    ),
    autoDefendReason: Type.Optional(
      Type.String({ maxLength: 256, description: "The reason why the dispute is defended automatically." }),
    ),
    answeredTime: Type.Optional(
      withDescription(Time, "When the payment provider confirmed your last answer."),
    ),
    judgedTime: Type.Optional(withDescription(Time, "When the dispute was decided.")),
    judgedAmount: Type.Optional(withDescription(Amount, "The amount of the decision.")),
    resolvedTime: Type.Optional(withDescription(Time, "When the dispute became final.")),
    evidenceBytesMax: Type.Integer({ description: "Maximum size of a document in bytes." }),
    documentsMax: Type.Integer({ description: "Maximum number of documents of an answer." }),
    documentsBytesMax: Type.Integer({ description: "Maximum size of all documents of an answer in bytes." }),
    documents: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ description: "The number of your answer." }),
          position: Type.Integer({ description: "The position of the document in your answer, from 1." }),
          type: OneOf(evidenceTypeMeanings, "The type of the document."),
          format: OneOf(evidenceFormats, "The file format, by its first bytes."),
          bytes: Type.Integer({ description: "Size in bytes." }),
          sha256: Type.String({
            pattern: "^[0-9a-f]{64}$",
            description: "The SHA-256 digest, as `sha256sum` prints it.",
          }),
          time: withDescription(Time, "When the document was supplied."),
        },
        { title: "HandedIn", description: "A document, without its content." },
      ),
      { description: "Your supplied documents, the first one first." },
    ),
    history: Type.Array(
      Type.Object(
        {
          time: withDescription(Time, "When the change happened."),
          disputeStatus: OneOf(disputeStatuses, "The status after the change."),
          disputeNotificationType: Type.Optional(
            OneOf(notificationTypeMeanings, "The type of the webhook that was sent."),
          ),
        },
        { title: "DisputeChange", description: "A change of the dispute." },
      ),
      { description: "The changes, the oldest first." },
    ),
    payment: withDescription(PaymentSummary, "The disputed payment."),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { id: "20261118101530482047605661029384756" },
    response: {
      dispute: {
        disputeId: "20261118101530482047605661029384756",
        paymentId: "20261115093000123047601530017744120",
        disputeType: "CHARGEBACK",
        disputeStatus: "DEFENDED",
        disputeAmount: { currency: "EUR", value: "1250" },
        frozenAmount: { currency: "EUR", value: "1250" },
        reasonCode: "13.1",
        reasonMessage: "The goods did not arrive.",
        createdTime: "2026-11-18T10:15:30+00:00",
        defenseDueTime: "2026-11-25T10:15:30+00:00",
        wantedEvidence: ["RECEIPT", "PROOF_OF_DELIVERY"],
        canAccept: false,
        whyNotAccept: "REPEAT_REQUEST",
        canDefend: false,
        whyNotDefend: "REPEAT_REQUEST",
      },
      source: "Sandbox Scheme",
      answeredTime: "2026-11-19T08:00:05+00:00",
      evidenceBytesMax,
      documentsMax,
      documentsBytesMax,
      documents: [
        {
          number: 1,
          position: 1,
          type: "RECEIPT",
          format: "PDF",
          bytes: 20_480,
          sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          time: "2026-11-19T08:00:04+00:00",
        },
      ],
      history: [
        {
          time: "2026-11-18T10:15:30+00:00",
          disputeStatus: "CREATED",
          disputeNotificationType: "DISPUTE_CREATED",
        },
      ],
      payment: {
        paymentId: "20261115093000123047601530017744120",
        paymentRequestId: "order-1001-attempt-1",
        paymentStatus: "SUCCESS",
        displayStatus: "DISPUTED",
        referenceOrderId: "order-1001",
        paymentResultCode: "SUCCESS",
        productCode: "CASHIER_PAYMENT",
        paymentAmount: { currency: "EUR", value: "1250" },
        paymentCreateTime: "2026-11-15T09:30:00+00:00",
        paymentTime: "2026-11-15T09:30:07+00:00",
      },
    },
  },

  async find(call, { id }) {
    const { tx, now } = call;
    const dispute = await findDispute(tx, call, id);
    if (!dispute) return refuse("PARAM_ILLEGAL", { field: "id", detail: "The dispute does not exist." });
    const [payment, events, documents] = await Promise.all([
      findPayment(tx, call, dispute.paymentId),
      listDisputeEvents(tx, dispute),
      listEvidence(tx, dispute),
    ]);
    if (!payment) throw new Error(`Dispute ${dispute.disputeId} has no payment.`);
    const lostMinor = (await sumDisputeLosses(tx, call, [payment])).get(payment.paymentId) ?? 0n;
    const details: DisputeDetails = { dispute, payment, lostMinor, events, documents, now };
    return details;
  },

  answer({ dispute, payment, lostMinor, events, documents, now }: DisputeDetails) {
    const { amount, source, autoDefendReason, answeredAt, judgedAt, judgedMinor, resolvedAt } = dispute;
    return {
      code: "SUCCESS",
      dispute: summarizeDispute(dispute, now),
      ...(source && { source }),
      ...(autoDefendReason && { autoDefendReason }),
      ...(answeredAt && { answeredTime: toTime(answeredAt) }),
      ...(judgedAt && { judgedTime: toTime(judgedAt) }),
      ...(judgedMinor && { judgedAmount: toAmount({ ...amount, minor: judgedMinor }) }),
      ...(resolvedAt && { resolvedTime: toTime(resolvedAt) }),
      evidenceBytesMax,
      documentsMax,
      documentsBytesMax,
      documents: documents.map(({ at, ...document }) => ({ ...document, time: toTime(at) })),
      history: events.map(({ at, status, notificationType }) => ({
        time: toTime(at),
        disputeStatus: status,
        ...(notificationType !== undefined && { disputeNotificationType: notificationType }),
      })),
      payment: paymentSummaryOf(payment, lostMinor),
    };
  },
});
