import { Type, type Static } from "typebox";
import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import {
  Amount,
  withDescription,
  Digits,
  PaymentId,
  Personal,
  RefundId,
  RefundRequestId,
  Text,
  Time,
  toTime,
  Url,
} from "../contract/schemas.ts";
import { sumCaptured } from "../captures/capture.sql.ts";
import { parseAmount, toAmount, type Money } from "../core/money.ts";
import { providerReference } from "../core/provider-reference.ts";
import { rejectChangedRepeat, findIgnoredDifferences } from "../core/idempotency.ts";
import { isRefusal, refuse, type Refusal, type ResultCode } from "../core/result.ts";
import { listDisputesOfPayment } from "../disputes/dispute.sql.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import {
  calculateRefundFee,
  paymentFeeTerms,
  noRefundFee,
  refundCost,
  type RefundFee,
} from "../ledger/fee.ts";
import { reserveBalance } from "../ledger/reserve.sql.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { isInStore, orderOf, ownerOf, type Payment } from "../payments/payment.ts";
import {
  findRefund,
  findRefundByRequest,
  insertRefund,
  sumReturnedFees,
  updateRefundCounted,
  type RefundWithOrder,
} from "./refund.sql.ts";
import {
  describeBlockingDisputes,
  refundHint,
  refundRefusal,
  refundRefusals,
  type Refund,
  type RefundRefusal,
} from "./refund.ts";
import { findUrlRefusal } from "../merchants/url-rules.ts";

const RefundRequest = Type.Object({
  refundRequestId: RefundRequestId,
  paymentId: PaymentId,
  refundAmount: withDescription(Amount, "The amount to refund, in the payment's currency."),
  referenceRefundId: Type.Optional(Digits(Text(64, "The merchant's own id of the refund."))),
  refundReason: Type.Optional(Personal(256, "The reason for the refund, in your own words.")),
  refundNotifyUrl: Type.Optional(Url("The URL that receives the webhook with the result of the refund.")),
  metadata: Type.Optional(Personal(2048, "Your own data, returned in the webhook.")),
});

type RefundRequest = Static<typeof RefundRequest>;

const refundResults = [
  "SUCCESS",
  "REFUND_IN_PROCESS",
  "PARAM_ILLEGAL",
  "ACCESS_DENIED",
  "REPEAT_REQ_INCONSISTENT",
  "ORDER_NOT_EXIST",
  ...refundRefusals,
  "MERCHANT_BALANCE_NOT_ENOUGH",
  "RISK_REJECT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "PROCESS_FAIL",
] as const satisfies readonly ResultCode[];

type RefundCode = (typeof refundResults)[number];

const comparedFields = ["paymentId", "refundAmount.value", "refundAmount.currency"] as const;

