import assert from "node:assert/strict";
import { statesOf } from "../../src/core/lifecycle.ts";
import { paymentLifecycle } from "../../src/payments/payment.ts";
import {
  requestPayment,
  assertNoLongerPayable,
  actAtProvider,
  callCancel,
  callPay,
  countRows,
  declineOnline,
  payOnline,
  waitForStatus,
} from "./payment-actions.ts";
import { inBothEnvironments, checked, type Statement } from "./statement.ts";
import {
  assertResult,
  assertString,
  inquire,
  inquireNewPayment,
  type PayingEnvironment,
} from "./test-environments.ts";
import { asSuperuser } from "../start/test-database.ts";
import { eventually } from "../start/test-process.ts";

/** Part 3 of docs/interface.md: states and transitions. */
export const stateStatements: readonly Statement[] = [
  checked(
    "3.1",
    "a payment record has a paymentStatus",
    inBothEnvironments(async (side) => {
      for (const status of statesOf(paymentLifecycle)) {
        assertString((await inquireNewPayment(side, { status }))["paymentStatus"]);
      }
    }),
  ),
  checked(
    "3.2",
    "SUCCESS is a state of a payment",
    inBothEnvironments(async (side) => {
      assert.equal((await inquireNewPayment(side, { status: "SUCCESS" }))["paymentStatus"], "SUCCESS");
    }),
  ),
  checked("3.3", "a payment can reach success as a final state", async ({ sandbox }) => {
    const { paymentId, request } = await payOnline(sandbox);
    await assertNoLongerPayable(sandbox, paymentId);
    assertResult(await callPay(sandbox, request), "SUCCESS");
    await assertFinalStatus(sandbox, paymentId, "SUCCESS");
  }),
  checked("3.4", "a payment can reach failure as a final state", async ({ sandbox }) => {
    const { paymentId, request } = await declineOnline(sandbox);
    await assertNoLongerPayable(sandbox, paymentId);
    assertResult(await callPay(sandbox, request), "USER_BALANCE_NOT_ENOUGH");
    assertResult(await callCancel(sandbox, { paymentId }), "ORDER_STATUS_INVALID");
    await assertFinalStatus(sandbox, paymentId, "FAIL");
    await checkLateSuccessReturned(sandbox);
  }),
  checked("3.5", "a notification is sent at final success", ({ sandbox }) =>
    checkFinalStatusNotified(sandbox, "approve", { status: "SUCCESS", resultStatus: "S" }),
  ),
  checked("3.6", "a notification is sent at final failure", ({ sandbox }) =>
    checkFinalStatusNotified(sandbox, "decline", { status: "FAIL", resultStatus: "F" }),
  ),
];

/** Asserts that the status of a payment is final, and that no job is scheduled for it. */
async function assertFinalStatus(side: PayingEnvironment, paymentId: string, status: string): Promise<void> {
  assert.equal((await inquire(side, { paymentId })).json["paymentStatus"], status);
  assert.equal(await countRows(side, "jobs", paymentId), 0);
}

/** Checks that a late success at the provider does not change a failed payment, and that the money is returned. */
async function checkLateSuccessReturned(side: PayingEnvironment): Promise<void> {
  const { paymentId } = await requestPayment(side);
  await actAtProvider(side, paymentId, "expire");
  await waitForStatus(side, paymentId, "FAIL");
  await side.provider.fault({ kind: "late-success", match: { paymentId } });
  await actAtProvider(side, paymentId, "approve");
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
  await assertFinalStatus(side, paymentId, "FAIL");
}

/** Checks that the webhook is sent at the final status and not before, because a pending payment has no result. */
async function checkFinalStatusNotified(
  side: PayingEnvironment,
  action: "approve" | "decline",
  end: { readonly status: string; readonly resultStatus: string },
): Promise<void> {
  const { paymentId } = await requestPayment(side);
  await actAtProvider(side, paymentId, "pend");
  const [pending] = await side.shop.waitForWebhooks(paymentId, 1);
  assert.equal(pending?.json["notifyType"], "PAYMENT_PENDING");
  assert.equal((await inquire(side, { paymentId })).json["paymentStatus"], "PENDING");

  await actAtProvider(side, paymentId, action);
  const [, final, another] = await side.shop.waitForWebhooks(paymentId, 2);
  assert.partialDeepStrictEqual(final?.json, {
    notifyType: "PAYMENT_RESULT",
    result: { resultStatus: end.resultStatus },
  });
  assert.equal(another, undefined);
  assert.equal((await inquire(side, { paymentId })).json["paymentStatus"], end.status);
}
