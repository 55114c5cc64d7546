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
  type WalletWorld,
} from "./wallet-world.ts";

const oneOrder =
  "Keep one order per reference, for ever: the same content again is the same order, answered as it is now.";
const orNotIdempotent =
  "Where you cannot, the gateway sends everything once and then only asks: --idempotent no.";
const orQuiet =
  "Where you cannot, say how long a message may be under way before it is acted on: --quiet-seconds.";

/** How a wallet that holds no money may refuse a manual capture. */
const noHolds = ["PARAM_ILLEGAL", "PAYMENT_METHOD_NOT_SUPPORTED", "BUSINESS_NOT_SUPPORT"];

/** How a repeat may differ; each has to be noticed. */
const otherContents: Readonly<Record<string, (fields: Fields, world: WalletWorld) => Fields>> = {
  amount: (_, { currency }) => ({ amount: { currency, value: "1251" } }),
  currency: (_, { currency }) => ({
    amount: { currency: currency === "USD" ? "EUR" : "USD", value: "1250" },
  }),
  paymentId: () => ({ paymentId: newRequestId("another") }),
  capture: () => ({ capture: "MANUAL" }),
  paymentMethodType: () => ({ paymentMethodType: "ANOTHER_METHOD" }),
};

export const orders: Group<WalletWorld> = {
  name: "Orders",
  cases: [
    must(
      "submit",
      "a submit opens an order, and says which",
      "Answer S with order: reference, paymentId, walletOrderId, state, amount, sequence, and url or code for the buyer.",
      async (world) => {
        const fields = newSubmit(world);
        const answer = await call(world, "submit", fields);
        demandSuccess(answer, "submit");
        const order = orderIn(answer, fields.reference);
        demandState(order, "OPEN", "PENDING");
        const { walletOrderId, paymentId, amount, sequence, url, code } = order.fields;
        demand(typeof walletOrderId === "string" && walletOrderId !== "", "walletOrderId is missing.");
        demand(paymentId === fields.paymentId, "paymentId is not the one that was submitted.");
        demand(
          JSON.stringify(amount) === JSON.stringify(fields["amount"]),
          `amount is ${JSON.stringify(amount)}.`,
        );
        demand(Number.isInteger(sequence), "sequence is no whole number.");
        demand(
          typeof url === "string" || typeof code === "string",
          "There is neither url nor code for the buyer.",
        );
      },
    ),
    must(
      "inquire",
      "an inquiry tells the truth at once",
      "What was answered before has to be seen by every inquiry after: read what you have written, and not a copy that lags behind.",
      async (world) => {
        const order = await submitted(world);
        const found = await inquired(world, order.reference);
        demand(found.walletOrderId === order.walletOrderId, "It tells of another order.");
      },
    ),
    must(
      "inquire-unknown",
      "what was never submitted does not exist",
      "Answer F ORDER_NOT_EXIST, and nothing else: the gateway decides by it whether to send again.",
      async (world) =>
        demandCode(await call(world, "inquire", { reference: newRequestId("conform") }), "ORDER_NOT_EXIST"),
    ),
    should(
      "submit-repeated",
      "a submit that comes again is the same order",
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
      "five submits at once are one order",
      `Lock the reference, or let the database refuse the second. ${oneOrder} ${orNotIdempotent}`,
      async (world) => {
        const fields = newSubmit(world);
        const answers = await Promise.all(Array.from({ length: 5 }, () => call(world, "submit", fields)));
        const ids = new Set(answers.map((answer) => orderIn(answer, fields.reference).walletOrderId));
        demand(ids.size === 1, `They opened ${ids.size} orders.`);
      },
    ),
    should(
      "submit-answer-lost",
      "a submit whose answer was lost is found, or the next one is the same order",
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
      must<WalletWorld>(
        `submit-other-${field.toLowerCase()}`,
        `the same reference with another ${field} is refused`,
        "Answer F REPEAT_REQ_INCONSISTENT: two payments would share one order.",
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
      "a first submit after its notAfter opens nothing, then or later",
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
      "a cancel closes what is open, and says so as often as it is asked",
      "Answer S with the order, CLOSED; the same for every repeat.",
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
      "a cancel is final, even before the submit",
      "Keep a tombstone for a reference that was never seen: a submit that comes late is answered S with an order that is CLOSED.",
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
      `Answer F MESSAGE_EXPIRED: the buyer may have paid meanwhile. ${orQuiet}`,
      async (world) => {
        const { reference } = await submitted(world);
        demandCode(await call(world, "cancel", { reference, notAfter: longAgo() }), "MESSAGE_EXPIRED");
        demandState(await inquired(world, reference), "OPEN", "PENDING");
      },
    ),
    must(
      "expiry",
      "an order past its expiryTime stays open until the gateway cancels it",
      "Refuse the buyer, and leave the order OPEN: only one side may decide that it is over.",
      async (world) => {
        // The next whole second, because times are written without fractions.
        const expiresAtMs = Math.ceil(Date.now() / 1000) * 1000;
        const { reference } = await submitted(world, { expiryTime: toWireTime(expiresAtMs) });
        await wait(Math.max(0, expiresAtMs - Date.now()) + 50);
        demandState(await inquired(world, reference), "OPEN");
      },
    ),
    must(
      "paid",
      "what the buyer approves is paid, exactly",
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
        demand(Number(sequence) > Number(order.fields["sequence"]), "The sequence did not grow.");
      },
    ),
    should(
      "paid-repeated",
      "a submit that comes again after the payment says that it is paid",
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
      "a cancel after the payment leaves it paid",
      "Answer S with the order as it is, PAID: the gateway gives the money back by a refund.",
      async (world) => {
        const { reference } = await paid(world);
        demandState(orderIn(await call(world, "cancel", { reference, notAfter: soon() }), reference), "PAID");
        demandState(await inquired(world, reference), "PAID");
      },
    ),
    must(
      "declined",
      "what the buyer declines is declined, for good, with a reason",
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
