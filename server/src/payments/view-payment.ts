import { Type } from "typebox";
import { Amount, withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { view, type ViewCall } from "../contract/view.ts";
import { toAmount } from "../core/money.ts";
import { refuse } from "../core/result.ts";
import { Posting, toPosting } from "../ledger/posting.schema.ts";
import { listTransfersOfRecords } from "../ledger/transfer.sql.ts";
import { sumFees, owedChange, type PostedTransfer } from "../ledger/transfer.ts";
import { RequestSummaryForm, toRequestSummaryForm } from "../merchants/request-summary.schema.ts";
import type { RequestSummary } from "../merchants/request-summary.ts";
import { listRequests } from "../merchants/request-log.sql.ts";
import { listDeliveriesById } from "../notifications/delivery.sql.ts";
import { withoutSecrets, type Delivery } from "../notifications/delivery.ts";
import { SentNotification, toSentNotification } from "../notifications/sent-notification.schema.ts";
import { SettledIn } from "../settlement/settlement.schema.ts";
import { listBatchesOf } from "../settlement/settlement.sql.ts";
import type { BatchOfRecord } from "../settlement/settlement.ts";
import { sumDisputeLosses } from "./display-status.sql.ts";
import { returnResultInfo } from "./payment-result-info.ts";
import { paymentResultInfo, PaymentSummary, SignedAmount, summaryOf } from "./payment-summary.schema.ts";
import { PlannedStep, TimelineItem, toPlannedStep, toTimelineItem } from "./payment-timeline.schema.ts";
import { findPayment } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";
import { findPaymentIdByAnyId, listPlannedJobs, listTimeline } from "./timeline.sql.ts";
import type { PlannedJob, TimelineEntry } from "./timeline.ts";
import { listTransactions } from "./transaction.sql.ts";
import type { Transaction, TransactionStatus, TransactionType } from "./transaction.ts";

const transactionTypes: Meanings<TransactionType> = {
  CAPTURE: "Authorized money was captured.",
  REFUND: "Money was refunded.",
  CANCEL: "The whole amount was returned, or the authorization hold was released.",
};

const transactionStatuses: Meanings<TransactionStatus> = {
  PROCESSING: "The transaction is in progress.",
  SUCCESS: "The transaction succeeded.",
  FAIL: "The transaction failed.",
};

/** A payment with all its records. */
interface PaymentDetails {
  readonly payment: Payment;
  /** Amount that disputes have debited of the payment, in minor units. */
  readonly lostMinor: bigint;
  readonly timeline: readonly TimelineEntry[];
  readonly planned: readonly PlannedJob[];
  readonly transactions: readonly Transaction[];
  readonly postings: readonly PostedTransfer[];
  readonly batches: readonly BatchOfRecord[];
  readonly deliveries: readonly Delivery[];
  readonly apiRequests: readonly RequestSummary[];
}

export const viewPayment = view({
  name: "payment",
  summary: "Shows a payment with its timeline and all its records, by any id that belongs to it.",
  description:
    "The id is that of the payment, or of its capture, refund or dispute: our id, or your own request id. " +
    "The timeline has all events in time order; the other lists have the details.",
  permission: "payments.read",

  request: Type.Object({ id: withDescription(Id, "The id of the payment, or of one of its records.") }),
  response: Type.Object({
    payment: withDescription(PaymentSummary, "The payment."),
    paymentResultInfo,
    feeAmount: Type.Optional(
      withDescription(
        SignedAmount,
        "Our fee with its tax, less the fees that refunds returned; absent if nothing was posted.",
      ),
    ),
    netAmount: Type.Optional(
      withDescription(
        SignedAmount,
        "The change of your balance by the payment and its refunds and disputes, fees included; absent if " +
          "nothing was posted.",
      ),
    ),
    timeline: Type.Array(TimelineItem, { description: "The events of the payment, the oldest first." }),
    planned: Type.Array(PlannedStep, {
      description: "The scheduled jobs of the payment, the next one first.",
    }),
    transactions: Type.Array(
      Type.Object(
        {
          transactionId: withDescription(Id, "Our id of the capture, refund or cancel."),
          transactionRequestId: withDescription(Id, "Your own id of the capture, refund or cancel."),
          transactionType: OneOf(transactionTypes, "The type of the transaction."),
          transactionStatus: OneOf(transactionStatuses, "The status of the transaction."),
          transactionResultCode: Type.String({ maxLength: 64, description: "The reason for the status." }),
          transactionAmount: withDescription(Amount, "The amount that was moved."),
          createdTime: withDescription(Time, "When the transaction was requested."),
          transactionTime: Type.Optional(withDescription(Time, "When the transaction succeeded or failed.")),
          transactionReversalTime: Type.Optional(
            withDescription(Time, "When the transaction failed after it had succeeded at `transactionTime`."),
          ),
        },
        { title: "TransactionSummary", description: "A capture, a refund or a cancel." },
      ),
      { description: "The captures, refunds and cancel of the payment, the oldest first." },
    ),
    ledger: Type.Array(Posting, {
      description: "The ledger rows of the payment and of its transactions, as double entry.",
    }),
    settledIn: Type.Array(SettledIn, {
      description: "The settlement batches that include the payment or its transactions.",
    }),
    notifications: Type.Array(SentNotification, {
      description: "The webhooks about the payment and its transactions.",
    }),
    callsAround: Type.Array(RequestSummaryForm, {
      description:
        "Your API requests within two seconds of the payment's creation. The request log does not record " +
        "which of them created it.",
    }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ORDER_NOT_EXIST"],

  example: {
    request: { id: "order-1001-attempt-1" },
    response: {
      payment: {
        paymentId: "20261115093000123047601530017744120",
        paymentRequestId: "order-1001-attempt-1",
        paymentStatus: "SUCCESS",
        displayStatus: "PAID",
        referenceOrderId: "order-1001",
        paymentResultCode: "SUCCESS",
        productCode: "CASHIER_PAYMENT",
        paymentAmount: { currency: "EUR", value: "1250" },
        capturedAmount: { currency: "EUR", value: "1250" },
        keptAmount: { currency: "EUR", value: "1250" },
        paymentCreateTime: "2026-11-15T09:30:00+00:00",
        paymentTime: "2026-11-15T09:30:07+00:00",
      },
      feeAmount: { currency: "EUR", value: "0" },
      netAmount: { currency: "EUR", value: "1250" },
      timeline: [
        {
          time: "2026-11-15T09:30:00+00:00",
          kind: "payment",
          subjectId: "20261115093000123047601530017744120",
          what: "PROCESSING",
          detail: "PAYMENT_IN_PROCESS",
        },
      ],
      planned: [],
      transactions: [],
      ledger: [
        {
          subjectId: "20261115093000123047601530017744120",
          effect: "payment",
          debitAccount: "provider receivable sandbox-wallet",
          creditAccount: "merchant payable SANDBOX_5Y1",
          amount: { currency: "EUR", value: "1250" },
          owedChange: "1250",
          time: "2026-11-15T09:30:07+00:00",
        },
      ],
      settledIn: [{ batchId: "20261116160500000047611530017744120", toDay: "2026-11-16", status: "PAID" }],
      notifications: [],
      callsAround: [],
    },
  },

  async find(call, { id }) {
    const { tx, aheadMs } = call;
    const paymentId = await findPaymentIdByAnyId(tx, call, id);
    const payment = paymentId === undefined ? undefined : await findPayment(tx, call, paymentId);
    if (!payment) return refuse("ORDER_NOT_EXIST");
    const [timeline, planned, transactions, apiRequests, lost] = await Promise.all([
      listTimeline(tx, call, payment.paymentId),
      listPlannedJobs(tx, call, payment.paymentId, aheadMs),
      listTransactions(tx, call, payment.paymentId),
      listRequestsAround(call, payment),
      sumDisputeLosses(tx, call, [payment]),
    ]);
    const subjectIds = [...new Set([payment.paymentId, ...timeline.map(({ subjectId }) => subjectId)])];
    const webhookIds = timeline.flatMap(({ kind, subjectId }) =>
      kind === "notification" ? [subjectId] : [],
    );
    const [postings, batches, deliveries] = await Promise.all([
      listTransfersOfRecords(tx, call, subjectIds),
      listBatchesOf(tx, call, subjectIds),
      listDeliveriesById(tx, call, webhookIds, aheadMs),
    ]);
    const lostMinor = lost.get(payment.paymentId) ?? 0n;
    const records = { timeline, planned, transactions, postings, batches, deliveries, apiRequests };
    const details: PaymentDetails = { payment, lostMinor, ...records };
    return details;
  },

  answer({
    payment,
    lostMinor,
    timeline,
    planned,
    transactions,
    postings,
    batches,
    deliveries,
    apiRequests,
  }: PaymentDetails) {
    return {
      code: "SUCCESS",
      payment: summaryOf(payment, lostMinor),
      ...returnResultInfo(payment),
      ...chargesOf(payment, postings),
      timeline: timeline.map(toTimelineItem),
      planned: planned.map(toPlannedStep),
      transactions: transactions.map((transaction) => ({
        transactionId: transaction.transactionId,
        transactionRequestId: transaction.requestId,
        transactionType: transaction.type,
        transactionStatus: transaction.status,
        transactionResultCode: transaction.resultCode,
        transactionAmount: toAmount(transaction.amount),
        createdTime: toTime(transaction.createdAt),
        ...(transaction.finishedAt && { transactionTime: toTime(transaction.finishedAt) }),
        ...(transaction.reversedAt && { transactionReversalTime: toTime(transaction.reversedAt) }),
      })),
      ledger: postings.map((each) => toPosting(each, payment.clientId)),
      settledIn: batches.map((each) => ({ ...each })),
      notifications: deliveries.map(withoutSecrets).map(toSentNotification),
      callsAround: apiRequests.map(toRequestSummaryForm),
    };
  },
});

/** `chargesOf` returns the fee and the net amount of a payment, from its ledger rows. */
function chargesOf({ clientId, amount }: Payment, postings: readonly PostedTransfer[]) {
  const sameCurrency = postings.filter((each) => each.amount.currency === amount?.currency);
  if (!amount || sameCurrency.every((each) => owedChange(each, clientId) === 0n)) return {};
  const { currency } = amount;
  const netMinor = sameCurrency.reduce((sum, each) => sum + owedChange(each, clientId), 0n);
  return {
    feeAmount: toAmount({ currency, minor: sumFees(sameCurrency, clientId) }),
    netAmount: { currency, value: netMinor.toString() },
  };
}

const requestWindowMs = 2_000;
const callsMax = 20;

/**
 * `listRequestsAround` lists API requests around the time of a payment. It converts the payment's time to real time,
 * because the request log uses the real clock and the merchant's test clock may be ahead.
 */
function listRequestsAround(call: ViewCall, { createdAt }: Payment): Promise<readonly RequestSummary[]> {
  const createdMs = createdAt.getTime() - call.aheadMs;
  const [from, until] = [new Date(createdMs - requestWindowMs), new Date(createdMs + requestWindowMs)];
  const noFilter = { resultCode: undefined, requestId: undefined, limit: callsMax };
  return listRequests(call.tx, call, { from, until, ...noFilter });
}
