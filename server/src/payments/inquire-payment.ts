import { Type, type Static } from "typebox";
import { inquiry } from "../contract/operation.ts";
import {
  Amount,
  withDescription,
  Id,
  OneOf,
  PaymentId,
  PaymentRequestId,
  Time,
  toTime,
  type Meanings,
} from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import { refuse, results, toWireResult } from "../core/result.ts";
import { returnResultInfo } from "./payment-result-info.ts";
import { paymentResultInfo, paymentStatuses } from "./payment-summary.schema.ts";
import { isInStore, type Payment } from "./payment.ts";
import { findPayment, findPaymentByRequest, findPaymentsBatch } from "./payment.sql.ts";
import { inquiryTextSchemas } from "./request-texts.schema.ts";
import { returnTexts } from "./request-texts.ts";
import { listTransactions } from "./transaction.sql.ts";
import type { Transaction, TransactionStatus, TransactionType } from "./transaction.ts";

/** The payment, with its captures, refunds and cancel. */
interface InquiryRecord {
  readonly payment: Payment;
  readonly transactions: readonly Transaction[];
}

const transactionTypeMeanings: Meanings<TransactionType> = {
  CAPTURE: "Authorized money was captured.",
  REFUND: "Money was refunded.",
  CANCEL: "The whole amount was returned, or the authorization hold was released.",
};

const transactionStatusMeanings: Meanings<TransactionStatus> = {
  PROCESSING: "The payment provider has not confirmed the transaction yet.",
  SUCCESS: "The transaction succeeded.",
  FAIL: "The transaction failed permanently, or the buyer's bank returned the refunded money.",
};

const TransactionDetails = Type.Object(
  {
    transactionType: OneOf(transactionTypeMeanings, "The type of the transaction."),
    transactionStatus: OneOf(transactionStatusMeanings, "The status of the transaction."),
    transactionResult: Type.Object(
      {
        resultCode: Type.String({ maxLength: 64, description: "The result code, as in each response." }),
        resultStatus: Type.String({ maxLength: 2, description: "`S`, `F` or `U`, as in each response." }),
        resultMessage: Type.String({ maxLength: 256, description: "The result code as a text for people." }),
      },
      { description: "The result of the transaction." },
    ),
    transactionId: withDescription(Id, "Our id of the capture, refund or cancel."),
    transactionRequestId: withDescription(Id, "Your own id of the capture, refund or cancel."),
    transactionAmount: withDescription(Amount, "The amount that was moved."),
    transactionTime: Type.Optional(withDescription(Time, "When the transaction succeeded or failed.")),
  },
  {
    title: "Transaction",
    description:
      "A capture, a refund or a cancel of the payment. A refund that you did not request returned money " +
      "of a late success.",
  },
);

