import { Type } from "typebox";
import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import { withDescription, PaymentId, PaymentRequestId, Time, toTime } from "../contract/schemas.ts";
import type { Money } from "../core/money.ts";
import { providerReference } from "../core/provider-reference.ts";
import { isRefusal, refuse, type Refusal, type ResultCode } from "../core/result.ts";
import { deleteJob, insertLeasedJob, joinOrLeaseJob } from "../jobs/job.sql.ts";
import { reserveBalance } from "../ledger/reserve.sql.ts";
import { cancelCost, cancelRefusal, cancelRefusals } from "./cancellation.ts";
import {
  findPaymentByRequest,
  insertPayments,
  lockPayment,
  updateCancelRequested,
  updatePaymentStatus,
} from "./payment.sql.ts";
import { isInStore, isMethodUnchosen, initialPaymentValues, type Payment } from "./payment.ts";
import { emptyTexts } from "./request-texts.ts";
import type { ReversalWithPayment } from "./reversals/record-reversal.tx.ts";
import { findReversal, findReversalOfPayment, insertReversal } from "./reversals/reversal.sql.ts";
import type { Reversal } from "./reversals/reversal.ts";

/** The payment, and the reversal of its money if it was paid. */
interface CancelRecord {
  readonly payment: Payment;
  readonly reversal?: Reversal | undefined;
}

const cancelResults = [
  "SUCCESS",
  "UNKNOWN_EXCEPTION",
  "PARAM_ILLEGAL",
  "ACCESS_DENIED",
  "ORDER_NOT_EXIST",
  ...cancelRefusals,
  "MERCHANT_BALANCE_NOT_ENOUGH",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
] as const satisfies readonly ResultCode[];

type CancelCode = (typeof cancelResults)[number];

export const cancelPayment = action({
  path: "payments/cancel",
  summary: "Cancels a payment that is not paid yet, or returns its money in full.",
  description:
    "Names the payment by `paymentId` or `paymentRequestId`. An unknown `paymentRequestId` is cancelled " +
    "in advance: a `pay` that arrives later with this id finds the payment cancelled. A paid payment is " +
    "returned in full, with its fee, if the payment method allows it. An authorization hold is released. " +
    "`U` means that the payment provider has not confirmed yet: repeat the request.",

  request: Type.Object({
    paymentId: Type.Optional(PaymentId),
    paymentRequestId: Type.Optional(PaymentRequestId),
  }),
  response: Type.Object({
    paymentId: PaymentId,
    paymentRequestId: PaymentRequestId,
    cancelTime: Type.Optional(withDescription(Time, "When the payment provider confirmed the cancel.")),
  }),
  results: cancelResults,
  inStore: true,
  idempotency: { keyField: "paymentId", comparedFields: [] },
  waitsForProvider: true,

  example: {
    request: { paymentRequestId: "order-1001-attempt-1" },
    response: {
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      cancelTime: "2026-11-15T09:31:00+00:00",
    },
  },
  moreExamples: [
    {
      title: "By our id",
      request: { paymentId: "20261115093000123047601530017744120" },
      response: {
        paymentId: "20261115093000123047601530017744120",
        paymentRequestId: "order-1001-attempt-1",
        cancelTime: "2026-11-15T09:31:00+00:00",
      },
    },
    {
      title: "Too late to cancel: refund it instead",
      code: "CANCEL_WINDOW_EXCEED",
      request: { paymentRequestId: "order-0007-attempt-1" },
      response: {},
    },
  ],

  async claim(call, request) {
    const payment = await lockRequestedPayment(call, request);
    if (isRefusal(payment)) return payment;
    if (call.inStoreOnly && !isInStore(payment)) return refuse("ACCESS_DENIED");
    if (payment.status === "SUCCESS") return cancelPaid(call, payment);
    if (payment.status !== "PROCESSING") return { record: { payment } };
    if (isMethodUnchosen(payment)) return { record: { payment: cancelBeforeMethodChoice(call, payment) } };

    const { bucket, clientId, paymentId: subjectId } = payment;
    const key = { bucket, clientId, subjectId, job: "drive-payment" } as const;
    // A repeated cancel joins the job: if a process holds the job's lease, it is already closing the order.
    if (payment.cancelRequestedAt) return { record: { payment }, ...(await joinOrLeaseJob(call.tx, key)) };
    updateCancelRequested(call.tx, payment, call.now);
    return { record: { payment }, leasedJob: await insertLeasedJob(call.tx, key) };
  },

  async read(call, { payment, reversal }) {
    const [currentPayment, currentReversal] = await Promise.all([
      findPaymentByRequest(call.tx, call, payment.paymentRequestId),
      reversal && findReversal(call.tx, call, reversal.reversalId),
    ]);
    return { payment: currentPayment ?? payment, reversal: currentReversal };
  },

  answer({ payment, reversal }) {
    const { paymentId, paymentRequestId, status, cancelledAt } = payment;
    if (reversal?.status === "FAIL" && status !== "CANCELLED") return { code: reversalRefusalOf(reversal) };
    switch (status) {
      case "CANCELLED": {
        const cancelTime = cancelledAt && { cancelTime: toTime(cancelledAt) };
        return { code: "SUCCESS", paymentId, paymentRequestId, ...cancelTime };
      }
      // In the status SUCCESS, either the reversal is in progress, or the buyer paid before the close arrived at the
      // provider. In the second case the next cancel starts the reversal.
      case "SUCCESS":
      case "PROCESSING":
        return { code: "UNKNOWN_EXCEPTION" };
      case "PENDING":
      case "FAIL":
        return { code: "ORDER_STATUS_INVALID" };
    }
  },
});

