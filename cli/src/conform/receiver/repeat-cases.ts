import { isAcknowledgingAnswer } from "../../../../server/src/notifications/delivery-attempt.ts";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { ensure, NotObservable, type CaseGroup } from "../conformance-case.ts";
import type { Answer } from "../send-request.ts";
import { signHeaders } from "../signer.ts";
import { buildPaymentBody } from "./notification-bodies.ts";
import {
  toBytes,
  requireAcknowledged,
  requireOrderStatus,
  newOrder,
  fetchOrder,
  postWebhook,
  type ReceiverContext,
} from "./receiver-context.ts";

const applyOnceFix =
  "Store the highest sequence of each paymentId in the transaction that changes the order, and ignore webhooks whose sequence " +
  "is not higher. `applyOnce` of the client libraries does this. Acknowledge both.";

const isAcknowledged = ({ status, text }: Answer): boolean => isAcknowledgingAnswer(status, text);

/** Posts the same webhook several times at once, each time with a new signature. */
function postConcurrently(context: ReceiverContext, body: object, count: number): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: count }, () => postWebhook(context, body)));
}

async function requireAppliedOnce(context: ReceiverContext, order: string): Promise<void> {
  const { changes } = await fetchOrder(context, order);
  if (changes === undefined)
    throw new NotObservable(
      "the response of --orders-url has no `changes`, the number of webhooks that changed the order.",
    );
  ensure(changes === 1, `The order was changed ${changes} times.`);
}

export const repeatCases: CaseGroup<ReceiverContext> = {
  name: "Repeated, late and out of order",
  cases: [
    {
      id: "repeated",
      grade: "must",
      demands: "a repeated webhook is acknowledged again",
      fix: `A response can be lost, and then the gateway sends again. ${applyOnceFix}`,
      async check(context) {
        const body = buildPaymentBody("paid", await newOrder(context));
        for (let time = 0; time < 3; time += 1) requireAcknowledged(await postWebhook(context, body));
      },
    },
    {
      id: "repeated-applied-once",
      grade: "must",
      demands: "a repeated webhook is applied once",
      fix: applyOnceFix,
      async check(context) {
        const order = await newOrder(context);
        const body = buildPaymentBody("paid", order);
        for (let time = 0; time < 3; time += 1) await postWebhook(context, body);
        await requireAppliedOnce(context, order);
      },
    },
    {
      id: "repeated-at-once",
      grade: "must",
      demands: "of eight concurrent copies at least one is acknowledged, and so is the next copy",
      fix: `Two processes may receive the same webhook at the same moment. ${applyOnceFix}`,
      async check(context) {
        const body = buildPaymentBody("paid", await newOrder(context));
        const answers = await postConcurrently(context, body, 8);
        ensure(answers.some(isAcknowledged), "None of the eight was acknowledged.");
        requireAcknowledged(await postWebhook(context, body));
      },
    },
    {
      id: "repeated-at-once-applied-once",
      grade: "must",
      demands: "eight concurrent copies are applied once",
      fix: `Two processes may receive the same webhook at the same moment: lock the row that you compare. ${applyOnceFix}`,
      async check(context) {
        const order = await newOrder(context);
        await postConcurrently(context, buildPaymentBody("paid", order), 8);
        await requireAppliedOnce(context, order);
      },
    },
    {
      id: "repeated-at-once-all",
      grade: "should",
      demands: "of eight concurrent copies all are acknowledged",
      fix: "Let the second wait for the first, and acknowledge both: the gateway repeats a rejected webhook two minutes later.",
      async check(context) {
        const answers = await postConcurrently(context, buildPaymentBody("paid", await newOrder(context)), 8);
        ensure(
          answers.every(isAcknowledged),
          `${answers.filter(isAcknowledged).length} of 8 were acknowledged.`,
        );
      },
    },
    {
      id: "many-at-once",
      grade: "must",
      demands: "32 different webhooks at once are acknowledged within ten seconds",
      fix: "The gateway sends up to 32 webhooks at once to an address that keeps up. Let them wait for a connection to your database.",
      async check(context) {
        const orders = await Promise.all(Array.from({ length: 32 }, () => newOrder(context)));
        const answers = await Promise.all(
          orders.map((order) => postWebhook(context, buildPaymentBody("paid", order))),
        );
        ensure(
          answers.every(isAcknowledged),
          `${answers.filter(isAcknowledged).length} of 32 were acknowledged.`,
        );
      },
    },
    {
      id: "replayed",
      grade: "should",
      demands: "identical bytes with the same signature are acknowledged or rejected, and cause no error",
      fix: "A replay within the clock tolerance is harmless if you apply once: acknowledge it, or answer 401.",
      async check(context) {
        const body = toBytes(buildPaymentBody("paid", await newOrder(context)));
        const path = context.url.pathname + context.url.search;
        const headers = signHeaders(context.signer, { path, body });
        await postWebhook(context, body, { headers });
        const { status } = await postWebhook(context, body, { headers });
        ensure(status < 500, `It answered ${status}.`);
      },
    },
    {
      id: "pending-then-paid",
      grade: "must",
      demands: "a pending payment becomes paid",
      fix: "Identify webhooks by paymentId and sequence: a higher sequence is a newer state.",
      async check(context) {
        const order = await newOrder(context);
        const pending = buildPaymentBody("pending", order);
        const { paymentId } = pending;
        requireAcknowledged(await postWebhook(context, pending));
        requireAcknowledged(await postWebhook(context, buildPaymentBody("paid", order, { paymentId })));
        if (context.ordersUrl) await requireOrderStatus(context, order, "PAID");
      },
    },
    {
      id: "older-after-newer",
      grade: "must",
      demands: "an older webhook after a newer one is acknowledged, and changes nothing",
      fix: `Webhooks can arrive out of order. ${applyOnceFix}`,
      async check(context) {
        const order = await newOrder(context);
        const paid = buildPaymentBody("paid", order);
        const { paymentId } = paid;
        requireAcknowledged(await postWebhook(context, paid));
        requireAcknowledged(
          await postWebhook(context, buildPaymentBody("pending", order, { paymentId, sequence: 2 })),
        );
        requireAcknowledged(
          await postWebhook(context, buildPaymentBody("failed", order, { paymentId, sequence: 1 })),
        );
        if (context.ordersUrl) await requireOrderStatus(context, order, "PAID");
      },
    },
    {
      id: "before-its-order",
      grade: "must",
      demands: "a webhook that arrives before its order exists is applied when it is repeated",
      fix: "Reject a webhook that you can not apply yet, with 500 or 404, and do not store it as applied: the gateway sends it again.",
      async check(context) {
        const order = newRequestId("conform");
        if (!context.ordersUrl) await fetchOrder(context, order);
        const body = buildPaymentBody("paid", order);
        await postWebhook(context, body);
        await fetchOrder(context, order);
        requireAcknowledged(await postWebhook(context, body));
        await requireOrderStatus(context, order, "PAID");
      },
    },
    {
      id: "answer-lost",
      grade: "must",
      demands: "if the connection breaks before the response, the next copy is acknowledged",
      fix: `The gateway can not know that you have applied it. ${applyOnceFix}`,
      async check(context) {
        const body = buildPaymentBody("paid", await newOrder(context));
        await postWebhook(context, body, { cut: "whole" });
        requireAcknowledged(await postWebhook(context, body));
      },
    },
  ],
};