export const refundPayment = action({
  path: "payments/refund",
  summary: "Refunds a payment in full or in part.",
  description:
    "`U` / `REFUND_IN_PROCESS` means that the refund is in progress: wait for the webhook, or query with " +
    "`inquiryRefund`. A repeated `refundRequestId` always returns the same refund; retry a failed refund " +
    "with a new id. The refunds of a payment never exceed the paid amount in total.",

  request: RefundRequest,
  response: Type.Object({
    refundRequestId: RefundRequestId,
    refundId: RefundId,
    paymentId: PaymentId,
    refundAmount: withDescription(Amount, "The refunded amount."),
    refundTime: Type.Optional(withDescription(Time, "When the payment provider returned the money.")),
  }),
  results: refundResults,
  inStore: true,
  idempotency: { keyField: "refundRequestId", comparedFields },
  waitsForProvider: true,

  example: {
    request: {
      refundRequestId: "order-1001-refund-1",
      paymentId: "20261115093000123047601530017744120",
      refundAmount: { currency: "EUR", value: "350" },
      refundReason: "One of the coffees was cold.",
      refundNotifyUrl: "https://shop.example/notify",
    },
    response: {
      refundRequestId: "order-1001-refund-1",
      refundId: "20261116141503418047602904415082637",
      paymentId: "20261115093000123047601530017744120",
      refundAmount: { currency: "EUR", value: "350" },
      refundTime: "2026-11-16T14:15:04+00:00",
    },
  },
  moreExamples: [
    {
      title: "Full refund",
      request: {
        refundRequestId: "order-1001-refund-all",
        paymentId: "20261115093000123047601530017744120",
        refundAmount: { currency: "EUR", value: "1250" },
      },
      response: {
        refundRequestId: "order-1001-refund-all",
        refundId: "20261116141503418047602904415082638",
        paymentId: "20261115093000123047601530017744120",
        refundAmount: { currency: "EUR", value: "1250" },
        refundTime: "2026-11-16T14:15:04+00:00",
      },
    },
    {
      title: "The payment provider has not confirmed yet",
      code: "REFUND_IN_PROCESS",
      request: {
        refundRequestId: "order-1001-refund-2",
        paymentId: "20261115093000123047601530017744120",
        refundAmount: { currency: "EUR", value: "100" },
        refundNotifyUrl: "https://shop.example/notify",
      },
      response: {
        refundRequestId: "order-1001-refund-2",
        refundId: "20261116141503418047602904415082639",
        paymentId: "20261115093000123047601530017744120",
        refundAmount: { currency: "EUR", value: "100" },
      },
    },
    {
      title: "More than the remaining amount",
      code: "REFUND_AMOUNT_EXCEED",
      request: {
        refundRequestId: "order-1001-refund-3",
        paymentId: "20261115093000123047601530017744120",
        refundAmount: { currency: "EUR", value: "9900" },
      },
      response: {},
    },
  ],

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    // Idempotency: a repeated request gets the response of the first request, even if the gateway would refuse the same
    // request today.
    const earlier = await findRefundByRequest(call.tx, call, request.refundRequestId);
    if (earlier) return answerRepeat(call, request, earlier, fingerprint);

    const { refundNotifyUrl } = request;
    const urlRefusal = findUrlRefusal(call, { notify: { refundNotifyUrl } });
    if (urlRefusal) return urlRefusal;
    const amount = parseAmount(request.refundAmount);
    if (amount === "CURRENCY_NOT_SUPPORT") return refuse(amount, { field: "refundAmount.currency" });
    if (amount === "PARAM_ILLEGAL") return refuse(amount, { field: "refundAmount.value" });
    const [payment, concurrent] = await Promise.all([
      lockPayment(call.tx, call, request.paymentId),
      findRefundByRequest(call.tx, call, request.refundRequestId),
    ]);
    if (concurrent) return answerRepeat(call, request, concurrent, fingerprint);
    if (!payment) return refuse("ORDER_NOT_EXIST", { field: "paymentId" });
    if (call.inStoreOnly && !isInStore(payment)) return refuse("ACCESS_DENIED");
    const fee = await checkAndReserve(call, payment, amount);
    if (isRefusal(fee)) return fee;

    return recordNewRefund(call, newRefund(call, request, payment, { amount, fee, fingerprint }));
  },

  async read(call, refund) {
    return (await findRefund(call.tx, call, refund.refundId)) ?? refund;
  },

  answer(refund) {
    return {
      code: refundCodeOf(refund),
      refundRequestId: refund.refundRequestId,
      refundId: refund.refundId,
      paymentId: refund.paymentId,
      refundAmount: toAmount(refund.amount),
      ...(refund.status === "SUCCESS" && refund.finishedAt && { refundTime: toTime(refund.finishedAt) }),
    };
  },
});

function refundCodeOf({ status, resultCode }: Refund): RefundCode {
  switch (status) {
    case "PROCESSING":
      return "REFUND_IN_PROCESS";
    case "SUCCESS":
      return "SUCCESS";
    case "FAIL":
      return refundResults.find((code) => code === resultCode) ?? "PROCESS_FAIL";
  }
}

async function answerRepeat(
  call: Call,
  request: RefundRequest,
  refund: Refund,
  fingerprint: Buffer,
): Promise<ClaimResult<Refund> | Refusal<"REPEAT_REQ_INCONSISTENT" | "ACCESS_DENIED">> {
  const refused = rejectChangedRepeat(comparedFields, refund, fingerprint);
  if (refused) return refused;
  const payment = call.inStoreOnly ? await findPayment(call.tx, call, refund.paymentId) : undefined;
  if (payment && !isInStore(payment)) return refuse("ACCESS_DENIED");
  const ignoredDifferences = findIgnoredDifferences({
    refundNotifyUrl: [request.refundNotifyUrl, refund.notifyUrl],
    refundReason: [request.refundReason, refund.reason],
    referenceRefundId: [request.referenceRefundId, refund.referenceRefundId],
    metadata: [request.metadata, refund.metadata],
  });
  return { record: refund, ignoredDifferences };
}

/**
 * `checkAndReserve` checks the refund of a locked payment. If it is allowed, it locks the merchant's reserve, reserves
 * the cost of the refund, and returns the change of the gateway's fees.
 */
