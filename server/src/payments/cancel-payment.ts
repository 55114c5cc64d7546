import { Type } from "typebox";
import { action, type Call } from "../api/operation.ts";
import { Id, Time, toTime } from "../api/schemas.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { insertHeldJob } from "../jobs/job.sql.ts";
import { findPaymentByRequest, insertPayment, lockPayment, updateCancelRequested } from "./payment.sql.ts";
import { isInStore, type Payment } from "./payment.ts";

export const cancelPayment = action({
  path: "payments/cancel",
  summary: "Makes sure that a payment is not paid.",
  description:
    "Names the payment by `paymentId` or `paymentRequestId`. A `paymentRequestId` that was never seen is cancelled " +
    "beforehand: a `pay` that comes late finds it cancelled. `U` means that the wallet has not confirmed yet: repeat it.",

  request: Type.Object({
    paymentId: Type.Optional(Id),
    paymentRequestId: Type.Optional(Id),
  }),
  response: Type.Object({ paymentId: Id, paymentRequestId: Id, cancelTime: Type.Optional(Time) }),
  results: [
    "SUCCESS",
    "UNKNOWN_EXCEPTION",
    "PARAM_ILLEGAL",
    "ACCESS_DENIED",
    "ORDER_NOT_EXIST",
    "ORDER_STATUS_INVALID",
  ],
  inStore: true,
  once: { id: "paymentId", same: [] },
  waits: true,

  example: {
    request: { paymentRequestId: "order-1001-attempt-1" },
    response: {
      paymentId: "20261115093000123047601530017744120",
      paymentRequestId: "order-1001-attempt-1",
      cancelTime: "2026-11-15T09:31:00+00:00",
    },
  },

  async claim(call, request) {
    const payment = await lockAsked(call, request);
    if ("refused" in payment) return payment;
    if (call.inStoreOnly && !isInStore(payment)) return refuse("ACCESS_DENIED");
    if (payment.status !== "PROCESSING") return { record: payment };

    updateCancelRequested(call.tx, payment, call.now);
    const { bucket, clientId, paymentId: subjectId } = payment;
    const held = await insertHeldJob(call.tx, { bucket, clientId, subjectId, job: "drive-payment" });
    return { record: payment, held };
  },

  async read(call, payment) {
    const found = await findPaymentByRequest(call.tx, call, payment.paymentRequestId);
    return found ?? payment;
  },

  answer(payment) {
    const { paymentId, paymentRequestId, status, cancelledAt } = payment;
    if (status === "CANCELLED") {
      return {
        code: "SUCCESS",
        paymentId,
        paymentRequestId,
        ...(cancelledAt && { cancelTime: toTime(cancelledAt) }),
      };
    }
    return { code: status === "PROCESSING" ? "UNKNOWN_EXCEPTION" : "ORDER_STATUS_INVALID" };
  },
});

type Asked = { readonly paymentId?: string; readonly paymentRequestId?: string };

async function lockAsked(
  call: Call,
  asked: Asked,
): Promise<Payment | Refusal<"PARAM_ILLEGAL" | "ORDER_NOT_EXIST">> {
  const { paymentId, paymentRequestId } = asked;
  if (paymentId === undefined && paymentRequestId === undefined) {
    return refuse("PARAM_ILLEGAL", { field: "paymentId", detail: "Give paymentId or paymentRequestId." });
  }
  const named = paymentId ?? (await idOfRequest(call, paymentRequestId ?? ""));
  const payment = await lockPayment(call.tx, call, named);
  if (!payment) return refuse("ORDER_NOT_EXIST");
  if (paymentRequestId !== undefined && payment.paymentRequestId !== paymentRequestId) {
    return refuse("PARAM_ILLEGAL", { field: "paymentRequestId", detail: "The two ids are of two payments." });
  }
  return payment;
}

/** A request id that nobody has used is taken here and now, so that whoever uses it later comes too late. */
async function idOfRequest(call: Call, paymentRequestId: string): Promise<string> {
  const earlier = await findPaymentByRequest(call.tx, call, paymentRequestId);
  if (earlier) return earlier.paymentId;
  const tombstone = cancelledBeforehand(call, paymentRequestId);
  if (await insertPayment(call.tx, tombstone, undefined)) return tombstone.paymentId;
  const meanwhile = await findPaymentByRequest(call.tx, call, paymentRequestId);
  return meanwhile?.paymentId ?? tombstone.paymentId;
}

function cancelledBeforehand(call: Call, paymentRequestId: string): Payment {
  const { bucket, clientId, now, inStoreOnly } = call;
  return {
    bucket,
    clientId,
    paymentId: call.newId("payment"),
    paymentRequestId,
    productCode: inStoreOnly ? "IN_STORE_PAYMENT" : "CASHIER_PAYMENT",
    status: "CANCELLED",
    resultCode: "ORDER_IS_CANCELED",
    amount: undefined,
    paidAmount: undefined,
    createdAt: now,
    paidAt: undefined,
    sequence: 1,
    fingerprint: undefined,
    paymentMethodType: undefined,
    orderDescription: undefined,
    redirectUrl: undefined,
    notifyUrl: undefined,
    metadata: undefined,
    wallet: undefined,
    expiresAt: undefined,
    cancelRequestedAt: now,
    cancelledAt: now,
  };
}
