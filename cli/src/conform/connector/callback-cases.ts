import { setTimeout as wait } from "node:timers/promises";
import { ensure, requiredCase, NotObservable, advisedCase, type CaseGroup } from "../conformance-case.ts";
import type { Callback, CallbackAddress, CallbackResponse } from "./callback-listener.ts";
import {
  inquireOrder,
  submitOrder,
  type Fields,
  type ProviderOrder,
  type ProviderContext,
} from "./provider-context.ts";

/** Creates a paid order, and returns it with the address that receives its callbacks. */
async function createPaidOrderWithCallbacks(
  context: ProviderContext,
  ...reactions: CallbackResponse[]
): Promise<{ readonly order: ProviderOrder; readonly address: CallbackAddress }> {
  const address = context.callbacks.open(...reactions);
  const order = await submitOrder(context, { callbackUrl: address.url });
  await context.buyer.decide(order, "approve");
  return { order, address };
}

async function waitForFirstCallback(context: ProviderContext, address: CallbackAddress): Promise<Callback> {
  const [callback] = await address.waitForCallbacks(1, context.patienceMs);
  ensure(
    callback !== undefined,
    `No callback arrived at ${address.url} within ${context.patienceMs / 1000} s.`,
  );
  return callback;
}

/** The responses after which the provider must repeat the callback, each with its description. */
const nonAcknowledgements: Readonly<Record<Exclude<CallbackResponse, "S">, string>> = {
  "HTTP 500": "answered HTTP 500",
  unsigned: "answered S without the gateway's signature",
  U: "answered U, because the gateway sends an inquiry first",
};

export const callbackCases: CaseGroup<ProviderContext> = {
  name: "Callbacks",
  cases: [
    requiredCase(
      "callback",
      "each change of an order is sent to its callbackUrl, with eventId, reference and the order",
      "POST eventId, reference and order at every change of state. If the provider sent it: can it reach this machine? See --listen-url.",
      async (context) => {
        const { order, address } = await createPaidOrderWithCallbacks(context, "S");
        const { eventId, reference, json } = await waitForFirstCallback(context, address);
        ensure(typeof eventId === "string" && eventId !== "", "eventId is missing.");
        ensure(reference === order.reference, "The reference belongs to another order.");
        const { state } = (json["order"] ?? {}) as Fields;
        ensure(state === "PAID", `The order in it is ${String(state)}, instead of PAID.`);
      },
    ),
    requiredCase(
      "callback-signed",
      "a callback is signed over the path and query of its address, with the current time",
      "Sign `POST <path and query of callbackUrl>`, a line feed, `<partner id>.<request-time>.<body>`, with a new time for each attempt.",
      async (context) => {
        const { address } = await createPaidOrderWithCallbacks(context, "S");
        const { isSignatureValid, isFresh } = await waitForFirstCallback(context, address);
        ensure(isSignatureValid, "The signature is not valid.");
        ensure(isFresh, "The time is more than ten minutes from our clock.");
      },
    ),
    requiredCase(
      "callback-true",
      "a callback and an inquiry report the same values",
      "Report the stored values of the order: amount, paidAmount, state and sequence.",
      async (context) => {
        const { order, address } = await createPaidOrderWithCallbacks(context, "S");
        const { json } = await waitForFirstCallback(context, address);
        const callbackOrder = (json["order"] ?? {}) as Fields;
        const { fields } = await inquireOrder(context, order.reference);
        for (const field of ["providerOrderId", "amount", "paidAmount", "sequence"]) {
          const [callbackValue, inquiryValue] = [
            JSON.stringify(callbackOrder[field]),
            JSON.stringify(fields[field]),
          ];
          ensure(
            callbackValue === inquiryValue,
            `${field} is ${callbackValue} in the callback, and ${inquiryValue} in the inquiry.`,
          );
        }
      },
    ),
    ...Object.entries(nonAcknowledgements).map(([reaction, response]) =>
      requiredCase<ProviderContext>(
        `callback-repeated-${reaction.toLowerCase().replace(" ", "-")}`,
        `a callback that was ${response} is repeated with the same eventId`,
        "Repeat until the response is HTTP 200, signed by the gateway, with resultStatus S. If the repeat comes later than this command waits, set --patience SECONDS.",
        async (context) => {
          const { address } = await createPaidOrderWithCallbacks(context, reaction as CallbackResponse, "S");
          const [firstCallback, repeatedCallback] = await address.waitForCallbacks(2, context.patienceMs);
          ensure(firstCallback !== undefined, "No callback arrived.");
          ensure(repeatedCallback !== undefined, `No repeat arrived within ${context.patienceMs / 1000} s.`);
          ensure(firstCallback.eventId === repeatedCallback.eventId, "The repeat has another eventId.");
          ensure(repeatedCallback.isSignatureValid, "The signature of the repeat is not valid.");
        },
      ),
    ),
    advisedCase(
      "callback-heard",
      "an acknowledged callback is not repeated",
      "Stop when the response is S: a further callback does no harm, but costs both sides.",
      async (context) => {
        const { address } = await createPaidOrderWithCallbacks(context, "S");
        await waitForFirstCallback(context, address);
        await wait(300);
        ensure(address.received.length === 1, `It came ${address.received.length} times.`);
      },
    ),
  ],
};

/** Cases about payment codes, which the sandbox provider shows. */
export const codeCases: CaseGroup<ProviderContext> = {
  name: "Payment codes",
  cases: [
    requiredCase(
      "code-unknown",
      "an unknown payment code pays nothing",
      "Answer S with an order that is DECLINED, INVALID_CODE.",
      async (context) => {
        const order = await submitOrder(context, { paymentCode: "281000020000000000000000" });
        ensure(order.state === "DECLINED", `The order is ${String(order.state)}.`);
      },
    ),
    requiredCase(
      "code-good",
      "a valid payment code pays at once",
      "Decide in the response: PAID, or OPEN if the buyer must confirm.",
      async (context) => {
        const order = await submitOrder(context, { paymentCode: await createPaymentCode(context) });
        ensure(order.state === "PAID", `The order is ${String(order.state)}.`);
      },
    ),
    requiredCase(
      "code-twice",
      "a payment code pays one order only",
      "Mark the code as used with the first order: the second is DECLINED, INVALID_CODE.",
      async (context) => {
        const paymentCode = await createPaymentCode(context);
        await submitOrder(context, { paymentCode });
        const { state } = await submitOrder(context, { paymentCode });
        ensure(state === "DECLINED", `The second order is ${String(state)}.`);
      },
    ),
  ],
};

async function createPaymentCode({ buyer }: ProviderContext): Promise<string> {
  const { paymentCode } = await buyer.control("payment-codes");
  if (typeof paymentCode !== "string")
    throw new NotObservable("the provider's control interface shows no payment code.");
  return paymentCode;
}