async function checkAndReserve(
  call: Call,
  payment: Payment,
  amount: Money,
): Promise<Refusal<RefundCode> | RefundFee> {
  const { tx, bucket, clientId, now } = call;
  const capturedMinor =
    payment.captureMode === "MANUAL" ? await sumCaptured(tx, call, payment.paymentId) : payment.capturedMinor;
  const facts = { payment, amount, capturedMinor, termsOf: call.termsOf, now };
  const refused = refundRefusal(facts);
  if (refused) {
    const blocking = await findBlockingDisputes(call, payment, refused);
    const hint = refundHint(refused, facts);
    return refuse(refused, {
      ...blocking,
      ...(hint !== undefined && { hint: [hint, blocking?.hint].filter(Boolean).join(" ") }),
    });
  }

  const fee = await feeFor(call, payment, amount, capturedMinor);
  const { currency, minor } = amount;
  const isReserved = await reserveBalance(tx, { bucket, clientId, currency }, refundCost(minor, fee));
  return isReserved ? fee : refuse("MERCHANT_BALANCE_NOT_ENOUGH");
}

/** If a dispute has frozen or debited the money, the error names the dispute. */
async function findBlockingDisputes(
  { tx, bucket, clientId }: Call,
  { paymentId, disputedMinor, amount }: Payment,
  refused: RefundRefusal,
): Promise<ReturnType<typeof describeBlockingDisputes>> {
  if (refused !== "REFUND_AMOUNT_EXCEED" || disputedMinor === 0n || !amount) return undefined;
  const disputes = await listDisputesOfPayment(tx, { bucket, clientId }, paymentId);
  return describeBlockingDisputes(disputes, amount.currency);
}

/**
 * `feeFor` calculates the change of the fees by a refund, by the fee terms of the payment. Without a fee rule it
 * returns no change and reads nothing.
 */
async function feeFor(
  { tx, bucket, clientId }: Call,
  payment: Payment,
  amount: Money,
  takenMinor: bigint,
): Promise<RefundFee> {
  if (payment.feeTerms === undefined) return noRefundFee;
  const returned = await sumReturnedFees(tx, { bucket, clientId }, payment.paymentId);
  const refundedMinor = payment.refundedMinor + amount.minor;
  return calculateRefundFee(paymentFeeTerms(payment), { capturedMinor: takenMinor, refundedMinor, returned });
}

function newRefund(
  call: Call,
  request: RefundRequest,
  payment: Payment,
  calculated: Pick<Refund, "amount" | "fee" | "fingerprint">,
): RefundWithOrder {
  const { environment, bucket, clientId } = call;
  const { connector, reference } = orderOf(payment);
  return {
    refund: {
      bucket,
      clientId,
      refundId: call.newId("refund"),
      refundRequestId: request.refundRequestId,
      paymentId: payment.paymentId,
      status: "PROCESSING",
      resultCode: "REFUND_IN_PROCESS",
      ...calculated,
      referenceRefundId: request.referenceRefundId,
      reason: request.refundReason,
      // The URL is not used for point of sale devices, whose merchants poll.
      notifyUrl: request.refundNotifyUrl,
      metadata: request.metadata,
      connector,
      reference: providerReference(environment, clientId, "refund", request.refundRequestId),
      createdAt: call.now,
      acceptedAt: undefined,
      finishedAt: undefined,
      reversedAt: undefined,
    },
    order: {
      reference,
      owner: ownerOf(payment),
      sequence: payment.sequence,
      isInStore: isInStore(payment),
    },
  };
}

/**
 * Records a new refund. Its statements are pipelined in one round trip, because other refunds of the merchant wait for
 * the reserve's row lock.
 */
async function recordNewRefund(call: Call, refundWithOrder: RefundWithOrder): Promise<ClaimResult<Refund>> {
  const { refund } = refundWithOrder;
  const { bucket, clientId, refundId: subjectId } = refund;
  updateRefundCounted(call.tx, refund);
  const [isInserted, leased] = await Promise.all([
    insertRefund(call.tx, refund),
    insertLeasedJob(call.tx, { bucket, clientId, subjectId, job: "send-refund" }),
  ]);
  // Lost race: another request has inserted this refund id. The transaction rolls back, and a retry finds the other
  // refund.
  if (!isInserted)
    throw new Error("Refund id was inserted concurrently for another payment. Retry the request.");
  return { record: refund, leasedJob: { ...leased, record: refundWithOrder } };
}
