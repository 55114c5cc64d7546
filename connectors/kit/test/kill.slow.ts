import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { FakeFault } from "../toy/fake-toy-state.ts";
import { startConnectorProcess } from "./connector-process.ts";
import { startTestServers, type Fields, type GatewayAnswer } from "./test-connector.ts";

const orderCount = 60;
const killEveryMs = 700;
const faults: readonly FakeFault[] = [
  "answer-lost",
  "acted-500",
  "rate-limited",
  "no-webhook",
  "webhook-twice",
];

/**
 * Both processes of a connector are killed with SIGKILL again and again, while the gateway creates, captures and
 * refunds orders and repeats each request without an answer. The provider loses answers and webhooks.
 */
test("kills and lost answers lose and double no order and no refund", async () => {
  const connector = await startTestServers(2, startConnectorProcess);
  const { call, fake, newOrder, servers } = connector;
  let isActive = true;
  let kills = 0;
  const killing = (async () => {
    for (let next = 0; isActive; next = 1 - next) {
      await wait(killEveryMs);
      await servers[next]?.kill();
      kills += 1;
      // The provider sends its webhooks to the process that runs.
      fake.webhooksUrl = servers[1 - next]?.webhooksUrl ?? "";
      await servers[next]?.start();
    }
  })();
  /** Repeats a request, as the gateway does, until its outcome is known. */
  const callUntilKnown = async (name: string, fields: Fields): Promise<GatewayAnswer> => {
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await call(name, fields, tries % 2).catch(() => undefined);
      if (answer && answer.resultStatus !== "U") return answer;
      await wait(100);
    }
    throw new Error(`${name} has no outcome.`);
  };
  const runOrder = async (number: number): Promise<string> => {
    await wait(number * 100);
    const order = newOrder();
    const { reference } = order;
    fake.inject(faults[number % faults.length] ?? "answer-lost");
    const { order: opened } = await callUntilKnown("submit", order);
    assert.equal(opened["state"], "OPEN");
    fake.act(reference, "approve");
    const refund = {
      reference,
      refundReference: `refund-${reference}`,
      amount: { currency: "EUR", value: "1250" },
    };
    if (number % 3 === 0) fake.inject("answer-lost");
    const answer = await callUntilKnown("refund", refund);
    assert.equal(answer.refund["state"], "DONE");
    return reference;
  };
  const references = await Promise.all(Array.from({ length: orderCount }, (_, number) => runOrder(number)));
  isActive = false;
  await killing;

  for (const reference of references) {
    const payments = fake.payments.filter((each) => each.reference === reference);
    const refunds = fake.operations.filter((each) => each.reference === `refund-${reference}`);
    assert.deepEqual([payments.length, refunds.length], [1, 1], reference);
    assert.equal((await call("inquire", { reference })).order["state"], "PAID");
    await connector.waitForCallback(
      (each) => (each["order"] as Fields | undefined)?.["reference"] === reference,
    );
  }
  assert.ok(kills >= 5, `${kills} kills`);
});