/** Cancels a session for which no payment provider has an order yet, so the cancel is final immediately. */
function cancelBeforeMethodChoice({ tx, bucket, clientId, now }: Call, payment: Payment): Payment {
  updateCancelRequested(tx, payment, now);
  deleteJob(tx, { bucket, clientId, subjectId: payment.paymentId, job: "close-session" });
  const change = { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", cancelledAt: now } as const;
  return updatePaymentStatus(tx, payment, change, now);
}

/**
 * `cancelPaid` starts the reversal of a paid payment or the release of its hold. It is idempotent: a repeated cancel
 * joins the first reversal.
 */
async function cancelPaid(
  call: Call,
  payment: Payment,
): Promise<ClaimResult<CancelRecord> | Refusal<CancelCode>> {
  const { tx, bucket, clientId } = call;
  const earlier = await findReversalOfPayment(tx, call, payment.paymentId);
  if (earlier?.status === "FAIL") return { record: { payment, reversal: earlier } };
  const reversal = earlier ?? newReversal(call, payment);
  const key = { bucket, clientId, subjectId: reversal.reversalId, job: "reverse-payment" } as const;
  const record: ReversalWithPayment = { payment, reversal };
  if (earlier) return { record, ...(await joinOrLeaseJob(tx, key)) };
  const refusalCode =
    cancelRefusal(payment, call.termsOf(reversal.connector), call.now) ??
    (await reserve(call, payment, reversal.amount));
  if (refusalCode) return refuse(refusalCode);
  updateCancelRequested(tx, payment, call.now);
  // Both statements are pipelined in one round trip, because other refunds of the merchant wait for the reserve's row
  // lock.
  const [leased] = await Promise.all([insertLeasedJob(tx, key), insertReversal(tx, reversal)]);
  return { record, leasedJob: { ...leased, record } };
}

/**
 * `reserve` reserves the money to return in the merchant's balance, or returns a refusal. An authorization hold is not
 * part of the balance, so it needs no reserve.
 */
async function reserve(
  { tx, bucket, clientId }: Call,
  payment: Payment,
  paid: Money,
): Promise<"MERCHANT_BALANCE_NOT_ENOUGH" | undefined> {
  if (payment.captureMode === "MANUAL") return undefined;
  const { currency, minor } = cancelCost(payment, paid);
  const isReserved = await reserveBalance(tx, { bucket, clientId, currency }, minor);
  return isReserved ? undefined : "MERCHANT_BALANCE_NOT_ENOUGH";
}

function newReversal(call: Call, { paymentId, order, paidAmount }: Payment): Reversal {
  const { bucket, clientId, environment, now } = call;
  if (!order || !paidAmount)
    throw new Error(`Payment ${paymentId} was paid, but its order or paid amount is missing.`);
  return {
    bucket,
    clientId,
    reversalId: call.newId("reversal"),
    paymentId,
    connector: order.connector,
    reference: providerReference(environment, clientId, "cancel", paymentId),
    reason: "CANCEL",
    status: "PROCESSING",
    resultCode: undefined,
    amount: paidAmount,
    createdAt: now,
    acceptedAt: undefined,
  };
}

/**
 * The code of a refused reversal. The provider's ORDER_NOT_EXIST is about its own order, so the merchant gets another
 * code: the same one would wrongly blame the merchant's id.
 */
function reversalRefusalOf({ resultCode }: Reversal): CancelCode {
  const wireCode = cancelResults.find((code) => code === resultCode);
  return wireCode && wireCode !== "ORDER_NOT_EXIST" ? wireCode : "PROCESS_FAIL";
}

type CancelRequest = { readonly paymentId?: string; readonly paymentRequestId?: string };

async function lockRequestedPayment(
  call: Call,
  request: CancelRequest,
): Promise<Payment | Refusal<"PARAM_ILLEGAL" | "ORDER_NOT_EXIST">> {
  const { paymentId, paymentRequestId } = request;
  if (paymentId === undefined && paymentRequestId === undefined) {
    return refuse("PARAM_ILLEGAL", { field: "paymentId", detail: "Give paymentId or paymentRequestId." });
  }
  const requestedId = paymentId ?? (await findOrInsertTombstone(call, paymentRequestId ?? ""));
  const payment = await lockPayment(call.tx, call, requestedId);
  if (!payment) return refuse("ORDER_NOT_EXIST");
  if (paymentRequestId !== undefined && payment.paymentRequestId !== paymentRequestId) {
    return refuse("PARAM_ILLEGAL", {
      field: "paymentRequestId",
      detail: "The two ids belong to different payments.",
    });
  }
  return payment;
}

/** Inserts a tombstone under an unused request id, so that a `pay` that arrives later finds it cancelled. */
async function findOrInsertTombstone(call: Call, paymentRequestId: string): Promise<string> {
  const earlier = await findPaymentByRequest(call.tx, call, paymentRequestId);
  if (earlier) return earlier.paymentId;
  const tombstone = newTombstone(call, paymentRequestId);
  const inserted = await insertPayments(call.tx, [tombstone], undefined);
  if (inserted.has(tombstone.paymentId)) return tombstone.paymentId;
  const concurrentPayment = await findPaymentByRequest(call.tx, call, paymentRequestId);
  return concurrentPayment?.paymentId ?? tombstone.paymentId;
}

function newTombstone(call: Call, paymentRequestId: string): Payment {
  const { bucket, clientId, now, inStoreOnly } = call;
  return {
    ...initialPaymentValues,
    ...emptyTexts,
    bucket,
    clientId,
    paymentId: call.newId("payment"),
    paymentRequestId,
    productCode: inStoreOnly ? "IN_STORE_PAYMENT" : "CASHIER_PAYMENT",
    status: "CANCELLED",
    resultCode: "ORDER_IS_CANCELED",
    amount: undefined,
    createdAt: now,
    fingerprint: undefined,
    paymentMethodType: undefined,
    checkoutOrder: undefined,
    order: undefined,
    expiresAt: undefined,
    session: undefined,
    cancelRequestedAt: now,
    cancelledAt: now,
    captureMode: "AUTOMATIC",
    feeBasisPoints: 0,
    feeTerms: undefined,
    scenario: undefined,
    sealedSecret: undefined,
  };
}
