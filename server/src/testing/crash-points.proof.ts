import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrashPoint } from "../core/crash-point.ts";
import { eventually } from "./test-process.ts";
import { callPayments, payRequest, startTestStack, type Served } from "./test-stack.ts";

/**
 * Real processes, killed with SIGKILL at named places in the middle of moving money. Whatever the place:
 * afterwards the wallet holds one order, and the payment comes to its end, once.
 */
const stack = await startTestStack();
const { merchant, wallet } = stack;

const claimToAnswer: readonly CrashPoint[] = [
  "before-claim",
  "after-claim-commit",
  "before-wallet-call",
  "after-wallet-call",
  "before-settle-commit",
  "after-settle-commit",
  "before-answer",
];
const inACallback: readonly CrashPoint[] = [
  "after-callback-verified",
  "before-callback-commit",
  "after-callback-commit",
];

let healthy = await stack.serve({ isPublic: true });

/**
 * Calls a process that is about to die; whether its answer still got out does not matter. A process that has
 * too much to do may turn the first call away, so it is asked until it is dead.
 */
async function callDoomed(doomed: Served, verb: string, body: object): Promise<void> {
  await eventually(
    10_000,
    async () => {
      await callPayments(doomed.url, merchant, verb, body).catch(() => undefined);
      return doomed.process.child.signalCode;
    },
    (signal) => signal === "SIGKILL",
  );
}

async function isDead({ process }: Served): Promise<void> {
  await eventually(
    5_000,
    async () => process.child.signalCode,
    (signal) => signal === "SIGKILL",
  );
}

for (const crashAt of claimToAnswer) {
  test(`killed while paying, ${crashAt}`, async () => {
    await callDoomed(await stack.serve({ crashAt }), "pay", payRequest(`pay-${crashAt}`));
  });
  test(`killed while cancelling, ${crashAt}`, async () => {
    const request = payRequest(`cancel-${crashAt}`);
    const { json } = await callPayments(healthy.url, merchant, "pay", request);
    // Otherwise the healthy process hears of it by callback, and settles it before the doomed one can.
    await wallet.fault({ kind: "callback-drop", match: { paymentId: json["paymentId"] }, count: 1_000 });
    await callDoomed(await stack.serve({ crashAt }), "cancel", { paymentRequestId: `cancel-${crashAt}` });
  });
}

test("a worker takes over what they left behind", async () => {
  await stack.work();
});

for (const crashAt of claimToAnswer) {
  test(`after a crash while paying, ${crashAt}: one order, one payment`, async () => {
    const { json } = await callPayments(healthy.url, merchant, "pay", payRequest(`pay-${crashAt}`));
    const paymentId = String(json["paymentId"]);
    // The lease of the dead process runs out after 15 s, and then somebody else hands the order over.
    await eventually(
      25_000,
      () => wallet.control(paymentId, "approve"),
      ({ status }) => status === 200,
    );
    await eventually(
      5_000,
      () => statusOf(paymentId),
      (status) => status === "SUCCESS",
    );
    assert.deepEqual(effectsOf(paymentId), { opened: 1, paid: 1 });
  });
  test(`after a crash while cancelling, ${crashAt}: nobody can pay any more`, async () => {
    const asked = { paymentRequestId: `cancel-${crashAt}` };
    const cancelled = await eventually(
      25_000,
      () => callPayments(healthy.url, merchant, "cancel", asked),
      ({ json }) => json.result["resultStatus"] === "S",
    );
    const paymentId = String(cancelled.json["paymentId"]);
    assert.equal((await wallet.control(paymentId, "approve")).status, 409);
    assert.deepEqual(effectsOf(paymentId), { opened: 1, paid: 0 });
  });
}

for (const crashAt of inACallback) {
  test(`killed in a callback, ${crashAt}: the wallet repeats it, and it counts once`, async () => {
    const { json } = await callPayments(healthy.url, merchant, "pay", payRequest(`callback-${crashAt}`));
    const paymentId = String(json["paymentId"]);
    await eventually(
      5_000,
      async () => effectsOf(paymentId).opened,
      (opened) => opened === 1,
    );
    await healthy.process.stop();
    const doomed = await stack.serve({ crashAt, isPublic: true });
    await wallet.control(paymentId, "approve");
    await isDead(doomed);
    healthy = await stack.serve({ isPublic: true });
    await eventually(
      5_000,
      () => statusOf(paymentId),
      (status) => status === "SUCCESS",
    );
    assert.deepEqual(effectsOf(paymentId), { opened: 1, paid: 1 });
  });
}

test("stopped for 40 s between claim and send, taken over, and let go on: no second effect", async () => {
  const stopped = await stack.serve({ stopAt: "before-wallet-call" });
  const asked = callPayments(stopped.url, merchant, "pay", payRequest("stopped")).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const { json } = await callPayments(healthy.url, merchant, "pay", payRequest("stopped"));
  const paymentId = String(json["paymentId"]);
  await eventually(
    10_000,
    () => wallet.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await eventually(
    5_000,
    () => statusOf(paymentId),
    (status) => status === "SUCCESS",
  );
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  stopped.process.kill("SIGCONT");
  await asked;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  assert.deepEqual(effectsOf(paymentId), { opened: 1, paid: 1 });
  assert.equal(
    wallet.effects().filter((line) => line["kind"] === "submit" && line["paymentId"] === paymentId).length,
    1,
  );
});

async function statusOf(paymentId: string): Promise<unknown> {
  const { json } = await callPayments(healthy.url, merchant, "inquiryPayment", { paymentId });
  return json["paymentStatus"];
}

/** What the wallet's own log says of a payment. */
function effectsOf(paymentId: string): { readonly opened: number; readonly paid: number } {
  const lines = wallet.effects().filter((line) => line["paymentId"] === paymentId);
  const opened = lines.filter(({ outcome }) => outcome === "opened" || outcome === "opened-again").length;
  return { opened, paid: lines.filter(({ kind }) => kind === "paid").length };
}
