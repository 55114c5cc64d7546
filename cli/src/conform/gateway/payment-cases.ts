import { setTimeout as wait } from "node:timers/promises";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { demand, must, should, type Case, type Group } from "../case.ts";
import {
  call,
  demandFailure,
  demandSandbox,
  inquiry,
  made,
  newPay,
  shown,
  type Fields,
  type GatewayAnswer,
  type GatewayWorld,
  type MadePayment,
} from "./gateway-world.ts";

const once = "Keep one payment per client and paymentRequestId, for ever.";
const inconsistent = `Answer F REPEAT_REQ_INCONSISTENT: one id must not stand for two purchases. ${once}`;

/** How a repeat may differ; each has to be noticed. */
const otherContents: Readonly<Record<string, Fields>> = {
  amount: { paymentAmount: { currency: "EUR", value: "1251" } },
  currency: { paymentAmount: { currency: "USD", value: "1250" } },
};

/** Amounts that are none. */
const badAmounts: Readonly<Record<string, Fields>> = {
  decimal: { currency: "EUR", value: "12.50" },
  negative: { currency: "EUR", value: "-1250" },
  zero: { currency: "EUR", value: "0" },
  "no-currency": { value: "1250" },
  "unknown-currency": { currency: "QQQ", value: "1250" },
};

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The payment's record, once it has this status. */
export async function recordOnce(
  world: GatewayWorld,
  { paymentId }: MadePayment,
  status: string,
): Promise<Fields> {
  let last: GatewayAnswer | undefined;
  for (const giveUpAtMs = Date.now() + world.patienceMs; Date.now() < giveUpAtMs; await wait(100)) {
    last = await call(world, inquiry, { paymentId });
    if (last.json["paymentStatus"] === status) return last.json;
  }
  const found = last ? `${shown(last)}, ${String(last.json["paymentStatus"])}` : "nothing";
  demand(false, `Within ${world.patienceMs / 1000} s it did not become ${status}; the last was ${found}.`);
  return {};
}

