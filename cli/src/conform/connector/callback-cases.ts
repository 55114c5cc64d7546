import { setTimeout as wait } from "node:timers/promises";
import { demand, must, NotSeen, should, type Group } from "../case.ts";
import type { Callback, CallbackAddress, Reaction } from "./callback-listener.ts";
import {
  inquired,
  submitted,
  type Fields,
  type ProviderOrder,
  type ProviderWorld,
} from "./provider-world.ts";

/** Creates a paid order, and returns it with the address that receives its callbacks. */
async function paidAndTold(
  world: ProviderWorld,
  ...reactions: Reaction[]
): Promise<{ readonly order: ProviderOrder; readonly address: CallbackAddress }> {
  const address = world.callbacks.open(...reactions);
  const order = await submitted(world, { callbackUrl: address.url });
  await world.buyer.decide(order, "approve");
  return { order, address };
}

async function first(world: ProviderWorld, address: CallbackAddress): Promise<Callback> {
  const [callback] = await address.until(1, world.patienceMs);
  demand(
    callback !== undefined,
    `No callback arrived at ${address.url} within ${world.patienceMs / 1000} s.`,
  );
  return callback;
}

/** The responses after which the provider must repeat the callback, each with its description. */
const deafness: Readonly<Record<Exclude<Reaction, "S">, string>> = {
  "HTTP 500": "answered HTTP 500",
  unsigned: "answered S without the gateway's signature",
  U: "answered U, because the gateway sends an inquiry first",
};

export const callbackCases: Group<ProviderWorld> = {
  name: "Callbacks",
  cases: [
    must(
      "callback",
      "each change of an order is sent to its callbackUrl, with eventId, reference and the order",
      "POST eventId, reference and order at every change of state. If the provider sent it: can it reach this machine? See --listen-url.",
      async (world) => {
        const { order, address } = await paidAndTold(world, "S");
        const { eventId, reference, json } = await first(world, address);
        demand(typeof eventId === "string" && eventId !== "", "eventId is missing.");
        demand(reference === order.reference, "The reference belongs to another order.");
        const { state } = (json["order"] ?? {}) as Fields;
        demand(state === "PAID", `The order in it is ${String(state)}, instead of PAID.`);
      },
    ),
    must(
      "callback-signed",
      "a callback is signed over the path and query of its address, with the current time",
      "Sign `POST <path and query of callbackUrl>`, a line feed, `<partner id>.<request-time>.<body>`, with a new time for each attempt.",
      async (world) => {
        const { address } = await paidAndTold(world, "S");
        const { isSigned, isFresh } = await first(world, address);
        demand(isSigned, "The signature is not valid.");
        demand(isFresh, "The time is more than ten minutes from our clock.");
      },
    ),
    must(
      "callback-true",
      "a callback and an inquiry report the same values",
      "Report the stored values of the order: amount, paidAmount, state and sequence.",
      async (world) => {
        const { order, address } = await paidAndTold(world, "S");
        const { json } = await first(world, address);
        const told = (json["order"] ?? {}) as Fields;
        const { fields } = await inquired(world, order.reference);
        for (const field of ["walletOrderId", "amount", "paidAmount", "sequence"]) {
          const [one, other] = [JSON.stringify(told[field]), JSON.stringify(fields[field])];
          demand(one === other, `${field} is ${one} in the callback, and ${other} in the inquiry.`);
        }
      },
    ),
    ...Object.entries(deafness).map(([reaction, what]) =>
      must<ProviderWorld>(
        `callback-repeated-${reaction.toLowerCase().replace(" ", "-")}`,
        `a callback that was ${what} is repeated with the same eventId`,
        "Repeat until the response is HTTP 200, signed by the gateway, with resultStatus S. If the repeat comes later than this command waits, set --patience SECONDS.",
        async (world) => {
          const { address } = await paidAndTold(world, reaction as Reaction, "S");
          const [one, other] = await address.until(2, world.patienceMs);
          demand(one !== undefined, "No callback arrived.");
          demand(other !== undefined, `No repeat arrived within ${world.patienceMs / 1000} s.`);
          demand(one.eventId === other.eventId, "The repeat has another eventId.");
          demand(other.isSigned, "The signature of the repeat is not valid.");
        },
      ),
    ),
    should(
      "callback-heard",
      "an acknowledged callback is not repeated",
      "Stop when the response is S: a further callback does no harm, but costs both sides.",
      async (world) => {
        const { address } = await paidAndTold(world, "S");
        await first(world, address);
        await wait(300);
        demand(address.received.length === 1, `It came ${address.received.length} times.`);
      },
    ),
  ],
};

/** Cases about payment codes, which the sandbox provider shows. */
export const codeCases: Group<ProviderWorld> = {
  name: "Payment codes",
  cases: [
    must(
      "code-unknown",
      "an unknown payment code pays nothing",
      "Answer S with an order that is DECLINED, INVALID_CODE.",
      async (world) => {
        const order = await submitted(world, { paymentCode: "281000020000000000000000" });
        demand(order.state === "DECLINED", `The order is ${String(order.state)}.`);
      },
    ),
    must(
      "code-good",
      "a valid payment code pays at once",
      "Decide in the response: PAID, or OPEN if the buyer must confirm.",
      async (world) => {
        const order = await submitted(world, { paymentCode: await newCode(world) });
        demand(order.state === "PAID", `The order is ${String(order.state)}.`);
      },
    ),
    must(
      "code-twice",
      "a payment code pays one order only",
      "Mark the code as used with the first order: the second is DECLINED, INVALID_CODE.",
      async (world) => {
        const paymentCode = await newCode(world);
        await submitted(world, { paymentCode });
        const { state } = await submitted(world, { paymentCode });
        demand(state === "DECLINED", `The second order is ${String(state)}.`);
      },
    ),
  ],
};

async function newCode({ buyer }: ProviderWorld): Promise<string> {
  const { paymentCode } = await buyer.control("payment-codes");
  if (typeof paymentCode !== "string")
    throw new NotSeen("the provider's control interface shows no payment code.");
  return paymentCode;
}
