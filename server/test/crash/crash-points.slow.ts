import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { CrashPoint } from "../../src/core/crash-point.ts";
import { callUntilCrashed, requestCrashPoints } from "./crash-victim.ts";
import { asSuperuser } from "../start/test-database.ts";
import { eventually } from "../start/test-process.ts";
import { newMerchantClient, chooseMethod, openSession } from "../shop/test-session.ts";
import { callPayments, payRequest, startTestStack, type ServedGateway } from "../start/test-stack.ts";

/**
 * Processes are killed with SIGKILL at named crash points while they move money. For each crash point, the provider
 * must have one order afterwards, and the payment must reach its final status once.
 */
const stack = await startTestStack();
const { merchant, provider } = stack;

const callbackCrashPoints: readonly CrashPoint[] = [
  "after-callback-verified",
  "before-callback-commit",
  "after-callback-commit",
];

const noEffects = { opened: 0, paid: 0, captured: 0, refunded: 0 };

let healthy = await stack.serve({ isPublic: true });

/** A process that stops between the claim of a payment and the request to the provider. The last test resumes it. */
const stoppedProcess = await stopBeforeSending("stopped");

async function stopBeforeSending(paymentRequestId: string) {
  const { url, process } = await stack.serve({ stopAt: "before-provider-call" });
  let pendingRequest: Promise<unknown> = Promise.resolve();
  await eventually(
    20_000,
    async () => {
      pendingRequest = callPayments(url, merchant, "pay", payRequest(paymentRequestId)).catch(
        () => undefined,
      );
      await Promise.race([pendingRequest, delay(1_000)]);
      return /^State:\tT/m.test(readFileSync(`/proc/${process.child.pid}/status`, "utf8"));
    },
    Boolean,
  );
  return { process, pendingRequest, sinceMs: performance.now() };
}

async function waitUntilDead({ process }: ServedGateway): Promise<void> {
  await eventually(
    5_000,
    async () => process.child.signalCode,
    (signal) => signal === "SIGKILL",
  );
}

/** An API request that moves money. */
interface MoneyRequest {
  readonly verb: string;
  readonly body: object;
}

const amount = { currency: "EUR", value: "1250" };

/** Each request gets its own payment, which a healthy process has brought to the required state. */
const requestCases: Readonly<Record<string, (crashAt: CrashPoint) => Promise<MoneyRequest>>> = {
  paying: async (crashAt) => ({ verb: "pay", body: payRequest(`pay-${crashAt}`) }),
  cancelling: async (crashAt) => {
    const paymentRequestId = `cancel-${crashAt}`;
    const paymentId = await pay(paymentRequestId);
    // The provider drops its callback. Otherwise the healthy process would receive it, and settle before the crashing
    // process can.
    await provider.fault({ kind: "callback-drop", match: { paymentId }, count: 1_000 });
    return { verb: "cancel", body: { paymentRequestId } };
  },
  "cancelling a paid payment": async (crashAt) => {
    const paymentId = await createApprovedPayment(`give-back-${crashAt}`);
    return { verb: "cancel", body: { paymentId } };
  },
  capturing: async (crashAt) => {
    const paymentFactor = { isAuthorization: true, captureMode: "MANUAL" };
    const captureRequestId = `capture-${crashAt}`;
    const paymentId = await createApprovedPayment(captureRequestId, { paymentFactor });
    return { verb: "capture", body: { captureRequestId, paymentId, captureAmount: amount } };
  },
  refunding: async (crashAt) => {
    const refundRequestId = `refund-${crashAt}`;
    const paymentId = await createApprovedPayment(refundRequestId);
    return { verb: "refund", body: { refundRequestId, paymentId, refundAmount: amount } };
  },
};

/** An overloaded process may reject a request, so it is retried until accepted. */
async function pay(paymentRequestId: string, fields: object = {}): Promise<string> {
  const { json } = await eventually(
    10_000,
    () => callPayments(healthy.url, merchant, "pay", payRequest(paymentRequestId, fields)),
    (answer) => answer.json["paymentId"] !== undefined,
  );
  return String(json["paymentId"]);
}