export const payments: Group<GatewayWorld> = {
  name: "Payments",
  cases: [
    must(
      "pay",
      "a payment is started, under an id of the gateway's own",
      "Answer with paymentId, and with a page for the buyer.",
      async (world) => {
        const { paymentId, request } = await made(world);
        demand(paymentId !== "" && paymentId !== request.paymentRequestId, `paymentId is ${paymentId}.`);
      },
    ),
    must(
      "inquiry",
      "an inquiry tells of it at once: ids, amount, status and result",
      "Answer the record: all fields texts, amounts objects of currency and value.",
      async (world) => {
        const payment = await made(world);
        const answer = await call(world, inquiry, { paymentId: payment.paymentId });
        demand(
          answer.resultStatus === "S" && answer.resultCode === "SUCCESS",
          `It was answered ${shown(answer)}.`,
        );
        const { paymentId, paymentRequestId, paymentAmount, paymentStatus } = answer.json;
        demand(paymentId === payment.paymentId, "paymentId is another one.");
        demand(paymentRequestId === payment.request.paymentRequestId, "paymentRequestId is another one.");
        demand(
          isSame(paymentAmount, payment.request["paymentAmount"]),
          `paymentAmount is ${JSON.stringify(paymentAmount)}.`,
        );
        demand(typeof paymentStatus === "string", "paymentStatus is missing.");
        demand(paymentStatus !== "SUCCESS", "It is SUCCESS before anybody has paid.");
      },
    ),
    must("pay-repeated", "a payment that is sent again is the same payment", once, async (world) => {
      const { request, paymentId } = await made(world);
      for (let time = 0; time < 3; time += 1) {
        const again = await call(world, "payments/pay", request);
        demand(
          again.json["paymentId"] === paymentId,
          `The repeat was answered ${shown(again)}, paymentId ${String(again.json["paymentId"])}.`,
        );
      }
    }),
    must(
      "pay-repeated-at-once",
      "six at once are one payment",
      `${once} Let the database refuse the second, not a look before the write.`,
      async (world) => {
        demandSandbox(world);
        const request = newPay(world);
        const answers = await Promise.all(
          Array.from({ length: 6 }, () => call(world, "payments/pay", request)),
        );
        const ids = new Set(answers.map(({ json }) => json["paymentId"]).filter((id) => id !== undefined));
        demand(ids.size === 1, `They became ${ids.size} payments.`);
      },
    ),
    ...Object.entries(otherContents).map(([field, change]): Case<GatewayWorld> =>
      must(
        `pay-other-${field}`,
        `the same paymentRequestId with another ${field} is refused`,
        inconsistent,
        async (world) => {
          const { request, paymentId } = await made(world);
          demandFailure(
            await call(world, "payments/pay", { ...request, ...change }),
            "REPEAT_REQ_INCONSISTENT",
          );
          const { json } = await call(world, inquiry, { paymentId });
          demand(isSame(json["paymentAmount"], request["paymentAmount"]), "The payment was changed.");
        },
      ),
    ),
    must(
      "pay-another",
      "another paymentRequestId is another payment",
      "Never take two requests for one because they look alike.",
      async (world) => {
        const [one, other] = [await made(world), await made(world)];
        demand(one.paymentId !== other.paymentId, "Both have one paymentId.");
      },
    ),
    ...Object.entries(badAmounts).map(([id, paymentAmount]): Case<GatewayWorld> =>
      must(
        `amount-${id}`,
        `${JSON.stringify(paymentAmount)} is no amount`,
        "Refuse it, F, and record nothing: the value is text in minor units, the currency a code of ISO 4217.",
        async (world) => {
          demandSandbox(world);
          const request = newPay(world, { paymentAmount });
          demandFailure(await call(world, "payments/pay", request));
          const { json } = await call(world, inquiry, { paymentRequestId: request.paymentRequestId });
          demand(json["paymentId"] === undefined, "There is a payment all the same.");
        },
      ),
    ),
    must(
      "pay-incomplete",
      "a payment without an order is refused",
      "Answer F PARAM_ILLEGAL.",
      async (world) => {
        demandSandbox(world);
        demandFailure(
          await call(world, "payments/pay", newPay(world, { order: undefined })),
          "PARAM_ILLEGAL",
        );
      },
    ),
    must(
      "cancel",
      "a payment that waits can be cancelled, as often as it is asked",
      "Answer S for the cancel and for each repeat; the payment is CANCELLED.",
      async (world) => {
        const payment = await made(world);
        for (let time = 0; time < 2; time += 1) {
          const answer = await call(world, "payments/cancel", { paymentId: payment.paymentId });
          demand(answer.resultStatus === "S", `It was answered ${shown(answer)}.`);
        }
        await recordOnce(world, payment, "CANCELLED");
      },
    ),
    must(
      "pay-after-cancel",
      "what was cancelled is not paid by a repeat",
      "Answer F ORDER_IS_CANCELED for the same paymentRequestId.",
      async (world) => {
        const { request, paymentId } = await made(world);
        await call(world, "payments/cancel", { paymentId });
        demandFailure(await call(world, "payments/pay", request));
      },
    ),
    should(
      "cancel-before-pay",
      "a cancel by a paymentRequestId that was never seen holds",
      "Record it: a pay that comes late under that id is refused.",
      async (world) => {
        demandSandbox(world);
        const request = newPay(world);
        const answer = await call(world, "payments/cancel", { paymentRequestId: request.paymentRequestId });
        demand(answer.resultStatus === "S", `It was answered ${shown(answer)}.`);
        demandFailure(await call(world, "payments/pay", request));
      },
    ),
    must(
      "refund-unpaid",
      "what is not paid is not refunded",
      "Answer F ORDER_STATUS_INVALID.",
      async (world) => {
        const { paymentId } = await made(world);
        const refund = {
          refundRequestId: newRequestId("refund"),
          paymentId,
          refundAmount: { currency: "EUR", value: "100" },
        };
        demandFailure(await call(world, "payments/refund", refund));
      },
    ),
    must(
      "in-store",
      "in-store payments are at /ams/api/, in the sandbox as well",
      "Serve payments of a till, IN_STORE_PAYMENT, on the plain path.",
      async (world) => {
        demandSandbox(world);
        const path = `${world.url.pathname.replace(/\/$/, "")}/ams/api/v1/payments/pay`;
        const answer = await call(world, "payments/pay", tillRequest(world), { path });
        demand(
          answer.resultStatus === "S" || answer.resultStatus === "U",
          `It was answered ${shown(answer)}.`,
        );
      },
    ),
  ],
};

/** A till that shows a code for the buyer to scan. */
function tillRequest(world: GatewayWorld): Fields {
  const amount = { currency: "EUR", value: "1250" };
  const store = { referenceStoreId: "conform-store", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "conform", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Wallet/1.0",
  };
  return newPay(world, {
    productCode: "IN_STORE_PAYMENT",
    order: {
      referenceOrderId: newRequestId("order"),
      orderDescription: "Two coffees",
      orderAmount: amount,
      merchant,
      env,
    },
    paymentMethod: { paymentMethodType: "CONNECT_WALLET" },
    paymentFactor: { inStorePaymentScenario: "OrderCode" },
    settlementStrategy: { settlementCurrency: "EUR" },
    env: undefined,
    paymentRedirectUrl: undefined,
  });
}
