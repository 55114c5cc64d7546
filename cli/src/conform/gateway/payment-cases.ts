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

const once = "Store one payment per client and paymentRequestId permanently.";
const inconsistent = `Answer F REPEAT_REQ_INCONSISTENT: one id must not belong to two purchases. ${once}`;

/** Fields that a repeated request changes. The gateway must detect each change. */
const otherContents: Readonly<Record<string, Fields>> = {
  amount: { paymentAmount: { currency: "EUR", value: "1251" } },
  currency: { paymentAmount: { currency: "USD", value: "1250" } },
};

/** Invalid amounts. */
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

/** Polls the payment until it has this status, and returns its record. */
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
  demand(
    false,
    `Within ${world.patienceMs / 1000} s the status did not become ${status}; the last status was ${found}.`,
  );
  return {};
}

export const payments: Group<GatewayWorld> = {
  name: "Payments",
  cases: [
    must(
      "pay",
      "pay starts a payment with an id from the gateway",
      "Answer with paymentId and with a page for the buyer.",
      async (world) => {
        const { paymentId, request } = await made(world);
        demand(paymentId !== "" && paymentId !== request.paymentRequestId, `paymentId is ${paymentId}.`);
      },
    ),
    must(
      "inquiry",
      "an inquiry returns the new payment at once: ids, amount, status and result",
      "Answer the record: all fields are texts, and amounts are objects with currency and value.",
      async (world) => {
        const payment = await made(world);
        const answer = await call(world, inquiry, { paymentId: payment.paymentId });
        demand(
          answer.resultStatus === "S" && answer.resultCode === "SUCCESS",
          `It was answered ${shown(answer)}.`,
        );
        const { paymentId, paymentRequestId, paymentAmount, paymentStatus } = answer.json;
        demand(paymentId === payment.paymentId, "paymentId is different.");
        demand(paymentRequestId === payment.request.paymentRequestId, "paymentRequestId is different.");
        demand(
          isSame(paymentAmount, payment.request["paymentAmount"]),
          `paymentAmount is ${JSON.stringify(paymentAmount)}.`,
        );
        demand(typeof paymentStatus === "string", "paymentStatus is missing.");
        demand(paymentStatus !== "SUCCESS", "It is SUCCESS although no buyer has paid.");
      },
    ),
    must("pay-repeated", "a repeated pay request is the same payment", once, async (world) => {
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
      "six concurrent requests create one payment",
      `${once} Let a unique key of the database reject the second insert; a read before the write is a race.`,
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
        `the same paymentRequestId with another ${field} is rejected`,
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
      "Never merge two requests because their contents are equal.",
      async (world) => {
        const [one, other] = [await made(world), await made(world)];
        demand(one.paymentId !== other.paymentId, "Both have the same paymentId.");
      },
    ),
    ...Object.entries(badAmounts).map(([id, paymentAmount]): Case<GatewayWorld> =>
      must(
        `amount-${id}`,
        `${JSON.stringify(paymentAmount)} is no amount`,
        "Reject it with F and record nothing: the value is a text in minor units, the currency an ISO 4217 code.",
        async (world) => {
          demandSandbox(world);
          const request = newPay(world, { paymentAmount });
          demandFailure(await call(world, "payments/pay", request));
          const { json } = await call(world, inquiry, { paymentRequestId: request.paymentRequestId });
          demand(json["paymentId"] === undefined, "A payment was created nevertheless.");
        },
      ),
    ),
    must(
      "pay-incomplete",
      "a payment without an order is rejected",
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
      "an unpaid payment can be cancelled, and the cancel can be repeated",
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
      "a repeated pay does not pay a cancelled payment",
      "Answer F ORDER_IS_CANCELED for the same paymentRequestId.",
      async (world) => {
        const { request, paymentId } = await made(world);
        await call(world, "payments/cancel", { paymentId });
        demandFailure(await call(world, "payments/pay", request));
      },
    ),
    should(
      "cancel-before-pay",
      "a cancel for an unknown paymentRequestId has effect",
      "Record it as a tombstone: a later pay with that id is rejected.",
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
      "an unpaid payment can not be refunded",
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
      "Serve payments of a point of sale, IN_STORE_PAYMENT, on the path without /sandbox.",
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

/** A payment at a point of sale that shows a code, which the buyer scans. */
function tillRequest(world: GatewayWorld): Fields {
  const amount = { currency: "EUR", value: "1250" };
  const store = { referenceStoreId: "conform-store", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "conform", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Provider/1.0",
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
