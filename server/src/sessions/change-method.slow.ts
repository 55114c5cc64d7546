import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { asSuperuser, expireLeases } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  newMerchantClient,
  requestMethodChange,
  chooseMethod,
  openSession,
  readyHeading,
  readCheckoutPage,
  waitForHeading,
  type OpenedSession,
} from "../../test/shop/test-session.ts";
import { startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const merchantClient = newMerchantClient(url, merchant);
const { codeOf, waitForStatus: untilStatus } = merchantClient;
const choosing = "Choose how to pay";

/** A session whose buyer has chosen a payment method. */
async function openAndChoose(method = "GCASH", otherFields: object = {}): Promise<OpenedSession> {
  const session = await openSession(merchantClient, otherFields);
  await chooseMethod(session.pageUrl, method);
  await waitForHeading(session.pageUrl, readyHeading);
  return session;
}

function effects(paymentId: string, kind: string): readonly Readonly<Record<string, unknown>>[] {
  return provider.effects().filter((line) => line["kind"] === kind && line["paymentId"] === paymentId);
}

async function jobsOf(paymentId: string): Promise<readonly string[]> {
  const text = "select job from jobs where subject_id = $1 order by job";
  const rows = await asSuperuser<{ job: string }>(text, [paymentId], database.superuserUrl);
  return rows.map(({ job }) => job);
}

test("a buyer who changes to another payment method pays there once, and the first order is closed", async () => {
  const { id, paymentId, pageUrl } = await openAndChoose();
  await requestMethodChange(pageUrl);
  await waitForHeading(pageUrl, choosing);
  assert.deepEqual(await jobsOf(paymentId), ["close-session"]);
  assert.equal(
    (await merchantClient.request("payments/inquiryPayment", { paymentRequestId: id })).json["paymentStatus"],
    "PROCESSING",
  );

  await chooseMethod(pageUrl, "DANA");
  assert.equal((await waitForHeading(pageUrl, readyHeading)).heading, "Pay with DANA");
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  const references = effects(paymentId, "submit").map(({ reference }) => reference);
  assert.equal(new Set(references).size, 2);
  assert.deepEqual(
    effects(paymentId, "paid").map(({ reference }) => reference),
    references.slice(1),
  );
  assert.deepEqual(await jobsOf(paymentId), []);
  await requestMethodChange(pageUrl);
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Paid");
});

test("a later callback for an order that the buyer left is accepted, and changes nothing", async () => {
  const { id, paymentId, pageUrl } = await openAndChoose();
  await provider.fault({ kind: "callback-drop", match: { verb: "callback", paymentId }, count: 1 });
  await requestMethodChange(pageUrl);
  await waitForHeading(pageUrl, choosing);
  await chooseMethod(pageUrl, "DANA");
  await waitForHeading(pageUrl, readyHeading);
  // The gateway acknowledges the callback about the first order, because a refusal would make the provider repeat the
  // callback without limit.
  const [first] = effects(paymentId, "submit").map(({ reference }) => reference);
  const isConfirmed = async (): Promise<boolean> =>
    effects(paymentId, "callback").some(({ reference }) => reference === first);
  await eventually(20_000, isConfirmed, (confirmed) => confirmed);
  assert.match((await readCheckoutPage(pageUrl)).heading, readyHeading);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "paid").length, 1);
});

test("a buyer who pays before the close arrives has paid, and cannot choose again", async () => {
  const { id, paymentId, pageUrl } = await openAndChoose();
  await provider.fault({ kind: "pay-on-cancel", match: { paymentId }, count: 1 });
  await requestMethodChange(pageUrl);
  await untilStatus(id, "SUCCESS");
  await chooseMethod(pageUrl, "DANA");
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Paid");
  assert.equal(effects(paymentId, "submit").length, 1);
});

test("repeated changes leave one open order, and their number is limited", async () => {
  const { id, paymentId, pageUrl } = await openAndChoose();
  for (let round = 0; round < 10; round += 1) {
    await requestMethodChange(pageUrl);
    await waitForHeading(pageUrl, choosing);
    await chooseMethod(pageUrl, round % 2 === 0 ? "DANA" : "GCASH");
    await waitForHeading(pageUrl, readyHeading);
  }
  assert.ok(!(await readCheckoutPage(pageUrl)).text.includes('name="change"'));
  await requestMethodChange(pageUrl);
  assert.match((await readCheckoutPage(pageUrl)).heading, readyHeading);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "submit").length, 11);
  assert.equal(effects(paymentId, "paid").length, 1);
});

test("change and payment at the same time: paid once, or unpaid with a new choice", async (t) => {
  let paid = 0;
  for (let round = 0; round < 12; round += 1) {
    const { id, paymentId, pageUrl } = await openAndChoose();
    await Promise.all([
      delay(round * 3).then(() => provider.control(paymentId, "approve")),
      requestMethodChange(pageUrl),
    ]);
    const { heading } = await waitForHeading(pageUrl, /^(Paid|Choose how to pay)$/);
    assert.equal(effects(paymentId, "paid").length, heading === "Paid" ? 1 : 0, heading);
    if (heading === "Paid") paid += 1;
    else {
      await chooseMethod(pageUrl, "DANA");
      await waitForHeading(pageUrl, readyHeading);
      await provider.control(paymentId, "approve");
    }
    await untilStatus(id, "SUCCESS");
    assert.equal(effects(paymentId, "paid").length, 1);
  }
  t.diagnostic(`${paid} of 12 were paid at the first provider`);
});

