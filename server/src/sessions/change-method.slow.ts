import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { asSuperuser, endLeases } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  asMerchant,
  changeOn,
  chooseOn,
  openSession,
  readyHeading,
  shownOn,
  untilHeading,
  type OpenedSession,
} from "../../test/shop/test-session.ts";
import { startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, wallet, database } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const asked = asMerchant(url, merchant);
const { codeOf, untilStatus } = asked;
const choosing = "Choose how to pay";

/** A session whose buyer has chosen a wallet. */
async function chosen(method = "GCASH", more: object = {}): Promise<OpenedSession> {
  const session = await openSession(asked, more);
  await chooseOn(session.pageUrl, method);
  await untilHeading(session.pageUrl, readyHeading);
  return session;
}

function effects(paymentId: string, kind: string): readonly Readonly<Record<string, unknown>>[] {
  return wallet.effects().filter((line) => line["kind"] === kind && line["paymentId"] === paymentId);
}

async function jobsOf(paymentId: string): Promise<readonly string[]> {
  const text = "select job from jobs where subject_id = $1 order by job";
  const rows = await asSuperuser<{ job: string }>(text, [paymentId], database.superuserUrl);
  return rows.map(({ job }) => job);
}

test("a buyer who takes another wallet pays there, once, and the first order is closed", async () => {
  const { id, paymentId, pageUrl } = await chosen();
  await changeOn(pageUrl);
  await untilHeading(pageUrl, choosing);
  assert.deepEqual(await jobsOf(paymentId), ["close-session"]);
  assert.equal(
    (await asked.ask("payments/inquiryPayment", { paymentRequestId: id })).json["paymentStatus"],
    "PROCESSING",
  );

  await chooseOn(pageUrl, "DANA");
  assert.equal((await untilHeading(pageUrl, readyHeading)).heading, "Pay with DANA");
  await wallet.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  const references = effects(paymentId, "submit").map(({ reference }) => reference);
  assert.equal(new Set(references).size, 2);
  assert.deepEqual(
    effects(paymentId, "paid").map(({ reference }) => reference),
    references.slice(1),
  );
  assert.deepEqual(await jobsOf(paymentId), []);
  await changeOn(pageUrl);
  assert.equal((await shownOn(pageUrl)).heading, "Paid");
});

test("what a wallet says later of an order that was left is taken, and changes nothing", async () => {
  const { id, paymentId, pageUrl } = await chosen();
  await wallet.fault({ kind: "callback-drop", match: { verb: "callback", paymentId }, count: 1 });
  await changeOn(pageUrl);
  await untilHeading(pageUrl, choosing);
  await chooseOn(pageUrl, "DANA");
  await untilHeading(pageUrl, readyHeading);
  // A refusal would have the wallet repeat it for ever.
  const [first] = effects(paymentId, "submit").map(({ reference }) => reference);
  const isConfirmed = async (): Promise<boolean> =>
    effects(paymentId, "callback").some(({ reference }) => reference === first);
  await eventually(20_000, isConfirmed, (confirmed) => confirmed);
  assert.match((await shownOn(pageUrl)).heading, readyHeading);
  await wallet.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "paid").length, 1);
});

test("a buyer who pays before the close arrives has paid, and chooses no more", async () => {
  const { id, paymentId, pageUrl } = await chosen();
  await wallet.fault({ kind: "pay-on-cancel", match: { paymentId }, count: 1 });
  await changeOn(pageUrl);
  await untilStatus(id, "SUCCESS");
  await chooseOn(pageUrl, "DANA");
  assert.equal((await shownOn(pageUrl)).heading, "Paid");
  assert.equal(effects(paymentId, "submit").length, 1);
});

test("who changes again and again ends up with one order, and not for ever", async () => {
  const { id, paymentId, pageUrl } = await chosen();
  for (let round = 0; round < 10; round += 1) {
    await changeOn(pageUrl);
    await untilHeading(pageUrl, choosing);
    await chooseOn(pageUrl, round % 2 === 0 ? "DANA" : "GCASH");
    await untilHeading(pageUrl, readyHeading);
  }
  assert.ok(!(await shownOn(pageUrl)).text.includes('name="change"'));
  await changeOn(pageUrl);
  assert.match((await shownOn(pageUrl)).heading, readyHeading);
  await wallet.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "submit").length, 11);
  assert.equal(effects(paymentId, "paid").length, 1);
});

test("change and approval at the same moment: paid once, or to be chosen again with nothing paid", async (t) => {
  let paid = 0;
  for (let round = 0; round < 12; round += 1) {
    const { id, paymentId, pageUrl } = await chosen();
    await Promise.all([delay(round * 3).then(() => wallet.control(paymentId, "approve")), changeOn(pageUrl)]);
    const { heading } = await untilHeading(pageUrl, /^(Paid|Choose how to pay)$/);
    assert.equal(effects(paymentId, "paid").length, heading === "Paid" ? 1 : 0, heading);
    if (heading === "Paid") paid += 1;
    else {
      await chooseOn(pageUrl, "DANA");
      await untilHeading(pageUrl, readyHeading);
      await wallet.control(paymentId, "approve");
    }
    await untilStatus(id, "SUCCESS");
    assert.equal(effects(paymentId, "paid").length, 1);
  }
  t.diagnostic(`${paid} of 12 were paid at the first wallet`);
});

