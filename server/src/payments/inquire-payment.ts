import { Type, type Static } from "typebox";
import { inquiry } from "../api/operation.ts";
import {
  Amount,
  described,
  Id,
  OneOf,
  PaymentId,
  PaymentRequestId,
  Time,
  toTime,
  type Meanings,
} from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import { refuse, results, wireResult } from "../core/result.ts";
import { paymentStatuses } from "./payment-summary.schema.ts";
import { isInStore, type Payment } from "./payment.ts";
import { findPayment, findPaymentByRequest, findPaymentsTogether } from "./payment.sql.ts";
import { listTransactions } from "./transaction.sql.ts";
import type { Transaction, TransactionStatus, TransactionType } from "./transaction.ts";

/** The payment, and what has moved its money since. */
interface InquiryRecord {
  readonly payment: Payment;
  readonly transactions: readonly Transaction[];
}

const transactionTypesInWords: Meanings<TransactionType> = {
  CAPTURE: "Held money was taken.",
  REFUND: "Money was given back.",
  CANCEL: "All of it was given back, or let go.",
};

const transactionStatusesInWords: Meanings<TransactionStatus> = {
  PROCESSING: "The wallet has not confirmed it yet.",
  SUCCESS: "It is done.",
  FAIL: "It was not done, and will not be.",
};

const TransactionDetails = Type.Object(
  {
    transactionType: OneOf(transactionTypesInWords, "What was done."),
    transactionStatus: OneOf(transactionStatusesInWords, "Where it stands."),
    transactionResult: Type.Object(
      {
        resultCode: Type.String({ maxLength: 64, description: "The reason, as in any result." }),
        resultStatus: Type.String({ maxLength: 2, description: "`S`, `F` or `U`, as in any result." }),
        resultMessage: Type.String({ maxLength: 256, description: "The same, for people." }),
      },
      { description: "How it went." },
    ),
    transactionId: described(Id, "Our name for the capture, refund or cancel."),
    transactionRequestId: described(Id, "Your own name for it."),
    transactionAmount: described(Amount, "How much was moved."),
    transactionTime: Type.Optional(described(Time, "When it was done.")),
  },
  {
    title: "Transaction",
    description:
      "A capture, a refund or a cancel of the payment. A refund that no merchant asked for gave back money that " +
      "came too late.",
  },
);

export const inquirePayment = inquiry({
  path: "payments/inquiryPayment",
  summary: "Tells the status and the details of a payment.",
  description:
    "Asks by `paymentId` or by `paymentRequestId`; if both are given, `paymentId` decides. After a `pay` " +
    "whose answer was lost, ask by `paymentRequestId`. `result` speaks of the call, `paymentStatus` of the payment.",

  request: Type.Object({
    paymentId: Type.Optional(PaymentId),
    paymentRequestId: Type.Optional(PaymentRequestId),
  }),

  response: Type.Object({
    paymentId: PaymentId,
    paymentRequestId: PaymentRequestId,
    paymentStatus: OneOf(paymentStatuses, "Where the payment stands."),
    paymentResultCode: Type.String({ maxLength: 64, description: "Why the payment stands there." }),
    paymentResultMessage: Type.String({ maxLength: 256, description: "The same, for people." }),
    paymentAmount: Type.Optional(described(Amount, "What was asked for.")),
    actualPaymentAmount: Type.Optional(described(Amount, "What was really paid.")),
    paymentCreateTime: described(Time, "When we took it in."),
    paymentTime: Type.Optional(described(Time, "When it was paid.")),
    authExpiryTime: Type.Optional({ ...Time, description: "Until when held money can be captured." }),
    authReleaseTime: Type.Optional(described(Time, "When the rest of the hold was released.")),
    paymentMethodType: Type.Optional(
      Type.String({ maxLength: 64, description: "What the buyer of a payment session has chosen." }),
    ),
    transactions: Type.Optional(
      Type.Array(TransactionDetails, { description: "What moved its money since, the oldest first." }),
    ),
    sequence: Type.Integer({ minimum: 1, description: "Grows with every change of the payment." }),
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
  scenes: [
    {
      title: "By your own id, while the buyer still pays",
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
      title: "Paid, and partly given back",
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
      title: "An id that nobody knows",
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
        detail: "Online payments of the sandbox are under /ams/sandbox/api/.",
      });
    }
    // Most payments have no transactions: skip the query, because an inquiry has to be quick.
    const some = payment.transactionCount > 0;
    const transactions = some ? await listTransactions(call.tx, call, payment.paymentId) : [];
    return { payment, transactions };
  },

  async findTogether(tx, asked) {
    const keys = asked.map(({ bucket, clientId, request }) => ({ ...request, bucket, clientId }));
    const payments = await findPaymentsTogether(tx, keys);
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
      ...(transactions.length > 0 && { transactions: transactions.map(toDetails) }),
      sequence: payment.sequence,
    };
  },
});

function toDetails(transaction: Transaction): Static<typeof TransactionDetails> {
  const { type, status, resultCode, transactionId, requestId, amount, finishedAt } = transaction;
  return {
    transactionType: type,
    transactionStatus: status,
    transactionResult: wireResult(resultCode),
    transactionId,
    transactionRequestId: requestId,
    transactionAmount: toAmount(amount),
    ...(finishedAt && { transactionTime: toTime(finishedAt) }),
  };
}