test("change and authorization at the same time: authorized once, or not at all with a new choice", async (t) => {
  let held = 0;
  const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
  for (let round = 0; round < 8; round += 1) {
    const { id, paymentId, pageUrl } = await openAndChoose("GCASH", { paymentFactor });
    await Promise.all([
      provider.control(paymentId, "approve"),
      delay(round * 3).then(() => requestMethodChange(pageUrl)),
    ]);
    const { heading } = await waitForHeading(pageUrl, /^(Reserved|Choose how to pay)$/);
    if (heading === "Reserved") held += 1;
    else {
      await chooseMethod(pageUrl, "DANA");
      await waitForHeading(pageUrl, readyHeading);
      await provider.control(paymentId, "approve");
    }
    await untilStatus(id, "SUCCESS");
    // The payment is reported as SUCCESS and was really authorized, so the test can capture it.
    const captureAmount = { currency: "EUR", value: "1250" };
    const capture = { captureRequestId: `capture-${id}`, paymentId, captureAmount };
    assert.equal(await codeOf("payments/capture", capture), "SUCCESS");
    assert.equal(effects(paymentId, "captured").length, 1);
  }
  t.diagnostic(`${held} of 8 were authorized at the first provider`);
});

test("change, choice and cancel at the same time end cancelled, and the order cannot be paid", async () => {
  for (let round = 0; round < 8; round += 1) {
    const { id, paymentId, pageUrl } = await openAndChoose();
    const cancel = delay(round * 2).then(() => codeOf("payments/cancel", { paymentRequestId: id }));
    await Promise.all([requestMethodChange(pageUrl).then(() => chooseMethod(pageUrl, "DANA")), cancel]);
    await eventually(
      15_000,
      () => codeOf("payments/cancel", { paymentRequestId: id }),
      (code) => code === "SUCCESS",
    );
    await provider.control(paymentId, "approve");
    assert.equal(effects(paymentId, "paid").length, 0);
    await untilStatus(id, "CANCELLED");
  }
});

test("a late response of the first provider is not taken for that of the second", async () => {
  const { id, paymentId, pageUrl } = await openSession(merchantClient);
  // The first provider's response arrives before the response of the second.
  await provider.fault({
    kind: "late-answer",
    delayMs: 3_000,
    match: { verb: "submit", paymentId },
    count: 2,
  });
  await chooseMethod(pageUrl, "GCASH");
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Getting your payment ready");
  await requestMethodChange(pageUrl);
  await waitForHeading(pageUrl, choosing);
  await chooseMethod(pageUrl, "DANA");
  const { text } = await waitForHeading(pageUrl, readyHeading);
  const address = /class="button" href="([^"]+)"/.exec(text)?.[1] ?? "";
  assert.match(await (await fetch(address)).text(), /Approve/, "The order of the shown page can be paid.");
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "paid").length, 1);
});

test("if the first provider does not respond, the buyer has to wait and cannot pay twice", async () => {
  const { id, paymentId, pageUrl } = await openAndChoose();
  await provider.fault({ kind: "refuse-connection", match: { verb: "cancel" }, count: 2 });
  await requestMethodChange(pageUrl);
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Taking your choice back");
  assert.equal((await chooseMethod(pageUrl, "DANA")).status, 303);
  assert.equal(effects(paymentId, "submit").length, 1);
  await waitForHeading(pageUrl, choosing, 40_000);
  await chooseMethod(pageUrl, "DANA");
  await waitForHeading(pageUrl, readyHeading);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
});

test("a crash in the middle of a change leaves the first order, or the choice", async () => {
  const points = [
    "before-claim",
    "after-claim-commit",
    "before-provider-call",
    "after-provider-call",
  ] as const;
  const died = points.map(async (crashAt) => {
    const session = await openAndChoose();
    const dying = await stack.serve({ crashAt });
    const dyingUrl = session.pageUrl.replace(url, dying.url);
    const change = (): Promise<number> =>
      requestMethodChange(dyingUrl).then(
        ({ status }) => status,
        () => 0,
      );
    // A process that has just started may reject requests because of overload (503), so the test retries.
    await eventually(20_000, change, (status) => status !== 503);
    await Promise.race([dying.process.exited, delay(10_000)]);
    assert.notEqual(dying.process.child.signalCode, null, crashAt);
    return { ...session, crashAt };
  });
  const unfinished = await Promise.all(died);
  await expireLeases(database);
  for (const { crashAt, id, paymentId, pageUrl } of unfinished) {
    if (crashAt === "before-claim") {
      assert.match((await readCheckoutPage(pageUrl)).heading, readyHeading);
      await requestMethodChange(pageUrl);
    }
    await waitForHeading(pageUrl, choosing, 40_000);
    await chooseMethod(pageUrl, "DANA");
    await waitForHeading(pageUrl, readyHeading);
    await provider.control(paymentId, "approve");
    await untilStatus(id, "SUCCESS");
    assert.equal(effects(paymentId, "paid").length, 1);
  }
});
