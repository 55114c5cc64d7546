import assert from "node:assert/strict";
import { statesOf } from "../../src/core/lifecycle.ts";
import { paymentLifecycle } from "../../src/payments/payment.ts";
import {
  askForPayment,
  assertNoLongerPayable,
  atTheProvider,
  callCancel,
  callPay,
  countRows,
  declinedOnline,
  paidOnline,
  recordOnce,
} from "./payments.ts";
import { inBoth, shown, type Statement } from "./statements.ts";
import { assertResult, assertString, inquire, recordOf, type PayingSide } from "./world.ts";
import { asSuperuser } from "../start/test-database.ts";
import { eventually } from "../start/test-process.ts";

/** Part 3 of docs/interface.md: states and transitions. */
export const stateStatements: readonly Statement[] = [
  shown(
    "3.1",
    "a payment record has a paymentStatus",
    inBoth(async (side) => {
      for (const status of statesOf(paymentLifecycle)) {
        assertString((await recordOf(side, { status }))["paymentStatus"]);
      }
    }),
  ),
  shown(
    "3.2",
    "SUCCESS is a state of a payment",
    inBoth(async (side) => {
      assert.equal((await recordOf(side, { status: "SUCCESS" }))["paymentStatus"], "SUCCESS");
    }),
  ),
  shown("3.3", "a payment can reach success as a final state", async ({ sandbox }) => {
    const { paymentId, request } = await paidOnline(sandbox);
    await assertNoLongerPayable(sandbox, paymentId);
    assertResult(await callPay(sandbox, request), "SUCCESS");
    await assertRestsAs(sandbox, paymentId, "SUCCESS");
  }),
  shown("3.4", "a payment can reach failure as a final state", async ({ sandbox }) => {
    const { paymentId, request } = await declinedOnline(sandbox);
    await assertNoLongerPayable(sandbox, paymentId);
    assertResult(await callPay(sandbox, request), "USER_BALANCE_NOT_ENOUGH");
    assertResult(await callCancel(sandbox, { paymentId }), "ORDER_STATUS_INVALID");
    await assertRestsAs(sandbox, paymentId, "FAIL");
    await outlastsALateSuccess(sandbox);
  }),
  shown("3.5", "a notification is sent at final success", ({ sandbox }) =>
    endIsTold(sandbox, "approve", { status: "SUCCESS", resultStatus: "S" }),
  ),
  shown("3.6", "a notification is sent at final failure", ({ sandbox }) =>
    endIsTold(sandbox, "decline", { status: "FAIL", resultStatus: "F" }),
  ),
];

/** Asserts that the status of a payment is final, and that no job is scheduled for it. */
async function assertRestsAs(side: PayingSide, paymentId: string, status: string): Promise<void> {
  assert.equal((await inquire(side, { paymentId })).json["paymentStatus"], status);
  assert.equal(await countRows(side, "jobs", paymentId), 0);
}

/** Checks that a late success at the provider does not change a failed payment, and that the money is returned. */
async function outlastsALateSuccess(side: PayingSide): Promise<void> {
  const { paymentId } = await askForPayment(side);
  await atTheProvider(side, paymentId, "expire");
  await recordOnce(side, paymentId, "FAIL");
  await side.provider.fault({ kind: "late-success", match: { paymentId } });
  await atTheProvider(side, paymentId, "approve");
  await eventually(
    10_000,
    () =>
      asSuperuser<{ readonly status: string }>(
        "select status from reversals where payment_id = $1",
        [paymentId],
        side.gateway.database.superuserUrl,
      ),
    ([reversal]) => reversal?.status === "SUCCESS",
  );
  await assertRestsAs(side, paymentId, "FAIL");
}

/** Checks that the webhook is sent at the final status and not before, because a pending payment has no result. */
async function endIsTold(
  side: PayingSide,
  what: "approve" | "decline",
  end: { readonly status: string; readonly resultStatus: string },
): Promise<void> {
  const { paymentId } = await askForPayment(side);
  await atTheProvider(side, paymentId, "pend");
  const [pending] = await side.shop.waitForWebhooks(paymentId, 1);
  assert.equal(pending?.json["notifyType"], "PAYMENT_PENDING");
  assert.equal((await inquire(side, { paymentId })).json["paymentStatus"], "PENDING");

  await atTheProvider(side, paymentId, what);
  const [, final, another] = await side.shop.waitForWebhooks(paymentId, 2);
  assert.partialDeepStrictEqual(final?.json, {
    notifyType: "PAYMENT_RESULT",
    result: { resultStatus: end.resultStatus },
  });
  assert.equal(another, undefined);
  assert.equal((await inquire(side, { paymentId })).json["paymentStatus"], end.status);
}
