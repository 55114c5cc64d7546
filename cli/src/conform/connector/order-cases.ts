import { setTimeout as wait } from "node:timers/promises";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, requiredCase, advisedCase, type CaseGroup } from "../conformance-case.ts";
import { requireNextAction } from "./next-action-cases.ts";
import {
  call,
  requireCode,
  requireState,
  requireSuccess,
  inquireOrder,
  oneMinuteAgo,
  buildSubmitRequest,
  readOrder,
  createPaidOrder,
  send,
  oneMinuteAhead,
  submitOrder,
  type Fields,
  type ProviderContext,
} from "./provider-context.ts";

const oneOrderFix =
  "Store one order per reference permanently: a repeated request with the same content returns the same order in its current state.";
const notIdempotentHint =
  "If you can not, the gateway sends each message once and then only sends inquiries: --idempotent no.";
const quietSecondsHint =
  "If you can not, state how long a message may be in transit before it takes effect: --quiet-seconds.";

/** Result codes with which a provider without authorization holds may reject a manual capture. */
const holdsUnsupportedCodes = ["PARAM_ILLEGAL", "PAYMENT_METHOD_NOT_SUPPORTED", "BUSINESS_NOT_SUPPORT"];

/** Fields that a repeated request changes. The provider must detect each change. */
const changedFields: Readonly<Record<string, (fields: Fields, context: ProviderContext) => Fields>> = {
  amount: (_, { currency }) => ({ amount: { currency, value: "1251" } }),
  currency: (_, { currency }) => ({
    amount: { currency: currency === "USD" ? "EUR" : "USD", value: "1250" },
  }),
  paymentId: () => ({ paymentId: newRequestId("another") }),
  capture: () => ({ capture: "MANUAL" }),
  paymentMethodType: () => ({ paymentMethodType: "ANOTHER_METHOD" }),
};

