import { setTimeout as wait } from "node:timers/promises";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, must, should, type Group } from "../case.ts";
import {
  call,
  demandCode,
  demandState,
  demandSuccess,
  inquired,
  longAgo,
  newSubmit,
  orderIn,
  paid,
  send,
  soon,
  submitted,
  type Fields,
  type ProviderWorld,
} from "./provider-world.ts";

const oneOrder =
  "Store one order per reference permanently: a repeated request with the same content returns the same order in its current state.";
const orNotIdempotent =
  "If you can not, the gateway sends each message once and then only sends inquiries: --idempotent no.";
const orQuiet =
  "If you can not, state how long a message may be in transit before it takes effect: --quiet-seconds.";

/** Result codes with which a provider without authorization holds may reject a manual capture. */
const noHolds = ["PARAM_ILLEGAL", "PAYMENT_METHOD_NOT_SUPPORTED", "BUSINESS_NOT_SUPPORT"];

/** Fields that a repeated request changes. The provider must detect each change. */
const otherContents: Readonly<Record<string, (fields: Fields, world: ProviderWorld) => Fields>> = {
  amount: (_, { currency }) => ({ amount: { currency, value: "1251" } }),
  currency: (_, { currency }) => ({
    amount: { currency: currency === "USD" ? "EUR" : "USD", value: "1250" },
  }),
  paymentId: () => ({ paymentId: newRequestId("another") }),
  capture: () => ({ capture: "MANUAL" }),
  paymentMethodType: () => ({ paymentMethodType: "ANOTHER_METHOD" }),
};

