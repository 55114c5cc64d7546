import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { ensure, requiredCase, type CaseGroup } from "../conformance-case.ts";
import {
  call,
  requireFailure,
  inquiry,
  createPayment,
  describeAnswer,
  type Fields,
  type GatewayAnswer,
  type GatewayContext,
  type CreatedPayment,
} from "./gateway-context.ts";
import { waitForStatus } from "./payment-cases.ts";

async function createPaidPayment(context: GatewayContext, overrides: Fields = {}): Promise<CreatedPayment> {
  const payment = await createPayment(context, overrides);
  await context.decide(payment, "approve");
  await waitForStatus(context, payment, "SUCCESS");
  return payment;
}

function buildRefundRequest({ paymentId }: CreatedPayment, value: string): Fields {
  return { refundRequestId: newRequestId("refund"), paymentId, refundAmount: { currency: "EUR", value } };
}

/** True if the operation is not rejected: completed, or in progress. */
function isAccepted({ resultStatus }: GatewayAnswer): boolean {
  return resultStatus === "S" || resultStatus === "U";
}

const oneRefundFix = "Store one refund per client and refundRequestId permanently.";

export const paidCases: CaseGroup<GatewayContext> = {
  name: "Paid, notified and refunded",
  cases: [
    requiredCase(
      "paid",
      "a payment by the buyer becomes SUCCESS, with amount and time of the payment",
      "Answer paymentStatus and paymentResultCode SUCCESS, actualPaymentAmount, and paymentTime in ISO 8601 with a numeric offset.",
      async (context) => {
        const payment = await createPayment(context);
        await context.decide(payment, "approve");
        const record = await waitForStatus(context, payment, "SUCCESS");
        ensure(
          record["paymentResultCode"] === "SUCCESS",
          `paymentResultCode is ${String(record["paymentResultCode"])}.`,
        );
        const { currency, value } = (record["actualPaymentAmount"] ?? {}) as Fields;
        ensure(
          currency === "EUR" && value === "1250",
          `actualPaymentAmount is ${JSON.stringify(record["actualPaymentAmount"])}.`,
        );
        const time = String(record["paymentTime"]);
        ensure(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(time), `paymentTime is ${time}.`);
      },
    ),
    requiredCase(
      "pay-after-paid",
      "a repeated pay after the payment returns the paid payment, and takes no money again",
      "Answer S with the same paymentId.",
      async (context) => {
        const { request, paymentId } = await createPaidPayment(context);
        const repeatedAnswer = await call(context, "payments/pay", request);
        ensure(
          repeatedAnswer.resultStatus === "S" && repeatedAnswer.json["paymentId"] === paymentId,
          `It was answered ${describeAnswer(repeatedAnswer)}.`,
        );
      },
    ),
    requiredCase(
      "failed",
      "a payment that the buyer declines becomes FAIL",
      "Answer paymentStatus FAIL with the reason as paymentResultCode.",
      async (context) => {
        const payment = await createPayment(context);
        await context.decide(payment, "decline");
        const record = await waitForStatus(context, payment, "FAIL");
        ensure(typeof record["paymentResultCode"] === "string", "paymentResultCode is missing.");
      },
    ),
    requiredCase(
      "told-of-success",
      "the merchant receives a webhook with a valid signature for a successful payment",
      "POST notifyPayment to paymentNotifyUrl, signed over its path and query. If the gateway sent it: can it reach this machine? See --listen-url.",
      async (context) => {
        const { paymentId } = await createPaidPayment(context, {
          paymentNotifyUrl: context.notifications.url,
        });
        const notification = await context.notifications.waitForNotification(paymentId, context.patienceMs);
        ensure(
          notification !== undefined,
          `No webhook arrived at ${context.notifications.url} within ${context.patienceMs / 1000} s.`,
        );
        ensure(notification.isSignatureValid, "The signature of the webhook is not valid.");
        const { resultStatus } = (notification.json["result"] ?? {}) as Fields;
        ensure(resultStatus === "S", `It tells of ${String(resultStatus)}.`);
      },
    ),
    requiredCase(
      "told-of-failure",
      "the merchant receives a webhook for a failed payment",
      "POST notifyPayment to paymentNotifyUrl also when a payment has finally failed.",
      async (context) => {
        const payment = await createPayment(context, { paymentNotifyUrl: context.notifications.url });
        await context.decide(payment, "decline");
        const notification = await context.notifications.waitForNotification(
          payment.paymentId,
          context.patienceMs,
        );
        ensure(
          notification !== undefined,
          `No webhook arrived at ${context.notifications.url} within ${context.patienceMs / 1000} s.`,
        );
        const { resultStatus } = (notification.json["result"] ?? {}) as Fields;
        ensure(
          notification.isSignatureValid && resultStatus === "F",
          `It tells of ${String(resultStatus)}, signed: ${notification.isSignatureValid}.`,
        );
      },
    ),
    requiredCase(
      "refund-repeated",
      "a repeated refund request is the same refund",
      oneRefundFix,
      async (context) => {
        const payment = await createPaidPayment(context);
        const refund = buildRefundRequest(payment, "1000");
        const [firstAnswer, repeatedAnswer] = [
          await call(context, "payments/refund", refund),
          await call(context, "payments/refund", refund),
        ];
        ensure(isAccepted(firstAnswer), `The refund was answered ${describeAnswer(firstAnswer)}.`);
        ensure(
          isAccepted(repeatedAnswer) && repeatedAnswer.json["refundId"] === firstAnswer.json["refundId"],
          `The repeat was answered ${describeAnswer(repeatedAnswer)}.`,
        );
      },
    ),
    requiredCase(
      "refund-other-amount",
      "the same refundRequestId with another amount is rejected",
      `Answer F REPEAT_REQ_INCONSISTENT. ${oneRefundFix}`,
      async (context) => {
        const payment = await createPaidPayment(context);
        const refund = buildRefundRequest(payment, "500");
        await call(context, "payments/refund", refund);
        requireFailure(
          await call(context, "payments/refund", {
            ...refund,
            refundAmount: { currency: "EUR", value: "501" },
          }),
          "REPEAT_REQ_INCONSISTENT",
        );
      },
    ),
    requiredCase(
      "refund-too-much",
      "a payment is never refunded beyond the paid amount",
      "Answer F REFUND_AMOUNT_EXCEED; refunds in progress count as well.",
      async (context) => {
        const payment = await createPaidPayment(context);
        requireFailure(await call(context, "payments/refund", buildRefundRequest(payment, "1251")));
      },
    ),
    requiredCase(
      "refund-too-much-at-once",
      "concurrent refunds never exceed the paid amount",
      "Reserve the amount in the transaction that records the refund: at most two of four refunds of 500 fit into 1250.",
      async (context) => {
        const payment = await createPaidPayment(context);
        const answers = await Promise.all(
          Array.from({ length: 4 }, () =>
            call(context, "payments/refund", buildRefundRequest(payment, "500")),
          ),
        );
        const acceptedCount = answers.filter(isAccepted).length;
        ensure(acceptedCount <= 2, `${acceptedCount} of four were accepted.`);
      },
    ),
    requiredCase(
      "refund-other-currency",
      "a refund in another currency is rejected",
      "Answer F.",
      async (context) => {
        const payment = await createPaidPayment(context);
        const refund = { ...buildRefundRequest(payment, "1"), refundAmount: { currency: "USD", value: "1" } };
        requireFailure(await call(context, "payments/refund", refund));
      },
    ),
    requiredCase(
      "refund-inquiry",
      "a refund can be queried with an inquiry",
      "Answer refundStatus for refundRequestId or refundId.",
      async (context) => {
        const payment = await createPaidPayment(context);
        const refund = buildRefundRequest(payment, "1250");
        await call(context, "payments/refund", refund);
        const answer = await call(context, "payments/inquiryRefund", {
          refundRequestId: refund["refundRequestId"],
        });
        ensure(
          answer.resultStatus === "S" && typeof answer.json["refundStatus"] === "string",
          `It was answered ${describeAnswer(answer)}.`,
        );
      },
    ),
    requiredCase(
      "paid-stays-known",
      "a payment's record stays after payment and refund",
      "A payment can be queried by its id permanently.",
      async (context) => {
        const payment = await createPaidPayment(context);
        await call(context, "payments/refund", buildRefundRequest(payment, "1250"));
        const { json } = await call(context, inquiry, { paymentId: payment.paymentId });
        ensure(json["paymentStatus"] === "SUCCESS", `paymentStatus is ${String(json["paymentStatus"])}.`);
      },
    ),
  ],
};
