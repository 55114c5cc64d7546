import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { demand, must, type Group } from "../case.ts";
import {
  call,
  demandFailure,
  inquiry,
  made,
  shown,
  type Fields,
  type GatewayAnswer,
  type GatewayWorld,
  type MadePayment,
} from "./gateway-world.ts";
import { recordOnce } from "./payment-cases.ts";

async function paid(world: GatewayWorld, more: Fields = {}): Promise<MadePayment> {
  const payment = await made(world, more);
  await world.decide(payment, "approve");
  await recordOnce(world, payment, "SUCCESS");
  return payment;
}

function newRefund({ paymentId }: MadePayment, value: string): Fields {
  return { refundRequestId: newRequestId("refund"), paymentId, refundAmount: { currency: "EUR", value } };
}

/** True if the operation is not rejected: completed, or in progress. */
function isTaken({ resultStatus }: GatewayAnswer): boolean {
  return resultStatus === "S" || resultStatus === "U";
}

const onceEach = "Store one refund per client and refundRequestId permanently.";

export const paidCases: Group<GatewayWorld> = {
  name: "Paid, notified and refunded",
  cases: [
    must(
      "paid",
      "a payment by the buyer becomes SUCCESS, with amount and time of the payment",
      "Answer paymentStatus and paymentResultCode SUCCESS, actualPaymentAmount, and paymentTime in ISO 8601 with a numeric offset.",
      async (world) => {
        const payment = await made(world);
        await world.decide(payment, "approve");
        const record = await recordOnce(world, payment, "SUCCESS");
        demand(
          record["paymentResultCode"] === "SUCCESS",
          `paymentResultCode is ${String(record["paymentResultCode"])}.`,
        );
        const { currency, value } = (record["actualPaymentAmount"] ?? {}) as Fields;
        demand(
          currency === "EUR" && value === "1250",
          `actualPaymentAmount is ${JSON.stringify(record["actualPaymentAmount"])}.`,
        );
        const time = String(record["paymentTime"]);
        demand(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(time), `paymentTime is ${time}.`);
      },
    ),
    must(
      "pay-after-paid",
      "a repeated pay after the payment returns the paid payment, and takes no money again",
      "Answer S with the same paymentId.",
      async (world) => {
        const { request, paymentId } = await paid(world);
        const again = await call(world, "payments/pay", request);
        demand(
          again.resultStatus === "S" && again.json["paymentId"] === paymentId,
          `It was answered ${shown(again)}.`,
        );
      },
    ),
    must(
      "failed",
      "a payment that the buyer declines becomes FAIL",
      "Answer paymentStatus FAIL with the reason as paymentResultCode.",
      async (world) => {
        const payment = await made(world);
        await world.decide(payment, "decline");
        const record = await recordOnce(world, payment, "FAIL");
        demand(typeof record["paymentResultCode"] === "string", "paymentResultCode is missing.");
      },
    ),
    must(
      "told-of-success",
      "the merchant receives a webhook with a valid signature for a successful payment",
      "POST notifyPayment to paymentNotifyUrl, signed over its path and query. If the gateway sent it: can it reach this machine? See --listen-url.",
      async (world) => {
        const { paymentId } = await paid(world, { paymentNotifyUrl: world.notifications.url });
        const told = await world.notifications.toldOf(paymentId, world.patienceMs);
        demand(
          told !== undefined,
          `No webhook arrived at ${world.notifications.url} within ${world.patienceMs / 1000} s.`,
        );
        demand(told.isSigned, "The signature of the webhook is not valid.");
        const { resultStatus } = (told.json["result"] ?? {}) as Fields;
        demand(resultStatus === "S", `It tells of ${String(resultStatus)}.`);
      },
    ),
    must(
      "told-of-failure",
      "the merchant receives a webhook for a failed payment",
      "POST notifyPayment to paymentNotifyUrl also when a payment has finally failed.",
      async (world) => {
        const payment = await made(world, { paymentNotifyUrl: world.notifications.url });
        await world.decide(payment, "decline");
        const told = await world.notifications.toldOf(payment.paymentId, world.patienceMs);
        demand(
          told !== undefined,
          `No webhook arrived at ${world.notifications.url} within ${world.patienceMs / 1000} s.`,
        );
        const { resultStatus } = (told.json["result"] ?? {}) as Fields;
        demand(
          told.isSigned && resultStatus === "F",
          `It tells of ${String(resultStatus)}, signed: ${told.isSigned}.`,
        );
      },
    ),
    must("refund-repeated", "a repeated refund request is the same refund", onceEach, async (world) => {
      const payment = await paid(world);
      const refund = newRefund(payment, "1000");
      const [first, again] = [
        await call(world, "payments/refund", refund),
        await call(world, "payments/refund", refund),
      ];
      demand(isTaken(first), `The refund was answered ${shown(first)}.`);
      demand(
        isTaken(again) && again.json["refundId"] === first.json["refundId"],
        `The repeat was answered ${shown(again)}.`,
      );
    }),
    must(
      "refund-other-amount",
      "the same refundRequestId with another amount is rejected",
      `Answer F REPEAT_REQ_INCONSISTENT. ${onceEach}`,
      async (world) => {
        const payment = await paid(world);
        const refund = newRefund(payment, "500");
        await call(world, "payments/refund", refund);
        demandFailure(
          await call(world, "payments/refund", {
            ...refund,
            refundAmount: { currency: "EUR", value: "501" },
          }),
          "REPEAT_REQ_INCONSISTENT",
        );
      },
    ),
    must(
      "refund-too-much",
      "a payment is never refunded beyond the paid amount",
      "Answer F REFUND_AMOUNT_EXCEED; refunds in progress count as well.",
      async (world) => {
        const payment = await paid(world);
        demandFailure(await call(world, "payments/refund", newRefund(payment, "1251")));
      },
    ),
    must(
      "refund-too-much-at-once",
      "concurrent refunds never exceed the paid amount",
      "Reserve the amount in the transaction that records the refund: at most two of four refunds of 500 fit into 1250.",
      async (world) => {
        const payment = await paid(world);
        const answers = await Promise.all(
          Array.from({ length: 4 }, () => call(world, "payments/refund", newRefund(payment, "500"))),
        );
        const takenCount = answers.filter(isTaken).length;
        demand(takenCount <= 2, `${takenCount} of four were accepted.`);
      },
    ),
    must("refund-other-currency", "a refund in another currency is rejected", "Answer F.", async (world) => {
      const payment = await paid(world);
      const refund = { ...newRefund(payment, "1"), refundAmount: { currency: "USD", value: "1" } };
      demandFailure(await call(world, "payments/refund", refund));
    }),
    must(
      "refund-inquiry",
      "a refund can be queried with an inquiry",
      "Answer refundStatus for refundRequestId or refundId.",
      async (world) => {
        const payment = await paid(world);
        const refund = newRefund(payment, "1250");
        await call(world, "payments/refund", refund);
        const answer = await call(world, "payments/inquiryRefund", {
          refundRequestId: refund["refundRequestId"],
        });
        demand(
          answer.resultStatus === "S" && typeof answer.json["refundStatus"] === "string",
          `It was answered ${shown(answer)}.`,
        );
      },
    ),
    must(
      "paid-stays-known",
      "a payment's record stays after payment and refund",
      "A payment can be queried by its id permanently.",
      async (world) => {
        const payment = await paid(world);
        await call(world, "payments/refund", newRefund(payment, "1250"));
        const { json } = await call(world, inquiry, { paymentId: payment.paymentId });
        demand(json["paymentStatus"] === "SUCCESS", `paymentStatus is ${String(json["paymentStatus"])}.`);
      },
    ),
  ],
};
