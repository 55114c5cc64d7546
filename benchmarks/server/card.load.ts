import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  answerLost,
  cancelRaces,
  declinedCard,
  cardPaymentKinds,
  connectionLost,
  openLatePayment,
} from "../../server/test/shop/card-failures.ts";
import { startCardEnvironment } from "../../server/test/shop/card-environment.ts";
import { eventually } from "../../server/test/start/test-process.ts";

/** The test runs every failure with every kind of card payment, and hundreds of races. */
const world = await startCardEnvironment();
const latePayments = await Promise.all(cardPaymentKinds.map((kind) => openLatePayment(world, kind)));

for (const kind of cardPaymentKinds)
  for (const { name, run: happens } of [declinedCard, answerLost, connectionLost, cancelRaces])
    test(`a card that is ${kind.name}: ${name}`, () => happens(world, kind));

for (const { kind, submitLate: isSent } of latePayments)
  test(`a card that is ${kind.name}, submitted after the order expired: not paid`, isSent);

const roundsOfEach = 60;

for (const kind of cardPaymentKinds)
  test(`${roundsOfEach} cancels race with as many approvals of a card that is ${kind.name}: gateway, ledger and provider agree`, async (context) => {
    const outcomeCounts: Record<string, number> = {};
    for (let round = 0; round < roundsOfEach; round += 1) {
      const { paymentId, value } = await world.order(kind.more);
      const cardPage = await cardPageOf(paymentId);
      const submitCard = async (): Promise<void> => {
        await wait(round % 12);
        const body = new URLSearchParams({ number: "9999000000000004", expiry: "12/99", code: "123" });
        await fetch(cardPage, { method: "POST", body, redirect: "manual" });
      };
      await Promise.all([submitCard(), submitCard(), world.cancel(paymentId)]);
      const { status, keptMinor: kept, charges } = await world.waitForFinalState({ paymentId, value });
      const end = `${status}, the bank ${charges === 1 ? "approved first" : "got no request"}`;
      outcomeCounts[end] = (outcomeCounts[end] ?? 0) + 1;
      if (status !== "SUCCESS") assert.equal(kept, 0n);
    }
    context.diagnostic(JSON.stringify(outcomeCounts));
  });

test("captures race with a cancel of an authorized payment: captured or released, never both", async (context) => {
  const outcomeCounts: Record<string, number> = {};
  for (let round = 0; round < roundsOfEach; round += 1) {
    const { paymentId, value } = await world.order(cardPaymentKinds[1].more);
    await world.provider.control(paymentId, "approve");
    await world.waitForFinalState({ paymentId, value });
    const captureAmount = { currency: "EUR", value: "700" };
    const capture = { captureRequestId: `race-${round}`, paymentId, captureAmount, isLastCapture: true };
    await Promise.all([world.call("capture", capture), world.cancel(paymentId)]);
    await eventually(
      40_000,
      async () => (await world.call("capture", capture)).json.result["resultStatus"],
      (status) => status !== "U",
    );
    const { status, keptMinor: kept } = await world.waitForFinalState({ paymentId, value });
    assert.equal(kept, status === "SUCCESS" ? 700n : 0n);
    outcomeCounts[status] = (outcomeCounts[status] ?? 0) + 1;
  }
  context.diagnostic(JSON.stringify(outcomeCounts));
});

/** `cardPageOf` waits until the provider has the order, and returns the address of the card page. */
async function cardPageOf(paymentId: string): Promise<string> {
  const isOpened = (line: Readonly<Record<string, unknown>>): boolean =>
    line["kind"] === "submit" && line["paymentId"] === paymentId;
  const opened = await eventually(
    20_000,
    async () => world.provider.effects().find(isOpened),
    (line) => line !== undefined,
  );
  const { token = "" } = (opened?.["order"] ?? {}) as { readonly token?: string };
  return `${world.cardUrl}/pay/${token}`;
}
