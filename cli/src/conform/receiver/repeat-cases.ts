import { acknowledges } from "../../../../server/src/notifications/attempt.ts";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { demand, NotSeen, type Group } from "../case.ts";
import type { Answer } from "../exchange.ts";
import { signedHeaders } from "../signer.ts";
import { paymentBody } from "./notification-bodies.ts";
import {
  bytesOf,
  demandAcknowledged,
  demandOrder,
  newOrder,
  orderOf,
  post,
  type ReceiverWorld,
} from "./receiver-world.ts";

const applyOnce =
  "Keep the highest sequence of each paymentId, in the transaction in which you write to the order, and drop what is not higher; " +
  "`applyOnce` of the libraries does that. Acknowledge both.";

const isTaken = ({ status, text }: Answer): boolean => acknowledges(status, text);

/** Posts the same notification many times at once, each time signed anew. */
function postAtOnce(world: ReceiverWorld, body: object, count: number): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: count }, () => post(world, body)));
}

async function demandAppliedOnce(world: ReceiverWorld, order: string): Promise<void> {
  const { changes } = await orderOf(world, order);
  if (changes === undefined)
    throw new NotSeen(
      "the answer of --orders-url has no `changes`, the number of times that a notification changed the order.",
    );
  demand(changes === 1, `The order was changed ${changes} times.`);
}

export const repeats: Group<ReceiverWorld> = {
  name: "Again, late, and out of order",
  cases: [
    {
      id: "repeated",
      grade: "must",
      demands: "what comes again is acknowledged again",
      mend: `An answer can be lost, and then the gateway comes again. ${applyOnce}`,
      async find(world) {
        const body = paymentBody("paid", await newOrder(world));
        for (let time = 0; time < 3; time += 1) demandAcknowledged(await post(world, body));
      },
    },
    {
      id: "repeated-applied-once",
      grade: "must",
      demands: "what comes again is applied once",
      mend: applyOnce,
      async find(world) {
        const order = await newOrder(world);
        const body = paymentBody("paid", order);
        for (let time = 0; time < 3; time += 1) await post(world, body);
        await demandAppliedOnce(world, order);
      },
    },
    {
      id: "repeated-at-once",
      grade: "must",
      demands: "of eight that come at once one is acknowledged, and so is the next",
      mend: `Two processes may be told at the same moment. ${applyOnce}`,
      async find(world) {
        const body = paymentBody("paid", await newOrder(world));
        const answers = await postAtOnce(world, body, 8);
        demand(answers.some(isTaken), "None of the eight was acknowledged.");
        demandAcknowledged(await post(world, body));
      },
    },
    {
      id: "repeated-at-once-applied-once",
      grade: "must",
      demands: "eight that come at once are applied once",
      mend: `Two processes may be told at the same moment: lock what you compare. ${applyOnce}`,
      async find(world) {
        const order = await newOrder(world);
        await postAtOnce(world, paymentBody("paid", order), 8);
        await demandAppliedOnce(world, order);
      },
    },
    {
      id: "repeated-at-once-all",
      grade: "should",
      demands: "of eight that come at once all are acknowledged",
      mend: "Let the second wait for the first, and acknowledge both: whatever is refused comes again two minutes later.",
      async find(world) {
        const answers = await postAtOnce(world, paymentBody("paid", await newOrder(world)), 8);
        demand(answers.every(isTaken), `${answers.filter(isTaken).length} of 8 were acknowledged.`);
      },
    },
    {
      id: "many-at-once",
      grade: "must",
      demands: "32 different ones at once are acknowledged within ten seconds",
      mend: "The gateway sends up to 32 at once to an address that keeps up. Let them wait for a connection to your database.",
      async find(world) {
        const orders = await Promise.all(Array.from({ length: 32 }, () => newOrder(world)));
        const answers = await Promise.all(orders.map((order) => post(world, paymentBody("paid", order))));
        demand(answers.every(isTaken), `${answers.filter(isTaken).length} of 32 were acknowledged.`);
      },
    },
    {
      id: "replayed",
      grade: "should",
      demands: "the very same bytes with the same signature are acknowledged or refused, and break nothing",
      mend: "A replay inside of the window of time is harmless if you apply once: acknowledge it, or answer 401.",
      async find(world) {
        const body = bytesOf(paymentBody("paid", await newOrder(world)));
        const path = world.url.pathname + world.url.search;
        const headers = signedHeaders(world.signer, { path, body });
        await post(world, body, { headers });
        const { status } = await post(world, body, { headers });
        demand(status < 500, `It answered ${status}.`);
      },
    },
    {
      id: "pending-then-paid",
      grade: "must",
      demands: "what was pending becomes paid",
      mend: "Tell notifications apart by paymentId and sequence: a higher sequence is news.",
      async find(world) {
        const order = await newOrder(world);
        const pending = paymentBody("pending", order);
        const { paymentId } = pending;
        demandAcknowledged(await post(world, pending));
        demandAcknowledged(await post(world, paymentBody("paid", order, { paymentId })));
        if (world.ordersUrl) await demandOrder(world, order, "PAID");
      },
    },
    {
      id: "older-after-newer",
      grade: "must",
      demands: "an older notification after a newer one is acknowledged, and changes nothing",
      mend: `Notifications overtake each other. ${applyOnce}`,
      async find(world) {
        const order = await newOrder(world);
        const paid = paymentBody("paid", order);
        const { paymentId } = paid;
        demandAcknowledged(await post(world, paid));
        demandAcknowledged(await post(world, paymentBody("pending", order, { paymentId, sequence: 2 })));
        demandAcknowledged(await post(world, paymentBody("failed", order, { paymentId, sequence: 1 })));
        if (world.ordersUrl) await demandOrder(world, order, "PAID");
      },
    },
    {
      id: "before-its-order",
      grade: "must",
      demands: "what came before its order was there is applied when it comes again",
      mend: "Refuse, with 500 or 404, what you cannot apply yet, and do not remember it as applied: the gateway comes again.",
      async find(world) {
        const order = newRequestId("conform");
        if (!world.ordersUrl) await orderOf(world, order);
        const body = paymentBody("paid", order);
        await post(world, body);
        await orderOf(world, order);
        demandAcknowledged(await post(world, body));
        await demandOrder(world, order, "PAID");
      },
    },
    {
      id: "answer-lost",
      grade: "must",
      demands: "when the connection breaks before the answer, the next one is acknowledged",
      mend: `The gateway cannot know that you have applied it. ${applyOnce}`,
      async find(world) {
        const body = paymentBody("paid", await newOrder(world));
        await post(world, body, { cut: "whole" });
        demandAcknowledged(await post(world, body));
      },
    },
  ],
};
