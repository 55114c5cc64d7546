import { Type, type Static } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Amount, Id, OneOf, Time, toTime } from "../api/schemas.ts";
import { statesOf } from "../core/lifecycle.ts";
import { toAmount } from "../core/money.ts";
import { refuse, results, wireResult } from "../core/result.ts";
import { isInStore, paymentLifecycle, type Payment } from "./payment.ts";
import { findPayment, findPaymentByRequest } from "./payment.sql.ts";
import { listTransactions } from "./transaction.sql.ts";
import { transactionStatuses, transactionTypes, type Transaction } from "./transaction.ts";

/** The payment, and what has moved its money since. */
interface InquiryRecord {
  readonly payment: Payment;
  readonly transactions: readonly Transaction[];
}

const TransactionDetails = Type.Object(
  {
    transactionType: OneOf(transactionTypes, "What was done. CANCEL gives all of it back."),
    transactionStatus: OneOf(transactionStatuses, "Where it stands."),
    transactionResult: Type.Object({
      resultCode: Type.String({ maxLength: 64 }),
      resultStatus: Type.String({ maxLength: 2 }),
      resultMessage: Type.String({ maxLength: 256 }),
    }),
    transactionId: Id,
    transactionRequestId: Id,
    transactionAmount: Amount,
    transactionTime: Type.Optional(Time),
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
    paymentId: Type.Optional(Id),
    paymentRequestId: Type.Optional(Id),
  }),

  response: Type.Object({
    paymentId: Id,
    paymentRequestId: Id,
    paymentStatus: OneOf(statesOf(paymentLifecycle), "Where the payment stands."),
    paymentResultCode: Type.String({ maxLength: 64, description: "Why the payment stands there." }),
    paymentResultMessage: Type.String({ maxLength: 256, description: "The same, for people." }),
    paymentAmount: Type.Optional(Amount),
    actualPaymentAmount: Type.Optional(Amount),
    paymentCreateTime: Time,
    paymentTime: Type.Optional(Time),
    authExpiryTime: Type.Optional({ ...Time, description: "Until when held money can be captured." }),
    paymentMethodType: Type.Optional(
      Type.String({ maxLength: 64, description: "What the buyer of a payment session has chosen." }),
    ),
    transactions: Type.Optional(Type.Array(TransactionDetails)),
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
