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
  "Store the highest sequence of each paymentId in the transaction that changes the order, and ignore webhooks whose sequence " +
  "is not higher. `applyOnce` of the client libraries does this. Acknowledge both.";

const isTaken = ({ status, text }: Answer): boolean => acknowledges(status, text);

/** Posts the same webhook several times at once, each time with a new signature. */
function postAtOnce(world: ReceiverWorld, body: object, count: number): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: count }, () => post(world, body)));
}

async function demandAppliedOnce(world: ReceiverWorld, order: string): Promise<void> {
  const { changes } = await orderOf(world, order);
  if (changes === undefined)
    throw new NotSeen(
      "the response of --orders-url has no `changes`, the number of webhooks that changed the order.",
    );
  demand(changes === 1, `The order was changed ${changes} times.`);
}

export const repeats: Group<ReceiverWorld> = {
  name: "Repeated, late and out of order",
  cases: [
    {
      id: "repeated",
      grade: "must",
      demands: "a repeated webhook is acknowledged again",
      fix: `A response can be lost, and then the gateway sends again. ${applyOnce}`,
      async find(world) {
        const body = paymentBody("paid", await newOrder(world));
        for (let time = 0; time < 3; time += 1) demandAcknowledged(await post(world, body));
      },
    },
    {
      id: "repeated-applied-once",
      grade: "must",
      demands: "a repeated webhook is applied once",
      fix: applyOnce,
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
      demands: "of eight concurrent copies at least one is acknowledged, and so is the next copy",
      fix: `Two processes may receive the same webhook at the same moment. ${applyOnce}`,
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
      demands: "eight concurrent copies are applied once",
      fix: `Two processes may receive the same webhook at the same moment: lock the row that you compare. ${applyOnce}`,
      async find(world) {
        const order = await newOrder(world);
        await postAtOnce(world, paymentBody("paid", order), 8);
        await demandAppliedOnce(world, order);
      },
    },
    {
      id: "repeated-at-once-all",
      grade: "should",
      demands: "of eight concurrent copies all are acknowledged",
      fix: "Let the second wait for the first, and acknowledge both: the gateway repeats a rejected webhook two minutes later.",
      async find(world) {
        const answers = await postAtOnce(world, paymentBody("paid", await newOrder(world)), 8);
        demand(answers.every(isTaken), `${answers.filter(isTaken).length} of 8 were acknowledged.`);
      },
    },
    {
      id: "many-at-once",
      grade: "must",
      demands: "32 different webhooks at once are acknowledged within ten seconds",
      fix: "The gateway sends up to 32 webhooks at once to an address that keeps up. Let them wait for a connection to your database.",
      async find(world) {
        const orders = await Promise.all(Array.from({ length: 32 }, () => newOrder(world)));
        const answers = await Promise.all(orders.map((order) => post(world, paymentBody("paid", order))));
        demand(answers.every(isTaken), `${answers.filter(isTaken).length} of 32 were acknowledged.`);
      },
    },
    {
      id: "replayed",
      grade: "should",
      demands: "identical bytes with the same signature are acknowledged or rejected, and cause no error",
      fix: "A replay within the clock tolerance is harmless if you apply once: acknowledge it, or answer 401.",
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
      demands: "a pending payment becomes paid",
      fix: "Identify webhooks by paymentId and sequence: a higher sequence is a newer state.",
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
      demands: "an older webhook after a newer one is acknowledged, and changes nothing",
      fix: `Webhooks can arrive out of order. ${applyOnce}`,
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
      demands: "a webhook that arrives before its order exists is applied when it is repeated",
      fix: "Reject a webhook that you can not apply yet, with 500 or 404, and do not store it as applied: the gateway sends it again.",
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
      demands: "if the connection breaks before the response, the next copy is acknowledged",
      fix: `The gateway can not know that you have applied it. ${applyOnce}`,
      async find(world) {
        const body = paymentBody("paid", await newOrder(world));
        await post(world, body, { cut: "whole" });
        demandAcknowledged(await post(world, body));
      },
    },
  ],
};
