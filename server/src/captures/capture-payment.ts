import { Type } from "typebox";
import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import {
  Amount,
  CaptureId,
  CaptureRequestId,
  withDescription,
  PaymentId,
  Time,
  toTime,
} from "../contract/schemas.ts";
import { parseAmount, toAmount, type Money } from "../core/money.ts";
import { providerReference } from "../core/provider-reference.ts";
import { rejectChangedRepeat } from "../core/idempotency.ts";
import { refuse, type Refusal, type ResultCode } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { lockPayment } from "../payments/payment.sql.ts";
import { orderOf, type Payment } from "../payments/payment.ts";
import { findCapture, findCaptureByRequest, insertCapture, listCaptures } from "./capture.sql.ts";
import { captureDeclines, checkCapture, captureRefusals, releasesRest, type Capture } from "./capture.ts";
import type { PendingCapture } from "./record-capture.tx.ts";

const captureResults = [
  "SUCCESS",
  "CAPTURE_IN_PROCESS",
  "PARAM_ILLEGAL",
  "REPEAT_REQ_INCONSISTENT",
  ...captureRefusals,
  ...captureDeclines,
  "PROCESS_FAIL",
] as const satisfies readonly ResultCode[];

type CaptureCode = (typeof captureResults)[number];

const comparedFields = ["paymentId", "captureAmount.value", "captureAmount.currency"] as const;

export const capturePayment = action({
  path: "payments/capture",
  summary: "Captures all or part of the money that a payment has authorized.",
  description:
    "For payments with `captureMode` `MANUAL`, until their `authExpiryTime`. `U` / `CAPTURE_IN_PROCESS` " +
    "means that the payment provider has not confirmed yet: wait for the webhook, or repeat the request. " +
    "A repeated `captureRequestId` always returns the same capture.",

  request: Type.Object({
    captureRequestId: CaptureRequestId,
    paymentId: PaymentId,
    captureAmount: withDescription(Amount, "The amount to capture, in the payment's currency."),
    isLastCapture: Type.Optional(
      Type.Boolean({ description: "Whether this is the last capture of the payment." }),
    ),
  }),
  response: Type.Object({
    captureRequestId: CaptureRequestId,
    captureId: CaptureId,
    paymentId: PaymentId,
    captureAmount: withDescription(Amount, "The captured amount."),
    captureTime: Type.Optional(withDescription(Time, "When the payment provider captured the money.")),
  }),
  results: captureResults,
  inStore: false,
  idempotency: { keyField: "captureRequestId", comparedFields },
  waitsForProvider: true,

  example: {
    request: {
      captureRequestId: "order-1001-capture-1",
      paymentId: "20261115093000123047601530017744120",
      captureAmount: { currency: "EUR", value: "1000" },
    },
    response: {
      captureRequestId: "order-1001-capture-1",
      captureId: "20261116080000456047603810046291375",
      paymentId: "20261115093000123047601530017744120",
      captureAmount: { currency: "EUR", value: "1000" },
      captureTime: "2026-11-16T08:00:01+00:00",
    },
  },
  moreExamples: [
    {
      title: "The last part: the rest of the hold is released",
      request: {
        captureRequestId: "order-1001-capture-2",
        paymentId: "20261115093000123047601530017744120",
        captureAmount: { currency: "EUR", value: "200" },
        isLastCapture: true,
      },
      response: {
        captureRequestId: "order-1001-capture-2",
        captureId: "20261116090000456047603810046291376",
        paymentId: "20261115093000123047601530017744120",
        captureAmount: { currency: "EUR", value: "200" },
        captureTime: "2026-11-16T09:00:01+00:00",
      },
    },
    {
      title: "More than the authorized amount",
      code: "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
      request: {
        captureRequestId: "order-1001-capture-3",
        paymentId: "20261115093000123047601530017744120",
        captureAmount: { currency: "EUR", value: "9900" },
      },
      response: {},
    },
  ],

  async claim(call, request) {
    const { captureRequestId, paymentId, captureAmount } = request;
    const fingerprint = call.fingerprint(request, comparedFields);
    const earlier = await findCaptureByRequest(call.tx, call, captureRequestId);
    if (earlier) return answerRepeat(earlier, fingerprint);
    if (parseAmount(captureAmount) === "PARAM_ILLEGAL")
      return refuse("PARAM_ILLEGAL", { field: "captureAmount.value" });

    const [payment, concurrent, captures] = await Promise.all([
      lockPayment(call.tx, call, paymentId),
      findCaptureByRequest(call.tx, call, captureRequestId),
      listCaptures(call.tx, call, paymentId),
    ]);
    if (concurrent) return answerRepeat(concurrent, fingerprint);
    const amount = { currency: captureAmount.currency, minor: BigInt(captureAmount.value) };
    const hasLastCapture = captures.some(({ isLast, status }) => isLast && status !== "FAIL");
    const refusal = checkCapture({ payment, hasLastCapture }, call.termsOf, amount, call.now);
    if (refusal || !payment) return refuse(refusal ?? "AUTH_NOT_FOUND");

    const isLast = request.isLastCapture ?? false;
    const capture = newCapture(call, payment, { captureRequestId, amount, isLast, fingerprint });
    if (!(await insertCapture(call.tx, capture))) {
      const winner = await findCaptureByRequest(call.tx, call, captureRequestId);
      return winner ? answerRepeat(winner, fingerprint) : refuse("PROCESS_FAIL");
    }
    const { bucket, clientId, captureId: subjectId } = capture;
    const leased = await insertLeasedJob(call.tx, { bucket, clientId, subjectId, job: "send-capture" });
    const pending: PendingCapture = { capture, payment, isLast: releasesRest(capture, captures) };
    return { record: capture, leasedJob: { ...leased, record: pending } };
  },

  async read(call, capture) {
    return (await findCapture(call.tx, call, capture.captureId)) ?? capture;
  },

  answer({ status, resultCode, captureRequestId, captureId, paymentId, amount, finishedAt }) {
    if (status === "FAIL")
      return { code: captureResults.find((code) => code === resultCode) ?? "PROCESS_FAIL" };
    const ids = { captureRequestId, captureId, paymentId, captureAmount: toAmount(amount) };
    if (status === "PROCESSING") return { code: "CAPTURE_IN_PROCESS", ...ids };
    return { code: "SUCCESS", ...ids, ...(finishedAt && { captureTime: toTime(finishedAt) }) };
  },
});

/**
 * Idempotency: a repeated capture gets the response of the first request, even if the gateway would refuse the same
 * request today.
 */
function answerRepeat(earlier: Capture, fingerprint: Buffer): ClaimResult<Capture> | Refusal<CaptureCode> {
  return rejectChangedRepeat(comparedFields, earlier, fingerprint) ?? { record: earlier };
}

interface NewCaptureFields {
  readonly captureRequestId: string;
  readonly amount: Money;
  readonly isLast: boolean;
  readonly fingerprint: Buffer;
}

function newCapture(call: Call, payment: Payment, fields: NewCaptureFields): Capture {
  const { environment, bucket, clientId, now } = call;
  return {
    bucket,
    clientId,
    captureId: call.newId("capture"),
    paymentId: payment.paymentId,
    status: "PROCESSING",
    resultCode: "CAPTURE_IN_PROCESS",
    ...fields,
    connector: orderOf(payment).connector,
    reference: providerReference(environment, clientId, "capture", fields.captureRequestId),
    createdAt: now,
    acceptedAt: undefined,
    finishedAt: undefined,
  };
}
