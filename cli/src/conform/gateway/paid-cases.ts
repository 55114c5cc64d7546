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

/** Not refused: done, or on its way. */
function isTaken({ resultStatus }: GatewayAnswer): boolean {
  return resultStatus === "S" || resultStatus === "U";
}

const onceEach = "Keep one refund per client and refundRequestId, for ever.";

export const paidCases: Group<GatewayWorld> = {
  name: "Paid, told and given back",
  cases: [
    must(
      "paid",
      "what the buyer has paid is SUCCESS, with what was paid and when",
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
      "a repeat after the payment says that it is paid, and takes nothing again",
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
      "what the buyer declines is FAIL",
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
      "the merchant is told of a payment that was made, under a signature that holds",
      "POST notifyPayment to paymentNotifyUrl, signed over its path and query. If it was sent: can it reach this machine? See --listen-url.",
      async (world) => {
        const { paymentId } = await paid(world, { paymentNotifyUrl: world.notifications.url });
        const told = await world.notifications.toldOf(paymentId, world.patienceMs);
        demand(
          told !== undefined,
          `Nothing came to ${world.notifications.url} within ${world.patienceMs / 1000} s.`,
        );
        demand(told.isSigned, "The signature of the notification does not hold.");
        const { resultStatus } = (told.json["result"] ?? {}) as Fields;
        demand(resultStatus === "S", `It tells of ${String(resultStatus)}.`);
      },
    ),
    must(
      "told-of-failure",
      "the merchant is told of a payment that failed",
      "POST notifyPayment to paymentNotifyUrl when a payment has finally failed, too.",
      async (world) => {
        const payment = await made(world, { paymentNotifyUrl: world.notifications.url });
        await world.decide(payment, "decline");
        const told = await world.notifications.toldOf(payment.paymentId, world.patienceMs);
        demand(
          told !== undefined,
          `Nothing came to ${world.notifications.url} within ${world.patienceMs / 1000} s.`,
        );
        const { resultStatus } = (told.json["result"] ?? {}) as Fields;
        demand(
          told.isSigned && resultStatus === "F",
          `It tells of ${String(resultStatus)}, signed: ${told.isSigned}.`,
        );
      },
    ),
    must("refund-repeated", "a refund that is sent again is the same refund", onceEach, async (world) => {
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
      "the same refundRequestId with another amount is refused",
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
      "no more is refunded than was paid",
      "Answer F REFUND_AMOUNT_EXCEED; what is on its way counts as well.",
      async (world) => {
        const payment = await paid(world);
        demandFailure(await call(world, "payments/refund", newRefund(payment, "1251")));
      },
    ),
    must(
      "refund-too-much-at-once",
      "refunds at once never exceed what was paid",
      "Set the money aside in the transaction that records the refund: four of 500 do not fit into 1250.",
      async (world) => {
        const payment = await paid(world);
        const answers = await Promise.all(
          Array.from({ length: 4 }, () => call(world, "payments/refund", newRefund(payment, "500"))),
        );
        const takenCount = answers.filter(isTaken).length;
        demand(takenCount <= 2, `${takenCount} of four were taken.`);
      },
    ),
    must("refund-other-currency", "a refund in another currency is refused", "Answer F.", async (world) => {
      const payment = await paid(world);
      const refund = { ...newRefund(payment, "1"), refundAmount: { currency: "USD", value: "1" } };
      demandFailure(await call(world, "payments/refund", refund));
    }),
    must(
      "refund-inquiry",
      "a refund can be inquired",
      "Answer refundStatus by refundRequestId or refundId.",
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
      "the record of what was paid and refunded stays",
      "A payment is inquired by its id for ever.",
      async (world) => {
        const payment = await paid(world);
        await call(world, "payments/refund", newRefund(payment, "1250"));
        const { json } = await call(world, inquiry, { paymentId: payment.paymentId });
        demand(json["paymentStatus"] === "SUCCESS", `paymentStatus is ${String(json["paymentStatus"])}.`);
      },
    ),
  ],
};
