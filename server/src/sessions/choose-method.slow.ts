import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser, expireLeases } from "../../test/start/test-database.ts";
import { newMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  newMerchantClient,
  chooseMethod,
  offerMethods,
  openSession,
  readCheckoutPage,
  readyHeading,
  waitForHeading,
  type OpenedSession,
} from "../../test/shop/test-session.ts";
import { startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const defaultFields = {
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  simulator: true,
  url: provider.url,
};
const connect = (name: string, method: string, terms: object): Promise<void> =>
  addConnector(database.ownerUrl, "sandbox", { ...defaultFields, name, paymentMethodTypes: [method], terms });
await connect("peso-provider", "PESOPAY", { currencies: ["PHP"] });
await connect("quick-provider", "QUICKPAY", { captures: "NONE" });
await connect("careful-provider", "CAREFULPAY", { idempotentByReference: false });
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const merchantClient = newMerchantClient(url, merchant);
const { codeOf, waitForStatus: untilStatus } = merchantClient;
const open = (otherFields: object = {}, from = merchantClient): Promise<OpenedSession> =>
  openSession(from, otherFields);

/** Number of entries of one kind for a payment in the provider's journal. */
function effects(paymentId: string, kind: string): number {
  return provider.effects().filter((line) => line["kind"] === kind && line["paymentId"] === paymentId).length;
}

test("concurrent choices in many tabs create one order at one provider", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { paymentId, pageUrl } = await open();
    const types = ["GCASH", "DANA", "QUICKPAY", "TRUEMONEY", "GCASH", "BOOST"];
    const answers = await Promise.all(types.map((type) => chooseMethod(pageUrl, type)));
    assert.ok(answers.every(({ status }) => status === 303));
    await waitForHeading(pageUrl, readyHeading);
    assert.equal((await chooseMethod(pageUrl, "OVO")).status, 303);
    assert.equal(effects(paymentId, "submit"), 1);
    const rows = await asSuperuser<{ job: string }>(
      "select job from jobs where subject_id = $1",
      [paymentId],
      database.superuserUrl,
    );
    assert.deepEqual(rows, [{ job: "drive-payment" }]);
  }
});

test("a provider that is not idempotent gets the order of a session once, and is paid", async () => {
  const { id, paymentId, pageUrl } = await open(offerMethods("CAREFULPAY"));
  await chooseMethod(pageUrl, "CAREFULPAY");
  await waitForHeading(pageUrl, readyHeading);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "submit"), 1);
});

test("an authorization in a session is held, and captured later", async () => {
  const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
  const { id, paymentId, pageUrl } = await open({ paymentFactor });
  // The provider QUICKPAY does not support authorizations, so the page does not offer it.
  assert.ok(!(await readCheckoutPage(pageUrl)).methods.includes("QUICKPAY"));
  await chooseMethod(pageUrl, "GCASH");
  await waitForHeading(pageUrl, readyHeading);
  await provider.control(paymentId, "approve");
  assert.ok((await untilStatus(id, "SUCCESS")).json["authExpiryTime"]);
  assert.equal(effects(paymentId, "authorized"), 1);
});

test("a method that is not offered, or unknown, cannot be chosen", async () => {
  const { paymentId, pageUrl } = await open(offerMethods("GCASH", "PESOPAY"));
  assert.deepEqual((await readCheckoutPage(pageUrl)).methods, ["GCASH"]);
  for (const wanted of ["PESOPAY", "DANA", "NOSUCHPAY", "", "x".repeat(10_000)])
    assert.equal((await chooseMethod(pageUrl, wanted)).status, 303);
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Choose how to pay");
  assert.equal(effects(paymentId, "submit"), 0);
});

test("a forged link cannot choose a method", async () => {
  const { pageUrl } = await open();
  const forged = pageUrl.slice(0, -1) + (pageUrl.endsWith("A") ? "B" : "A");
  assert.equal((await chooseMethod(forged, "GCASH")).status, 404);
  const { paymentSessionData: otherData } = (await open()).answer.json as Record<string, string>;
  const mixed = [...pageUrl.split(".").slice(0, -1), otherData?.split(".").at(-1)].join(".");
  assert.equal((await chooseMethod(mixed, "GCASH")).status, 404);
  assert.equal((await readCheckoutPage(pageUrl)).heading, "Choose how to pay");
});