test("change and a hold at the same moment: held once, or nowhere and to be chosen again", async (t) => {
  let held = 0;
  const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
  for (let round = 0; round < 8; round += 1) {
    const { id, paymentId, pageUrl } = await chosen("GCASH", { paymentFactor });
    await Promise.all([wallet.control(paymentId, "approve"), delay(round * 3).then(() => changeOn(pageUrl))]);
    const { heading } = await untilHeading(pageUrl, /^(Reserved|Choose how to pay)$/);
    if (heading === "Reserved") held += 1;
    else {
      await chooseOn(pageUrl, "DANA");
      await untilHeading(pageUrl, readyHeading);
      await wallet.control(paymentId, "approve");
    }
    await untilStatus(id, "SUCCESS");
    // What the merchant was promised is really held: it can be taken.
    const captureAmount = { currency: "EUR", value: "1250" };
    const capture = { captureRequestId: `capture-${id}`, paymentId, captureAmount };
    assert.equal(await codeOf("payments/capture", capture), "SUCCESS");
    assert.equal(effects(paymentId, "captured").length, 1);
  }
  t.diagnostic(`${held} of 8 were held at the first wallet`);
});

test("change, choice and cancel at the same moment end cancelled, and nobody can pay", async () => {
  for (let round = 0; round < 8; round += 1) {
    const { id, paymentId, pageUrl } = await chosen();
    const cancel = delay(round * 2).then(() => codeOf("payments/cancel", { paymentRequestId: id }));
    await Promise.all([changeOn(pageUrl).then(() => chooseOn(pageUrl, "DANA")), cancel]);
    await eventually(
      15_000,
      () => codeOf("payments/cancel", { paymentRequestId: id }),
      (code) => code === "SUCCESS",
    );
    await wallet.control(paymentId, "approve");
    assert.equal(effects(paymentId, "paid").length, 0);
    await untilStatus(id, "CANCELLED");
  }
});

test("the answer to an order on its way is not taken for that of the next wallet", async () => {
  const { id, paymentId, pageUrl } = await openSession(asked);
  // The first wallet's answer comes while the second has not answered either.
  await wallet.fault({ kind: "late-answer", delayMs: 3_000, match: { verb: "submit", paymentId }, count: 2 });
  await chooseOn(pageUrl, "GCASH");
  assert.equal((await shownOn(pageUrl)).heading, "Getting your payment ready");
  await changeOn(pageUrl);
  await untilHeading(pageUrl, choosing);
  await chooseOn(pageUrl, "DANA");
  const { text } = await untilHeading(pageUrl, readyHeading);
  const address = /class="button" href="([^"]+)"/.exec(text)?.[1] ?? "";
  assert.match(
    await (await fetch(address)).text(),
    /Approve/,
    "The order that the page leads to can be paid.",
  );
  await wallet.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(effects(paymentId, "paid").length, 1);
});

test("a wallet that does not answer is waited for: nobody can pay twice", async () => {
  const { id, paymentId, pageUrl } = await chosen();
  await wallet.fault({ kind: "refuse-connection", match: { verb: "cancel" }, count: 2 });
  await changeOn(pageUrl);
  assert.equal((await shownOn(pageUrl)).heading, "Taking your choice back");
  assert.equal((await chooseOn(pageUrl, "DANA")).status, 303);
  assert.equal(effects(paymentId, "submit").length, 1);
  await untilHeading(pageUrl, choosing, 40_000);
  await chooseOn(pageUrl, "DANA");
  await untilHeading(pageUrl, readyHeading);
  await wallet.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
});

test("a process that dies in the middle of a change leaves the first order, or the choice", async () => {
  const points = ["before-claim", "after-claim-commit", "before-wallet-call", "after-wallet-call"] as const;
  const died = points.map(async (crashAt) => {
    const session = await chosen();
    const dying = await stack.serve({ crashAt });
    const dyingUrl = session.pageUrl.replace(url, dying.url);
    const change = (): Promise<number> =>
      changeOn(dyingUrl).then(
        ({ status }) => status,
        () => 0,
      );
    // A process that has just started may shed load (503): retry.
    await eventually(20_000, change, (status) => status !== 503);
    await Promise.race([dying.process.exited, delay(10_000)]);
    assert.notEqual(dying.process.child.signalCode, null, crashAt);
    return { ...session, crashAt };
  });
  const left = await Promise.all(died);
  await endLeases(database);
  for (const { crashAt, id, paymentId, pageUrl } of left) {
    if (crashAt === "before-claim") {
      assert.match((await shownOn(pageUrl)).heading, readyHeading);
      await changeOn(pageUrl);
    }
    await untilHeading(pageUrl, choosing, 40_000);
    await chooseOn(pageUrl, "DANA");
    await untilHeading(pageUrl, readyHeading);
    await wallet.control(paymentId, "approve");
    await untilStatus(id, "SUCCESS");
    assert.equal(effects(paymentId, "paid").length, 1);
  }
});