async function createApprovedPayment(paymentRequestId: string, fields: object = {}): Promise<string> {
  const paymentId = await pay(paymentRequestId, fields);
  await approve(paymentId);
  return paymentId;
}

/**
 * The lease of a dead process expires after 15 s, then another process sends the order. A callback that an overloaded
 * process rejects is sent again after the provider's backoff.
 */
async function approve(paymentId: string): Promise<void> {
  await eventually(
    25_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await eventually(
    20_000,
    () => statusOf(paymentId),
    (status) => status === "SUCCESS",
  );
}

const crashedRequests = new Map<string, MoneyRequest>();

function crashedRequest(caseName: string, crashAt: CrashPoint): MoneyRequest {
  return crashedRequests.get(`${caseName} ${crashAt}`) ?? assert.fail("The request was never sent.");
}

for (const crashAt of requestCrashPoints) {
  test(`killed ${crashAt}, in every operation`, async () => {
    for (const [caseName, prepare] of Object.entries(requestCases))
      crashedRequests.set(`${caseName} ${crashAt}`, await prepare(crashAt));
    await Promise.all(
      Object.keys(requestCases).map(async (caseName) => {
        const { verb, body } = crashedRequest(caseName, crashAt);
        await callUntilCrashed(await stack.serve({ crashAt }), (url) =>
          callPayments(url, merchant, verb, body),
        );
      }),
    );
  });
}

/**
 * Crash points after the buyer's choice. The tests of the choice itself cover the crash points before the order is
 * sent.
 */
const choiceCrashPoints = ["before-outcome-commit", "after-outcome-commit"] as const;
const sessions = new Map<CrashPoint, string>();

for (const crashAt of choiceCrashPoints) {
  test(`killed ${crashAt}, after the buyer chose a payment method`, async () => {
    const opened = await eventually(
      10_000,
      () => openSession(newMerchantClient(healthy.url, merchant)).catch(() => undefined),
      (session) => session !== undefined,
    );
    assert(opened);
    sessions.set(crashAt, opened.paymentId);
    const { pathname } = new URL(opened.pageUrl);
    const victim = await stack.serve({ crashAt });
    await callUntilCrashed(victim, (url) => chooseMethod(new URL(pathname, url).href, "GCASH"));
  });
}

test("a worker takes over the jobs that they left", async () => {
  await stack.work();
});

/** Repeats a request that died until it succeeds. */
async function repeatUntilSuccess(caseName: string, crashAt: CrashPoint): Promise<string> {
  const { verb, body } = crashedRequest(caseName, crashAt);
  const { json } = await eventually(
    25_000,
    () => callPayments(healthy.url, merchant, verb, body),
    (answer) => answer.json.result["resultStatus"] === "S",
  );
  return String(json["paymentId"]);
}

for (const crashAt of requestCrashPoints) {
  test(`after a crash while paying, ${crashAt}: one order, one payment`, async () => {
    const paymentId = await pay(`pay-${crashAt}`);
    await approve(paymentId);
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, paid: 1 });
  });
  test(`after a crash while cancelling, ${crashAt}: the order can no longer be paid`, async () => {
    const paymentId = await repeatUntilSuccess("cancelling", crashAt);
    assert.equal((await provider.control(paymentId, "approve")).status, 409);
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1 });
  });
  test(`after a crash while cancelling a paid payment, ${crashAt}: the full amount is returned once`, async () => {
    const paymentId = await repeatUntilSuccess("cancelling a paid payment", crashAt);
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, paid: 1, refunded: 1 });
    assert.equal(await statusOf(paymentId), "CANCELLED");
  });
  test(`after a crash while capturing, ${crashAt}: captured once`, async () => {
    const paymentId = await repeatUntilSuccess("capturing", crashAt);
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, captured: 1 });
  });
  test(`after a crash while refunding, ${crashAt}: refunded once`, async () => {
    const paymentId = await repeatUntilSuccess("refunding", crashAt);
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, paid: 1, refunded: 1 });
  });
}