export const inquirePayment = inquiry({
  path: "payments/inquiryPayment",
  summary: "Returns the status and the details of a payment.",
  description:
    "Finds the payment by `paymentId` or `paymentRequestId`; if both are given, `paymentId` decides. If " +
    "the response to a `pay` was lost, use `paymentRequestId`. `result` is about this request, " +
    "`paymentStatus` about the payment.",

  request: Type.Object({
    paymentId: Type.Optional(PaymentId),
    paymentRequestId: Type.Optional(PaymentRequestId),
  }),

  response: Type.Object({
    paymentId: PaymentId,
    paymentRequestId: PaymentRequestId,
    paymentStatus: OneOf(paymentStatuses, "The status of the payment."),
    paymentResultCode: Type.String({ maxLength: 64, description: "The reason for the payment status." }),
    paymentResultMessage: Type.String({
      maxLength: 256,
      description: "The result code as a text for people.",
    }),
    paymentAmount: Type.Optional(withDescription(Amount, "The requested amount.")),
    actualPaymentAmount: Type.Optional(withDescription(Amount, "The amount that the buyer paid.")),
    paymentCreateTime: withDescription(Time, "When the gateway accepted the payment."),
    paymentTime: Type.Optional(withDescription(Time, "When the buyer paid.")),
    authExpiryTime: Type.Optional({
      ...Time,
      description: "Until when the authorized money can be captured.",
    }),
    authReleaseTime: Type.Optional(
      withDescription(Time, "When the rest of the authorization hold was released, or expired."),
    ),
    paymentMethodType: Type.Optional(
      Type.String({ maxLength: 64, description: "The payment method that the buyer of a session chose." }),
    ),
    paymentResultInfo,
    ...inquiryTextSchemas,
    transactions: Type.Optional(
      Type.Array(TransactionDetails, {
        description: "The captures, refunds and cancel of the payment, the oldest first.",
      }),
    ),
    sequence: Type.Integer({ minimum: 1, description: "Increases with each change of the payment." }),
  }),

  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "ORDER_NOT_EXIST"],
  inStore: true,

  example: {
    request: { paymentId: "20261115093000123047601530017744120" },
    response: {
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      paymentStatus: "SUCCESS",
      paymentResultCode: "SUCCESS",
      paymentResultMessage: "success.",
      paymentAmount: { currency: "EUR", value: "1250" },
      actualPaymentAmount: { currency: "EUR", value: "1250" },
      paymentCreateTime: "2026-11-15T09:30:00+00:00",
      paymentTime: "2026-11-15T09:30:07+00:00",
      sequence: 2,
    },
  },
  moreExamples: [
    {
      title: "By your own id, while the buyer is paying",
      request: { paymentRequestId: "order-1001-attempt-1" },
      response: {
        paymentId: "20261115093000123047601530017744120",
        paymentRequestId: "order-1001-attempt-1",
        paymentStatus: "PROCESSING",
        paymentResultCode: "PAYMENT_IN_PROCESS",
        paymentResultMessage: "payment in process.",
        paymentAmount: { currency: "EUR", value: "1250" },
        paymentCreateTime: "2026-11-15T09:30:00+00:00",
        sequence: 1,
      },
    },
    {
      title: "Paid by card",
      request: { paymentId: "20261115093000123047601530017744120" },
      response: {
        paymentId: "20261115093000123047601530017744120",
        paymentRequestId: "order-1001-attempt-1",
        paymentStatus: "SUCCESS",
        paymentResultCode: "SUCCESS",
        paymentResultMessage: "success.",
        paymentAmount: { currency: "EUR", value: "1250" },
        actualPaymentAmount: { currency: "EUR", value: "1250" },
        paymentCreateTime: "2026-11-15T09:30:00+00:00",
        paymentTime: "2026-11-15T09:30:07+00:00",
        paymentResultInfo: {
          cardBrand: "MASTERCARD",
          lastFour: "0004",
          avsResultRaw: "Y",
          cvvResultRaw: "M",
          networkTransactionId: "MCC4F1C0A1115",
          threeDSResult: {
            threeDSVersion: "2.2.0",
            threeDSOutcome: "FRICTIONLESS",
            isLiabilityShifted: true,
          },
        },
        sequence: 2,
      },
    },
    {
      title: "Paid and partly refunded",
      request: { paymentId: "20261115093000123047601530017744120" },
      response: {
        paymentId: "20261115093000123047601530017744120",
        paymentRequestId: "order-1001-attempt-1",
        paymentStatus: "SUCCESS",
        paymentResultCode: "SUCCESS",
        paymentResultMessage: "success.",
        paymentAmount: { currency: "EUR", value: "1250" },
        actualPaymentAmount: { currency: "EUR", value: "1250" },
        paymentCreateTime: "2026-11-15T09:30:00+00:00",
        paymentTime: "2026-11-15T09:30:07+00:00",
        transactions: [
          {
            transactionType: "REFUND",
            transactionStatus: "SUCCESS",
            transactionResult: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
            transactionId: "20261116141503418047602904415082637",
            transactionRequestId: "order-1001-refund-1",
            transactionAmount: { currency: "EUR", value: "350" },
            transactionTime: "2026-11-16T14:15:04+00:00",
          },
        ],
        sequence: 3,
      },
    },
    {
      title: "An unknown id",
      code: "ORDER_NOT_EXIST",
      request: { paymentRequestId: "order-9999-attempt-1" },
      response: {},
    },
  ],

  async find(call, { paymentId, paymentRequestId }) {
    if (paymentId === undefined && paymentRequestId === undefined) {
      return refuse("PARAM_ILLEGAL", { field: "paymentId", detail: "Give paymentId or paymentRequestId." });
    }
    const payment =
      paymentId === undefined
        ? await findPaymentByRequest(call.tx, call, paymentRequestId ?? "")
        : await findPayment(call.tx, call, paymentId);
    if (!payment) return refuse("ORDER_NOT_EXIST");
    if (call.inStoreOnly && !isInStore(payment)) {
      return refuse("ACCESS_DENIED", {
        detail: "Online payments of the sandbox use the path /ams/sandbox/api/.",
      });
    }
    // Latency: most payments have no transactions, and then the query is skipped.
    const hasTransactions = payment.transactionCount > 0;
    const transactions = hasTransactions ? await listTransactions(call.tx, call, payment.paymentId) : [];
    return { payment, transactions };
  },

  async findBatch(tx, lookups) {
    const keys = lookups.map(({ bucket, clientId, request }) => ({ ...request, bucket, clientId }));
    const payments = await findPaymentsBatch(tx, keys);
    return payments.map((payment) =>
      payment && payment.transactionCount === 0 ? { payment, transactions: [] } : undefined,
    );
  },

  answer({ payment, transactions }: InquiryRecord) {
    return {
      code: "SUCCESS",
      paymentId: payment.paymentId,
      paymentRequestId: payment.paymentRequestId,
      paymentStatus: payment.status,
      paymentResultCode: payment.resultCode,
      paymentResultMessage: results[payment.resultCode].message,
      ...(payment.amount && { paymentAmount: toAmount(payment.amount) }),
      ...(payment.paidAmount && { actualPaymentAmount: toAmount(payment.paidAmount) }),
      paymentCreateTime: toTime(payment.createdAt),
      ...(payment.paidAt && { paymentTime: toTime(payment.paidAt) }),
      ...(payment.authExpiresAt && { authExpiryTime: toTime(payment.authExpiresAt) }),
      ...(payment.releasedAt && { authReleaseTime: toTime(payment.releasedAt) }),
      ...(payment.session?.chosenAt && { paymentMethodType: payment.paymentMethodType ?? "" }),
      ...returnResultInfo(payment),
      ...returnTexts("inquiry", payment),
      ...(transactions.length > 0 && { transactions: transactions.map(toTransactionDetails) }),
      sequence: payment.sequence,
    };
  },
});

function toTransactionDetails(transaction: Transaction): Static<typeof TransactionDetails> {
  const { type, status, resultCode, transactionId, requestId, amount, finishedAt, reversedAt } = transaction;
  const endedAt = reversedAt ?? finishedAt;
  return {
    transactionType: type,
    transactionStatus: status,
    transactionResult: toWireResult(resultCode),
    transactionId,
    transactionRequestId: requestId,
    transactionAmount: toAmount(amount),
    ...(endedAt && { transactionTime: toTime(endedAt) }),
  };
}
