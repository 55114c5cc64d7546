import assert from "node:assert/strict";
import { statesOf } from "../core/lifecycle.ts";
import { paymentLifecycle } from "../payments/payment.ts";
import { inBoth, shown, waiting, type Statement } from "./interface-statements.ts";
import { assertString, recordOf } from "./interface-world.ts";

/** Part 3 of docs/interface.md: states and transitions. */
export const part3: readonly Statement[] = [
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
  waiting("3.3", "a payment can reach success as a final state", "pay"),
  waiting("3.4", "a payment can reach failure as a final state", "pay"),
  waiting("3.5", "a notification is sent at final success", "notifications"),
  waiting("3.6", "a notification is sent at final failure", "notifications"),
];