for (const crashAt of choiceCrashPoints) {
  test(`after a crash while choosing, ${crashAt}: one order, one payment`, async () => {
    const paymentId = sessions.get(crashAt) ?? assert.fail("The session was never opened.");
    await approve(paymentId);
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, paid: 1 });
  });
}

for (const crashAt of callbackCrashPoints) {
  test(`killed in a dispute callback, ${crashAt}: the amount is frozen once, and released once`, async () => {
    const paymentId = await createApprovedPayment(`disputed-${crashAt}`);
    for (const event of ["dispute", "cancel"] as const) {
      await healthy.process.stop();
      const victim = await stack.serve({ crashAt, isPublic: true });
      const callback =
        event === "dispute" ? provider.control(paymentId, event) : provider.dispute(paymentId, event);
      await callback;
      await waitUntilDead(victim);
      healthy = await stack.serve({ isPublic: true });
      const status = event === "dispute" ? "CREATED" : "CANCELLED";
      const expected = { status, transfers: event === "dispute" ? 1 : 2 };
      await eventually(
        10_000,
        () => disputesOf(paymentId),
        (found) => found[0]?.status === status,
      );
      assert.deepEqual(await disputesOf(paymentId), [expected]);
    }
  });
}

for (const crashAt of callbackCrashPoints) {
  test(`killed in a callback, ${crashAt}: the provider repeats it, and it takes effect once`, async () => {
    const paymentId = await pay(`callback-${crashAt}`);
    await eventually(
      5_000,
      async () => effectsOf(paymentId).opened,
      (opened) => opened === 1,
    );
    await healthy.process.stop();
    const victim = await stack.serve({ crashAt, isPublic: true });
    await provider.control(paymentId, "approve");
    await waitUntilDead(victim);
    healthy = await stack.serve({ isPublic: true });
    await eventually(
      20_000,
      () => statusOf(paymentId),
      (status) => status === "SUCCESS",
    );
    assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, paid: 1 });
  });
}

test("paused between claim and send for longer than its lease, taken over, and resumed: no second effect (fencing)", async () => {
  const { process, pendingRequest, sinceMs } = stoppedProcess;
  // The test waits until the lease has expired. The lease lasts 15 s, and the earlier tests usually took longer.
  await delay(Math.max(0, sinceMs + 20_000 - performance.now()));
  const { json } = await callPayments(healthy.url, merchant, "pay", payRequest("stopped"));
  const paymentId = String(json["paymentId"]);
  await eventually(
    10_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await eventually(
    5_000,
    () => statusOf(paymentId),
    (status) => status === "SUCCESS",
  );
  process.kill("SIGCONT");
  await pendingRequest;
  await delay(3_000);
  assert.deepEqual(effectsOf(paymentId), { ...noEffects, opened: 1, paid: 1 });
  assert.equal(
    provider.effects().filter((line) => line["kind"] === "submit" && line["paymentId"] === paymentId).length,
    1,
  );
});

function disputesOf(paymentId: string): Promise<readonly { status: string; transfers: number }[]> {
  return asSuperuser(
    `select status, (select count(*)::int from ledger_transfers where subject_id = dispute_id) as transfers
     from disputes where payment_id = $1`,
    [paymentId],
    stack.database.superuserUrl,
  );
}

async function statusOf(paymentId: string): Promise<unknown> {
  const { json } = await callPayments(healthy.url, merchant, "inquiryPayment", { paymentId });
  return json["paymentStatus"];
}

/** Effects in the provider's journal for a payment. */
function effectsOf(paymentId: string): typeof noEffects {
  const lines = provider.effects().filter((line) => line["paymentId"] === paymentId);
  const count = (kind: string): number => lines.filter((line) => line["kind"] === kind).length;
  return {
    opened: lines.filter(({ outcome }) => outcome === "opened" || outcome === "opened-again").length,
    paid: count("paid"),
    captured: count("captured"),
    refunded: count("refunded"),
  };
}