export const orderCases: CaseGroup<ProviderContext> = {
  name: "Orders",
  cases: [
    requiredCase(
      "submit",
      "a submit opens an order, and returns its ids",
      "Answer S with order: reference, paymentId, providerOrderId, state, amount, sequence, and nextAction if the buyer can do more than open your app.",
      async (context) => {
        const fields = buildSubmitRequest(context);
        const answer = await call(context, "submit", fields);
        requireSuccess(answer, "submit");
        const order = readOrder(answer, fields.reference);
        requireState(order, "OPEN", "PENDING");
        const { providerOrderId, paymentId, amount, sequence, nextAction } = order.fields;
        ensure(typeof providerOrderId === "string" && providerOrderId !== "", "providerOrderId is missing.");
        ensure(paymentId === fields.paymentId, "paymentId differs from the submitted one.");
        ensure(
          JSON.stringify(amount) === JSON.stringify(fields["amount"]),
          `amount is ${JSON.stringify(amount)}.`,
        );
        ensure(Number.isInteger(sequence), "sequence is not a whole number.");
        if (nextAction !== undefined) requireNextAction(order);
      },
    ),
    requiredCase(
      "inquire",
      "an inquiry reports the current state at once",
      "Each inquiry must see the state of all earlier responses: read the primary database, not a replica that lags behind.",
      async (context) => {
        const order = await submitOrder(context);
        const found = await inquireOrder(context, order.reference);
        ensure(found.providerOrderId === order.providerOrderId, "It reports another order.");
      },
    ),
    requiredCase(
      "inquire-unknown",
      "an order that was never submitted does not exist",
      "Answer F ORDER_NOT_EXIST, and no other code: the gateway decides by it whether to send again.",
      async (context) =>
        requireCode(
          await call(context, "inquire", { reference: newRequestId("conform") }),
          "ORDER_NOT_EXIST",
        ),
    ),
    advisedCase(
      "submit-repeated",
      "a repeated submit returns the same order",
      `${oneOrderFix} ${notIdempotentHint}`,
      async (context) => {
        const fields = buildSubmitRequest(context);
        const [firstAnswer, repeatedAnswer] = [
          await call(context, "submit", fields),
          await call(context, "submit", fields),
        ];
        requireSuccess(repeatedAnswer, "the second submit");
        const [firstOrder, repeatedOrder] = [
          readOrder(firstAnswer, fields.reference),
          readOrder(repeatedAnswer, fields.reference),
        ];
        ensure(
          firstOrder.providerOrderId === repeatedOrder.providerOrderId,
          "The repeat opened a second order.",
        );
      },
    ),
    advisedCase(
      "submit-repeated-at-once",
      "five concurrent submits create one order",
      `Lock the reference, or let a unique key of the database reject the second insert. ${oneOrderFix} ${notIdempotentHint}`,
      async (context) => {
        const fields = buildSubmitRequest(context);
        const answers = await Promise.all(Array.from({ length: 5 }, () => call(context, "submit", fields)));
        const ids = new Set(answers.map((answer) => readOrder(answer, fields.reference).providerOrderId));
        ensure(ids.size === 1, `They opened ${ids.size} orders.`);
      },
    ),
    advisedCase(
      "submit-answer-lost",
      "a submit whose response was lost is found, or the repeated submit returns the same order",
      `${oneOrderFix} ${notIdempotentHint}`,
      async (context) => {
        const fields = buildSubmitRequest(context);
        await send(context, "submit", fields, { cut: "whole" });
        const found = await call(context, "inquire", { reference: fields.reference });
        const repeatedOrder = readOrder(await call(context, "submit", fields), fields.reference);
        if (found.resultStatus !== "S") return;
        ensure(
          readOrder(found, fields.reference).providerOrderId === repeatedOrder.providerOrderId,
          "The repeat opened a second order.",
        );
      },
    ),
    ...Object.entries(changedFields).map(([field, change]) =>
      requiredCase<ProviderContext>(
        `submit-other-${field.toLowerCase()}`,
        `the same reference with another ${field} is rejected`,
        "Answer F REPEAT_REQ_INCONSISTENT: otherwise two payments would share one order.",
        async (context) => {
          const fields = buildSubmitRequest(context);
          await call(context, "submit", fields);
          const answer = await call(context, "submit", { ...fields, ...change(fields, context) });
          requireCode(
            answer,
            "REPEAT_REQ_INCONSISTENT",
            ...(field === "capture" ? holdsUnsupportedCodes : []),
          );
          const { amount } = (await inquireOrder(context, fields.reference)).fields;
          ensure(JSON.stringify(amount) === JSON.stringify(fields["amount"]), "The order was changed.");
        },
      ),
    ),
    advisedCase(
      "submit-late",
      "a first submit after its notAfter opens no order, neither then nor later",
      `Answer F ORDER_IS_CLOSED with an order of reference and state CLOSED, and keep it closed. ${quietSecondsHint}`,
      async (context) => {
        const fields = buildSubmitRequest(context, { notAfter: oneMinuteAgo() });
        const answer = await call(context, "submit", fields);
        requireCode(answer, "ORDER_IS_CLOSED");
        requireState(readOrder(answer, fields.reference), "CLOSED");
        const repeatedAnswer = await call(context, "submit", {
          ...fields,
          notAfter: oneMinuteAhead(),
        });
        requireState(readOrder(repeatedAnswer, fields.reference), "CLOSED");
      },
    ),
    requiredCase(
      "cancel",
      "a cancel closes an open order, and every repeat returns the same",
      "Answer S with the order, CLOSED, also for every repeat.",
      async (context) => {
        const { reference } = await submitOrder(context);
        for (let time = 0; time < 2; time += 1) {
          const answer = await call(context, "cancel", { reference, notAfter: oneMinuteAhead() });
          requireSuccess(answer, "cancel");
          requireState(readOrder(answer, reference), "CLOSED");
        }
        requireState(await inquireOrder(context, reference), "CLOSED");
      },
    ),
    requiredCase(
      "cancel-before-submit",
      "a cancel is final, even if it arrives before the submit",
      "Store a tombstone for an unknown reference: answer a later submit with S and an order that is CLOSED.",
      async (context) => {
        const fields = buildSubmitRequest(context);
        const { reference } = fields;
        const answer = await call(context, "cancel", { reference, notAfter: oneMinuteAhead() });
        requireSuccess(answer, "cancel");
        requireState(readOrder(answer, reference), "CLOSED");
        requireState(readOrder(await call(context, "submit", fields), reference), "CLOSED");
      },
    ),
    advisedCase(
      "cancel-late",
      "a cancel after its notAfter closes nothing",
      `Answer F MESSAGE_EXPIRED: the buyer may have paid in the meantime. ${quietSecondsHint}`,
      async (context) => {
        const { reference } = await submitOrder(context);
        requireCode(
          await call(context, "cancel", { reference, notAfter: oneMinuteAgo() }),
          "MESSAGE_EXPIRED",
        );
        requireState(await inquireOrder(context, reference), "OPEN", "PENDING");
      },
    ),
    requiredCase(
      "expiry",
      "an order past its expiryTime stays open until the gateway cancels it",
      "Do not let the buyer pay, and leave the order OPEN: only the gateway decides when the order ends.",
      async (context) => {
        // The order expires at the next whole second, because the protocol writes times without fractions of a second.
        const expiresAtMs = Math.ceil(Date.now() / 1000) * 1000;
        const { reference } = await submitOrder(context, { expiryTime: toWireTime(expiresAtMs) });
        await wait(Math.max(0, expiresAtMs - Date.now()) + 50);
        requireState(await inquireOrder(context, reference), "OPEN");
      },
    ),
    requiredCase(
      "paid",
      "an order that the buyer approves is paid with the exact amount",
      "Answer PAID with paidAmount equal to amount, paidTime, and a higher sequence.",
      async (context) => {
        const order = await submitOrder(context);
        await context.buyer.decide(order, "approve");
        const found = await inquireOrder(context, order.reference);
        requireState(found, "PAID");
        const { paidAmount, amount, paidTime, sequence } = found.fields;
        ensure(
          JSON.stringify(paidAmount) === JSON.stringify(amount),
          `paidAmount is ${JSON.stringify(paidAmount)}.`,
        );
        ensure(
          typeof paidTime === "string" && /[+-]\d\d:\d\d$/.test(paidTime),
          `paidTime is ${String(paidTime)}.`,
        );
        ensure(Number(sequence) > Number(order.fields["sequence"]), "The sequence did not increase.");
      },
    ),
    advisedCase(
      "paid-repeated",
      "a repeated submit after the payment returns the paid order",
      `${oneOrderFix} ${notIdempotentHint}`,
      async (context) => {
        const fields = buildSubmitRequest(context);
        const order = readOrder(await call(context, "submit", fields), fields.reference);
        await context.buyer.decide(order, "approve");
        const repeatedOrder = readOrder(await call(context, "submit", fields), fields.reference);
        requireState(repeatedOrder, "PAID");
        ensure(repeatedOrder.providerOrderId === order.providerOrderId, "The repeat opened a second order.");
      },
    ),
    requiredCase(
      "cancel-paid",
      "a cancel after the payment leaves the order paid",
      "Answer S with the unchanged order, PAID: the gateway returns the money with a refund.",
      async (context) => {
        const { reference } = await createPaidOrder(context);
        requireState(
          readOrder(await call(context, "cancel", { reference, notAfter: oneMinuteAhead() }), reference),
          "PAID",
        );
        requireState(await inquireOrder(context, reference), "PAID");
      },
    ),
    requiredCase(
      "declined",
      "an order that the buyer declines is declined permanently, with a reason",
      "Answer DECLINED with a resultCode of the interface.",
      async (context) => {
        const order = await submitOrder(context);
        await context.buyer.decide(order, "decline");
        const found = await inquireOrder(context, order.reference);
        requireState(found, "DECLINED");
        ensure(typeof found.fields["resultCode"] === "string", "resultCode is missing.");
      },
    ),
  ],
};
