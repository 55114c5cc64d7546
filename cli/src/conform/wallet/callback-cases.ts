import { setTimeout as wait } from "node:timers/promises";
import { demand, must, NotSeen, should, type Group } from "../case.ts";
import type { Callback, CallbackAddress, Reaction } from "./callback-listener.ts";
import { inquired, submitted, type Fields, type WalletOrder, type WalletWorld } from "./wallet-world.ts";

/** An order that was paid, and the address at which the gateway hears of it. */
async function paidAndTold(
  world: WalletWorld,
  ...reactions: Reaction[]
): Promise<{ readonly order: WalletOrder; readonly address: CallbackAddress }> {
  const address = world.callbacks.open(...reactions);
  const order = await submitted(world, { callbackUrl: address.url });
  await world.buyer.decide(order, "approve");
  return { order, address };
}

async function first(world: WalletWorld, address: CallbackAddress): Promise<Callback> {
  const [callback] = await address.until(1, world.patienceMs);
  demand(callback !== undefined, `No callback came to ${address.url} within ${world.patienceMs / 1000} s.`);
  return callback;
}

/** What each way of not being heard has to lead to. */
const deafness: Readonly<Record<Exclude<Reaction, "S">, string>> = {
  "HTTP 500": "answered HTTP 500",
  unsigned: "answered S without the gateway's signature",
  U: "answered U: the gateway asks before it believes",
};

export const callbackCases: Group<WalletWorld> = {
  name: "Callbacks",
  cases: [
    must(
      "callback",
      "a payment is told to the order's callbackUrl, with eventId, reference and the order",
      "POST eventId, reference and order at every change of state. If it was sent: can it reach this machine? See --listen-url.",
      async (world) => {
        const { order, address } = await paidAndTold(world, "S");
        const { eventId, reference, json } = await first(world, address);
        demand(typeof eventId === "string" && eventId !== "", "eventId is missing.");
        demand(reference === order.reference, "The reference is another order's.");
        const { state } = (json["order"] ?? {}) as Fields;
        demand(state === "PAID", `The order in it is ${String(state)}, and not PAID.`);
      },
    ),
    must(
      "callback-signed",
      "a callback is signed over the path and query of its address, with the time of now",
      "Sign `POST <path and query of callbackUrl>`, a line feed, `<partner id>.<request-time>.<body>`, with a new time in each attempt.",
      async (world) => {
        const { address } = await paidAndTold(world, "S");
        const { isSigned, isFresh } = await first(world, address);
        demand(isSigned, "The signature does not hold.");
        demand(isFresh, "The time is more than ten minutes from our clock.");
      },
    ),
    must(
      "callback-true",
      "a callback and an inquiry tell the same",
      "Tell the order as it was written down: amount, paidAmount, state and sequence.",
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
      must<WalletWorld>(
        `callback-repeated-${reaction.toLowerCase().replace(" ", "-")}`,
        `a callback that was ${what} comes again, under the same eventId`,
        "Repeat until the answer is HTTP 200, signed by the gateway, with resultStatus S. If it comes later than this waits: --patience SECONDS.",
        async (world) => {
          const { address } = await paidAndTold(world, reaction as Reaction, "S");
          const [one, other] = await address.until(2, world.patienceMs);
          demand(one !== undefined, "No callback came at all.");
          demand(other !== undefined, `It did not come again within ${world.patienceMs / 1000} s.`);
          demand(one.eventId === other.eventId, "The second has another eventId.");
          demand(other.isSigned, "The signature of the second does not hold.");
        },
      ),
    ),
    should(
      "callback-heard",
      "a callback that was heard does not come again",
      "Stop when the answer is S: it costs both sides, although it does no harm.",
      async (world) => {
        const { address } = await paidAndTold(world, "S");
        await first(world, address);
        await wait(300);
        demand(address.received.length === 1, `It came ${address.received.length} times.`);
      },
    ),
  ],
};

/** What a payment code, shown by the sandbox's wallet, has to do. */
export const codeCases: Group<WalletWorld> = {
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
      "a good payment code pays at once",
      "Decide in the answer: PAID, or OPEN if the buyer has to confirm.",
      async (world) => {
        const order = await submitted(world, { paymentCode: await newCode(world) });
        demand(order.state === "PAID", `The order is ${String(order.state)}.`);
      },
    ),
    must(
      "code-twice",
      "a payment code pays one order only",
      "Use it up with the first: the second is DECLINED, INVALID_CODE.",
      async (world) => {
        const paymentCode = await newCode(world);
        await submitted(world, { paymentCode });
        const { state } = await submitted(world, { paymentCode });
        demand(state === "DECLINED", `The second order is ${String(state)}.`);
      },
    ),
  ],
};

async function newCode({ buyer }: WalletWorld): Promise<string> {
  const { paymentCode } = await buyer.control("payment-codes");
  if (typeof paymentCode !== "string") throw new NotSeen("the wallet's control shows no payment code.");
  return paymentCode;
}