test("a choice and a cancel at the same time end cancelled, and the order cannot be paid", async (t) => {
  let sent = 0;
  for (let round = 0; round < 15; round += 1) {
    const { id, paymentId, pageUrl } = await open();
    const cancel = delay(round).then(() => codeOf("payments/cancel", { paymentRequestId: id }));
    await Promise.all([chooseMethod(pageUrl, "GCASH"), cancel]);
    await eventually(
      15_000,
      () => codeOf("payments/cancel", { paymentRequestId: id }),
      (code) => code === "SUCCESS",
    );
    const isSent = effects(paymentId, "submit") > 0;
    if (isSent) sent += 1;
    // The provider's control API waits for an order in flight, so the test calls it only if an order was sent.
    if (isSent) await provider.control(paymentId, "approve");
    assert.equal(effects(paymentId, "paid"), 0);
    assert.equal((await untilStatus(id, "CANCELLED")).json["paymentStatus"], "CANCELLED");
  }
  t.diagnostic(`${sent} of 15 orders had reached the provider`);
});

test("a buyer who chooses late still has the full time to pay, and no longer", async () => {
  const otherMerchant = newMerchantClient(url, await newMerchant(database));
  const { id, pageUrl } = await open({}, otherMerchant);
  await otherMerchant.request("tollgate/advanceClock", { turnRequestId: "late", bySeconds: 3_500 });
  await chooseMethod(pageUrl, "GCASH");
  await waitForHeading(pageUrl, readyHeading);
  await otherMerchant.request("tollgate/advanceClock", { turnRequestId: "later", bySeconds: 800 });
  assert.match((await readCheckoutPage(pageUrl)).heading, readyHeading);
  await otherMerchant.request("tollgate/advanceClock", { turnRequestId: "too-late", bySeconds: 60 });
  assert.equal((await otherMerchant.waitForStatus(id, "FAIL")).json["paymentResultCode"], "ORDER_IS_CLOSED");
});

test("if the provider's response to a choice is lost, it is queried again, and there is one order", async () => {
  await provider.fault({ kind: "answer-lost", match: { verb: "submit" }, count: 1 });
  const { id, paymentId, pageUrl } = await open();
  await chooseMethod(pageUrl, "GCASH");
  await waitForHeading(pageUrl, readyHeading);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "paid"), 1);
});

test("a crash in the middle of a choice leaves one order, or no choice", async () => {
  const points = [
    "before-claim",
    "after-claim-commit",
    "before-provider-call",
    "after-provider-call",
  ] as const;
  const died = points.map(async (crashAt) => {
    const dying = await stack.serve({ crashAt });
    const { id, paymentId, pageUrl } = await open();
    const dyingUrl = pageUrl.replace(url, dying.url);
    const choose = (): Promise<number> =>
      chooseMethod(dyingUrl, "GCASH").then(
        ({ status }) => status,
        () => 0,
      );
    // A process that has just started may reject requests because of overload (503), so the test retries.
    await eventually(20_000, choose, (status) => status !== 503);
    await Promise.race([dying.process.exited, delay(10_000)]);
    assert.notEqual(dying.process.child.signalCode, null, crashAt);
    return { crashAt, id, paymentId, pageUrl };
  });
  const unfinished = await Promise.all(died);
  // A worker takes over the job after its lease has expired.
  await expireLeases(database);
  for (const { crashAt, id, paymentId, pageUrl } of unfinished) {
    if (crashAt === "before-claim") {
      assert.equal((await readCheckoutPage(pageUrl)).heading, "Choose how to pay");
      await chooseMethod(pageUrl, "DANA");
    }
    await waitForHeading(pageUrl, readyHeading, 40_000);
    await provider.control(paymentId, "approve");
    await untilStatus(id, "SUCCESS");
    assert.equal(effects(paymentId, "paid"), 1);
  }
});
