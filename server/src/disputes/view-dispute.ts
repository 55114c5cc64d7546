import { Type } from "typebox";
import { Amount, described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { sumLost } from "../payments/display-status.sql.ts";
import { PaymentSummary, summaryOf as paymentSummaryOf } from "../payments/payment-summary.schema.ts";
import { findPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import type { DisputeNotificationType } from "./decide-dispute.ts";
import { DisputeSummary, disputeStatuses, summaryOf } from "./dispute-summary.schema.ts";
import { findDispute, listDisputeEvents } from "./dispute.sql.ts";
import type { Dispute, DisputeEvent } from "./dispute.ts";
import { evidenceFormats } from "./evidence-format.schema.ts";
import { listEvidence } from "./evidence.sql.ts";
import { evidenceBytesMax, type HandedIn } from "./evidence.ts";

const newsInWords: Meanings<DisputeNotificationType> = {
  DISPUTE_CREATED: "It began.",
  DEFENSE_SUPPLIED: "The wallet has your document.",
  DEFENSE_DUE_ALERT: "The deadline is near.",
  DISPUTE_ACCEPTED: "The buyer gets the money back.",
  DISPUTE_CANCELLED: "The buyer took it back.",
  DISPUTE_JUDGED: "It was decided.",
  RDR_RESOLVED: "The scheme settled it.",
};

/** A dispute, the payment that it is about, and all that was said in it. */
interface Found {
  readonly dispute: Dispute;
  readonly payment: Payment;
  /** What disputes have debited of the payment. */
  readonly lostMinor: bigint;
  readonly events: readonly DisputeEvent[];
  readonly documents: readonly HandedIn[];
  readonly now: Date;
}

export const viewDispute = view({
  name: "dispute",
  summary: "Shows a dispute: its deadline, what can be done about it, what was handed in, and what happened.",
  right: "disputes.read",

  request: Type.Object({ id: described(Id, "Our name for the dispute.") }),
  response: Type.Object({
    dispute: described(DisputeSummary, "The dispute."),
    source: Type.Optional(Type.String({ maxLength: 128, description: "The bank or scheme that raised it." })),
    autoDefendReason: Type.Optional(
      Type.String({ maxLength: 256, description: "Why it is defended without you." }),
    ),
    answeredTime: Type.Optional(described(Time, "When the wallet confirmed your last answer.")),
    judgedTime: Type.Optional(described(Time, "When it was decided.")),
    judgedAmount: Type.Optional(described(Amount, "How much it was decided about.")),
    resolvedTime: Type.Optional(described(Time, "Since when it is over.")),
    evidenceBytesMax: Type.Integer({ description: "How large a document may be." }),
    documents: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ description: "Which of your answers it is." }),
          format: OneOf(evidenceFormats, "What it is, by its first bytes."),
          bytes: Type.Integer({ description: "How large it is." }),
          sha256: Type.String({
            pattern: "^[0-9a-f]{64}$",
            description: "Its digest, as `sha256sum` prints it.",
          }),
          time: described(Time, "When it was handed in."),
        },
        { title: "HandedIn", description: "A document, without its content." },
      ),
      { description: "What you have handed in, the first one first." },
    ),
    history: Type.Array(
      Type.Object(
        {
          time: described(Time, "When it happened."),
          disputeStatus: OneOf(disputeStatuses, "Where it stood from then on."),
          disputeNotificationType: Type.Optional(OneOf(newsInWords, "What your system was told.")),
        },
        { title: "DisputeChange", description: "Something that happened to the dispute." },
      ),
      { description: "What happened, the oldest first." },
    ),
    payment: described(PaymentSummary, "The payment that it is about."),
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
        canAccept: false,
        whyNotAccept: "REPEAT_REQUEST",
        canDefend: false,
        whyNotDefend: "REPEAT_REQUEST",
      },
      source: "Sandbox Scheme",
      answeredTime: "2026-11-19T08:00:05+00:00",
      evidenceBytesMax,
      documents: [
        {
          number: 1,
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
    if (!dispute) return refuse("PARAM_ILLEGAL", { field: "id", detail: "There is no such dispute." });
    const [payment, events, documents] = await Promise.all([
      findPayment(tx, call, dispute.paymentId),
      listDisputeEvents(tx, dispute),
      listEvidence(tx, dispute),
    ]);
    if (!payment) throw new Error(`Dispute ${dispute.disputeId} is about no payment.`);
    const lostMinor = (await sumLost(tx, call, [payment])).get(payment.paymentId) ?? 0n;
    const found: Found = { dispute, payment, lostMinor, events, documents, now };
    return found;
  },

  answer({ dispute, payment, lostMinor, events, documents, now }: Found) {
    const { amount, source, autoDefendReason, answeredAt, judgedAt, judgedMinor, resolvedAt } = dispute;
    return {
      code: "SUCCESS",
      dispute: summaryOf(dispute, now),
      ...(source && { source }),
      ...(autoDefendReason && { autoDefendReason }),
      ...(answeredAt && { answeredTime: toTime(answeredAt) }),
      ...(judgedAt && { judgedTime: toTime(judgedAt) }),
      ...(judgedMinor && { judgedAmount: toAmount({ ...amount, minor: judgedMinor }) }),
      ...(resolvedAt && { resolvedTime: toTime(resolvedAt) }),
      evidenceBytesMax,
      documents: documents.map(({ at, ...document }) => ({ ...document, time: toTime(at) })),
      history: events.map(({ at, status, told }) => ({
        time: toTime(at),
        disputeStatus: status,
        ...(told !== undefined && { disputeNotificationType: told }),
      })),
      payment: paymentSummaryOf(payment, lostMinor),
    };
  },
});
