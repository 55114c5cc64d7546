import { setTimeout as wait } from "node:timers/promises";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { ensure, requiredCase, advisedCase, type Case, type CaseGroup } from "../conformance-case.ts";
import {
  call,
  requireFailure,
  requireSandbox,
  inquiry,
  createPayment,
  buildPayRequest,
  describeAnswer,
  type Fields,
  type GatewayAnswer,
  type GatewayContext,
  type CreatedPayment,
} from "./gateway-context.ts";

const onePaymentFix = "Store one payment per client and paymentRequestId permanently.";
const inconsistentFix = `Answer F REPEAT_REQ_INCONSISTENT: one id must not belong to two purchases. ${onePaymentFix}`;

/** Fields that a repeated request changes. The gateway must detect each change. */
const changedFields: Readonly<Record<string, Fields>> = {
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

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Polls the payment until it has this status, and returns its record. */
export async function waitForStatus(
  context: GatewayContext,
  { paymentId }: CreatedPayment,
  status: string,
): Promise<Fields> {
  let lastAnswer: GatewayAnswer | undefined;
  for (const giveUpAtMs = Date.now() + context.patienceMs; Date.now() < giveUpAtMs; await wait(100)) {
    lastAnswer = await call(context, inquiry, { paymentId });
    if (lastAnswer.json["paymentStatus"] === status) return lastAnswer.json;
  }
  const found = lastAnswer
    ? `${describeAnswer(lastAnswer)}, ${String(lastAnswer.json["paymentStatus"])}`
    : "nothing";
  ensure(
    false,
    `Within ${context.patienceMs / 1000} s the status did not become ${status}; the last status was ${found}.`,
  );
  return {};
}

export const paymentCases: CaseGroup<GatewayContext> = {
  name: "Payments",
  cases: [
    requiredCase(
      "pay",
      "pay starts a payment with an id from the gateway",
      "Answer with paymentId and with a page for the buyer.",
      async (context) => {
        const { paymentId, request } = await createPayment(context);
        ensure(paymentId !== "" && paymentId !== request.paymentRequestId, `paymentId is ${paymentId}.`);
      },
    ),
    requiredCase(
      "inquiry",
      "an inquiry returns the new payment at once: ids, amount, status and result",
      "Answer the record: all fields are texts, and amounts are objects with currency and value.",
      async (context) => {
        const payment = await createPayment(context);
        const answer = await call(context, inquiry, { paymentId: payment.paymentId });
        ensure(
          answer.resultStatus === "S" && answer.resultCode === "SUCCESS",
          `It was answered ${describeAnswer(answer)}.`,
        );
        const { paymentId, paymentRequestId, paymentAmount, paymentStatus } = answer.json;
        ensure(paymentId === payment.paymentId, "paymentId is different.");
        ensure(paymentRequestId === payment.request.paymentRequestId, "paymentRequestId is different.");
        ensure(
          isEqual(paymentAmount, payment.request["paymentAmount"]),
          `paymentAmount is ${JSON.stringify(paymentAmount)}.`,
        );
        ensure(typeof paymentStatus === "string", "paymentStatus is missing.");
        ensure(paymentStatus !== "SUCCESS", "It is SUCCESS although no buyer has paid.");
      },
    ),
    requiredCase(
      "pay-repeated",
      "a repeated pay request is the same payment",
      onePaymentFix,
      async (context) => {
        const { request, paymentId } = await createPayment(context);
        for (let time = 0; time < 3; time += 1) {
          const repeatedAnswer = await call(context, "payments/pay", request);
          ensure(
            repeatedAnswer.json["paymentId"] === paymentId,
            `The repeat was answered ${describeAnswer(repeatedAnswer)}, paymentId ${String(repeatedAnswer.json["paymentId"])}.`,
          );
        }
      },
    ),
    requiredCase(
      "pay-repeated-at-once",
      "six concurrent requests create one payment",
      `${onePaymentFix} Let a unique key of the database reject the second insert; a read before the write is a race.`,
      async (context) => {
        requireSandbox(context);
        const request = buildPayRequest(context);
        const answers = await Promise.all(
          Array.from({ length: 6 }, () => call(context, "payments/pay", request)),
        );
        const ids = new Set(answers.map(({ json }) => json["paymentId"]).filter((id) => id !== undefined));
        ensure(ids.size === 1, `They became ${ids.size} payments.`);
      },
    ),
    ...Object.entries(changedFields).map(([field, change]): Case<GatewayContext> =>
      requiredCase(
        `pay-other-${field}`,
        `the same paymentRequestId with another ${field} is rejected`,
        inconsistentFix,
        async (context) => {
          const { request, paymentId } = await createPayment(context);
          requireFailure(
            await call(context, "payments/pay", { ...request, ...change }),
            "REPEAT_REQ_INCONSISTENT",
          );
          const { json } = await call(context, inquiry, { paymentId });
          ensure(isEqual(json["paymentAmount"], request["paymentAmount"]), "The payment was changed.");
        },
      ),
    ),
    requiredCase(
      "pay-another",
      "another paymentRequestId is another payment",
      "Never merge two requests because their contents are equal.",
      async (context) => {
        const [firstPayment, secondPayment] = [await createPayment(context), await createPayment(context)];
        ensure(firstPayment.paymentId !== secondPayment.paymentId, "Both have the same paymentId.");
      },
    ),
    ...Object.entries(badAmounts).map(([id, paymentAmount]): Case<GatewayContext> =>
      requiredCase(
        `amount-${id}`,
        `${JSON.stringify(paymentAmount)} is no amount`,
        "Reject it with F and record nothing: the value is a text in minor units, the currency an ISO 4217 code.",
        async (context) => {
          requireSandbox(context);
          const request = buildPayRequest(context, { paymentAmount });
          requireFailure(await call(context, "payments/pay", request));
          const { json } = await call(context, inquiry, {
            paymentRequestId: request.paymentRequestId,
          });
          ensure(json["paymentId"] === undefined, "A payment was created nevertheless.");
        },
      ),
    ),
    requiredCase(
      "pay-incomplete",
      "a payment without an order is rejected",
      "Answer F PARAM_ILLEGAL.",
      async (context) => {
        requireSandbox(context);
        requireFailure(
          await call(context, "payments/pay", buildPayRequest(context, { order: undefined })),
          "PARAM_ILLEGAL",
        );
      },
    ),
    requiredCase(
      "cancel",
      "an unpaid payment can be cancelled, and the cancel can be repeated",
      "Answer S for the cancel and for each repeat; the payment is CANCELLED.",
      async (context) => {
        const payment = await createPayment(context);
        for (let time = 0; time < 2; time += 1) {
          const answer = await call(context, "payments/cancel", { paymentId: payment.paymentId });
          ensure(answer.resultStatus === "S", `It was answered ${describeAnswer(answer)}.`);
        }
        await waitForStatus(context, payment, "CANCELLED");
      },
    ),
    requiredCase(
      "pay-after-cancel",
      "a repeated pay does not pay a cancelled payment",
      "Answer F ORDER_IS_CANCELED for the same paymentRequestId.",
      async (context) => {
        const { request, paymentId } = await createPayment(context);
        await call(context, "payments/cancel", { paymentId });
        requireFailure(await call(context, "payments/pay", request));
      },
    ),
    advisedCase(
      "cancel-before-pay",
      "a cancel for an unknown paymentRequestId has effect",
      "Record it as a tombstone: a later pay with that id is rejected.",
      async (context) => {
        requireSandbox(context);
        const request = buildPayRequest(context);
        const answer = await call(context, "payments/cancel", {
          paymentRequestId: request.paymentRequestId,
        });
        ensure(answer.resultStatus === "S", `It was answered ${describeAnswer(answer)}.`);
        requireFailure(await call(context, "payments/pay", request));
      },
    ),
    requiredCase(
      "refund-unpaid",
      "an unpaid payment can not be refunded",
      "Answer F ORDER_STATUS_INVALID.",
      async (context) => {
        const { paymentId } = await createPayment(context);
        const refund = {
          refundRequestId: newRequestId("refund"),
          paymentId,
          refundAmount: { currency: "EUR", value: "100" },
        };
        requireFailure(await call(context, "payments/refund", refund));
      },
    ),
    requiredCase(
      "in-store",
      "in-store payments are at /ams/api/, in the sandbox as well",
      "Serve payments of a point of sale, IN_STORE_PAYMENT, on the path without /sandbox.",
      async (context) => {
        requireSandbox(context);
        const path = `${context.url.pathname.replace(/\/$/, "")}/ams/api/v1/payments/pay`;
        const answer = await call(context, "payments/pay", buildInStoreRequest(context), { path });
        ensure(
          answer.resultStatus === "S" || answer.resultStatus === "U",
          `It was answered ${describeAnswer(answer)}.`,
        );
      },
    ),
  ],
};

/** A payment at a point of sale that shows a code, which the buyer scans. */
function buildInStoreRequest(context: GatewayContext): Fields {
  const amount = { currency: "EUR", value: "1250" };
  const store = { referenceStoreId: "conform-store", storeName: "Coffee Lab, Harbour", storeMCC: "5814" };
  const merchant = { referenceMerchantId: "conform", merchantName: "Coffee Lab", merchantMCC: "5814", store };
  const env = {
    storeTerminalId: "till-1",
    storeTerminalRequestTime: "2026-11-15T09:30:00+00:00",
    userAgent: "Provider/1.0",
  };
  return buildPayRequest(context, {
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