export const orders: Group<ProviderWorld> = {
  name: "Orders",
  cases: [
    must(
      "submit",
      "a submit opens an order, and returns its ids",
      "Answer S with order: reference, paymentId, walletOrderId, state, amount, sequence, and url or code for the buyer.",
      async (world) => {
        const fields = newSubmit(world);
        const answer = await call(world, "submit", fields);
        demandSuccess(answer, "submit");
        const order = orderIn(answer, fields.reference);
        demandState(order, "OPEN", "PENDING");
        const { walletOrderId, paymentId, amount, sequence, url, code } = order.fields;
        demand(typeof walletOrderId === "string" && walletOrderId !== "", "walletOrderId is missing.");
        demand(paymentId === fields.paymentId, "paymentId differs from the submitted one.");
        demand(
          JSON.stringify(amount) === JSON.stringify(fields["amount"]),
          `amount is ${JSON.stringify(amount)}.`,
        );
        demand(Number.isInteger(sequence), "sequence is not a whole number.");
        demand(
          typeof url === "string" || typeof code === "string",
          "Both url and code for the buyer are missing.",
        );
      },
    ),
    must(
      "inquire",
      "an inquiry reports the current state at once",
      "Each inquiry must see the state of all earlier responses: read the primary database, not a replica that lags behind.",
      async (world) => {
        const order = await submitted(world);
        const found = await inquired(world, order.reference);
        demand(found.walletOrderId === order.walletOrderId, "It reports another order.");
      },
    ),
    must(
      "inquire-unknown",
      "an order that was never submitted does not exist",
      "Answer F ORDER_NOT_EXIST, and no other code: the gateway decides by it whether to send again.",
      async (world) =>
        demandCode(await call(world, "inquire", { reference: newRequestId("conform") }), "ORDER_NOT_EXIST"),
    ),
    should(
      "submit-repeated",
      "a repeated submit returns the same order",
      `${oneOrder} ${orNotIdempotent}`,
      async (world) => {
        const fields = newSubmit(world);
        const [first, again] = [await call(world, "submit", fields), await call(world, "submit", fields)];
        demandSuccess(again, "the second submit");
        const [one, other] = [orderIn(first, fields.reference), orderIn(again, fields.reference)];
        demand(one.walletOrderId === other.walletOrderId, "The repeat opened a second order.");
      },
    ),
    should(
      "submit-repeated-at-once",
      "five concurrent submits create one order",
      `Lock the reference, or let a unique key of the database reject the second insert. ${oneOrder} ${orNotIdempotent}`,
      async (world) => {
        const fields = newSubmit(world);
        const answers = await Promise.all(Array.from({ length: 5 }, () => call(world, "submit", fields)));
        const ids = new Set(answers.map((answer) => orderIn(answer, fields.reference).walletOrderId));
        demand(ids.size === 1, `They opened ${ids.size} orders.`);
      },
    ),
    should(
      "submit-answer-lost",
      "a submit whose response was lost is found, or the repeated submit returns the same order",
      `${oneOrder} ${orNotIdempotent}`,
      async (world) => {
        const fields = newSubmit(world);
        await send(world, "submit", fields, { cut: "whole" });
        const found = await call(world, "inquire", { reference: fields.reference });
        const again = orderIn(await call(world, "submit", fields), fields.reference);
        if (found.resultStatus !== "S") return;
        demand(
          orderIn(found, fields.reference).walletOrderId === again.walletOrderId,
          "The repeat opened a second order.",
        );
      },
    ),
    ...Object.entries(otherContents).map(([field, change]) =>
      must<ProviderWorld>(
        `submit-other-${field.toLowerCase()}`,
        `the same reference with another ${field} is rejected`,
        "Answer F REPEAT_REQ_INCONSISTENT: otherwise two payments would share one order.",
        async (world) => {
          const fields = newSubmit(world);
          await call(world, "submit", fields);
          const answer = await call(world, "submit", { ...fields, ...change(fields, world) });
          demandCode(answer, "REPEAT_REQ_INCONSISTENT", ...(field === "capture" ? noHolds : []));
          const { amount } = (await inquired(world, fields.reference)).fields;
          demand(JSON.stringify(amount) === JSON.stringify(fields["amount"]), "The order was changed.");
        },
      ),
    ),
    should(
      "submit-late",
      "a first submit after its notAfter opens no order, neither then nor later",
      `Answer F ORDER_IS_CLOSED with an order of reference and state CLOSED, and keep it closed. ${orQuiet}`,
      async (world) => {
        const fields = newSubmit(world, { notAfter: longAgo() });
        const answer = await call(world, "submit", fields);
        demandCode(answer, "ORDER_IS_CLOSED");
        demandState(orderIn(answer, fields.reference), "CLOSED");
        const again = await call(world, "submit", { ...fields, notAfter: soon() });
        demandState(orderIn(again, fields.reference), "CLOSED");
      },
    ),
    must(
      "cancel",
      "a cancel closes an open order, and every repeat returns the same",
      "Answer S with the order, CLOSED, also for every repeat.",
      async (world) => {
        const { reference } = await submitted(world);
        for (let time = 0; time < 2; time += 1) {
          const answer = await call(world, "cancel", { reference, notAfter: soon() });
          demandSuccess(answer, "cancel");
          demandState(orderIn(answer, reference), "CLOSED");
        }
        demandState(await inquired(world, reference), "CLOSED");
      },
    ),
    must(
      "cancel-before-submit",
      "a cancel is final, even if it arrives before the submit",
      "Store a tombstone for an unknown reference: answer a later submit with S and an order that is CLOSED.",
      async (world) => {
        const fields = newSubmit(world);
        const { reference } = fields;
        const answer = await call(world, "cancel", { reference, notAfter: soon() });
        demandSuccess(answer, "cancel");
        demandState(orderIn(answer, reference), "CLOSED");
        demandState(orderIn(await call(world, "submit", fields), reference), "CLOSED");
      },
    ),
    should(
      "cancel-late",
      "a cancel after its notAfter closes nothing",
      `Answer F MESSAGE_EXPIRED: the buyer may have paid in the meantime. ${orQuiet}`,
      async (world) => {
        const { reference } = await submitted(world);
        demandCode(await call(world, "cancel", { reference, notAfter: longAgo() }), "MESSAGE_EXPIRED");
        demandState(await inquired(world, reference), "OPEN", "PENDING");
      },
    ),
    must(
      "expiry",
      "an order past its expiryTime stays open until the gateway cancels it",
      "Do not let the buyer pay, and leave the order OPEN: only the gateway decides when the order ends.",
      async (world) => {
        // The order expires at the next whole second, because the protocol writes times without fractions of a second.
        const expiresAtMs = Math.ceil(Date.now() / 1000) * 1000;
        const { reference } = await submitted(world, { expiryTime: toWireTime(expiresAtMs) });
        await wait(Math.max(0, expiresAtMs - Date.now()) + 50);
        demandState(await inquired(world, reference), "OPEN");
      },
    ),
    must(
      "paid",
      "an order that the buyer approves is paid with the exact amount",
      "Answer PAID with paidAmount equal to amount, paidTime, and a higher sequence.",
      async (world) => {
        const order = await submitted(world);
        await world.buyer.decide(order, "approve");
        const found = await inquired(world, order.reference);
        demandState(found, "PAID");
        const { paidAmount, amount, paidTime, sequence } = found.fields;
        demand(
          JSON.stringify(paidAmount) === JSON.stringify(amount),
          `paidAmount is ${JSON.stringify(paidAmount)}.`,
        );
        demand(
          typeof paidTime === "string" && /[+-]\d\d:\d\d$/.test(paidTime),
          `paidTime is ${String(paidTime)}.`,
        );
        demand(Number(sequence) > Number(order.fields["sequence"]), "The sequence did not increase.");
      },
    ),
    should(
      "paid-repeated",
      "a repeated submit after the payment returns the paid order",
      `${oneOrder} ${orNotIdempotent}`,
      async (world) => {
        const fields = newSubmit(world);
        const order = orderIn(await call(world, "submit", fields), fields.reference);
        await world.buyer.decide(order, "approve");
        const again = orderIn(await call(world, "submit", fields), fields.reference);
        demandState(again, "PAID");
        demand(again.walletOrderId === order.walletOrderId, "The repeat opened a second order.");
      },
    ),
    must(
      "cancel-paid",
      "a cancel after the payment leaves the order paid",
      "Answer S with the unchanged order, PAID: the gateway returns the money with a refund.",
      async (world) => {
        const { reference } = await paid(world);
        demandState(orderIn(await call(world, "cancel", { reference, notAfter: soon() }), reference), "PAID");
        demandState(await inquired(world, reference), "PAID");
      },
    ),
    must(
      "declined",
      "an order that the buyer declines is declined permanently, with a reason",
      "Answer DECLINED with a resultCode of the interface.",
      async (world) => {
        const order = await submitted(world);
        await world.buyer.decide(order, "decline");
        const found = await inquired(world, order.reference);
        demandState(found, "DECLINED");
        demand(typeof found.fields["resultCode"] === "string", "resultCode is missing.");
      },
    ),
  ],
};
