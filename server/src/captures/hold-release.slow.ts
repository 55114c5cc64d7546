import assert from "node:assert/strict";
import { test } from "node:test";
import {
  approvePayment,
  finalCode,
  postponePolls,
  sendRequest,
  rows,
  sendCallback,
  startTestTill,
} from "../../test/start/asynchronous-provider.ts";
import {
  begin,
  capture,
  countEffects,
  countRequests,
  release,
  waitForStatus,
} from "../../test/start/asynchronous-operation.ts";
import { paidOrder } from "../../test/start/scripted-provider.ts";
import { eventually } from "../../test/start/test-process.ts";

/** In these tests a provider needs time to release an authorization hold, cannot release it, or lets it lapse. */
const till = await startTestTill();
const { provider } = till;
const order = (reference: string, difference: object): object => ({
  order: { ...paidOrder(reference, "AUTHORIZED"), ...difference },
});
const failed = { cancel: { state: "FAILED", resultCode: "USER_STATUS_ABNORMAL" } };
const closed = { state: "CLOSED", cancel: { state: "DONE" } };
const lapsed = { state: "LAPSED" };

for (const [how, difference, status, code] of [
  ["closes the order", closed, "SUCCESS", "SUCCESS"],
  ["reports that the hold has lapsed", lapsed, "SUCCESS", "SUCCESS"],
  ["fails", failed, "FAIL", "USER_STATUS_ABNORMAL"],
] as const) {
  test(`a cancel of a hold is unknown until the provider ${how}: ${code}`, async () => {
    const { payment, record } = await begin(till, release);
    const { paymentId, reference } = payment;
    await postponePolls(till, record.id);
    provider.changeOrder(reference, difference);
    assert.equal(await sendCallback(till, payment, order(reference, difference)), "SUCCESS");
    await waitForStatus(till, release, paymentId, status);
    assert.equal(await finalCode(till, "cancel", { paymentId }), code);
    assert.equal(countRequests(provider, "cancel", reference), 1);
    assert.deepEqual(till.alertsFor(paymentId), []);
    const { result } = await sendRequest(till, "capture", capture.body(paymentId, 1));
    assert.equal(result["resultCode"], code === "SUCCESS" ? "AUTH_CANCELLED" : "CAPTURE_IN_PROCESS");
  });
}

const isReleased = async (paymentId: string): Promise<boolean> => {
  const found = await rows(
    till,
    "select from payments where payment_id = $1 and released_at is not null",
    paymentId,
  );
  return found.length === 1;
};

test("a hold that lapses at the provider cannot be captured any more, and a capture in progress is still decided", async () => {
  const begun = await begin(till, capture);
  const { paymentId, reference } = begun.payment;
  provider.changeOrder(reference, lapsed);
  assert.equal(await sendCallback(till, begun.payment, order(reference, lapsed)), "SUCCESS");
  assert.ok(await isReleased(paymentId));
  const { result } = await sendRequest(till, "capture", capture.body(paymentId, 2));
  assert.equal(result["resultCode"], "AUTH_EXPIRED");
  provider.endMoney(begun.record.reference, "DONE");
  await waitForStatus(till, capture, paymentId, "SUCCESS");
  assert.equal(await countEffects(till, begun), 1);
});

/** Moves the times back, as if seven days had passed. */
const expire = (paymentId: string): Promise<unknown> =>
  rows(till, "update jobs set due_at = now() where subject_id = $1 and job = 'release-hold'", paymentId);

test("an expired hold that has lapsed at the provider is found out by the release", async () => {
  const { paymentId, reference } = await approvePayment(till, "lapsed-by-poll", "MANUAL");
  provider.changeOrder(reference, { ...lapsed, cancel: { state: "DONE" } });
  await expire(paymentId);
  await eventually(15_000, () => isReleased(paymentId), Boolean);
});

test("the release of an expired hold that fails alerts once and is tried again until the order is closed", async () => {
  const { paymentId, reference } = await approvePayment(till, "release-fails", "MANUAL");
  await expire(paymentId);
  for (const attempts of [1, 2, 3]) {
    await eventually(
      60_000,
      async () => countRequests(provider, "cancel", reference),
      (count) => count === attempts,
    );
    provider.changeOrder(reference, failed);
  }
  await eventually(
    60_000,
    async () => countRequests(provider, "cancel", reference),
    (count) => count > 3,
  );
  assert.equal(till.alertsFor(paymentId).length, 1);
  provider.changeOrder(reference, closed);
  await eventually(90_000, () => isReleased(paymentId), Boolean);
});
