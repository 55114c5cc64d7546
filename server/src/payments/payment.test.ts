import assert from "node:assert/strict";
import { test } from "node:test";
import { statesOf } from "../core/lifecycle.ts";
import { statusMeanings } from "../core/result.ts";
import { notifications } from "../catalog/notifications.ts";
import { paymentOutcomeOf, type HoldState, type OutcomeFields } from "./payment-outcome.ts";
import { isInStore, isSettled, paymentLifecycle, type ProductCode } from "./payment.ts";

test("a settled payment changes only by the merchant's cancel", () => {
  const settled = statesOf(paymentLifecycle).filter((status) => isSettled({ status }));
  assert.deepEqual(settled, ["SUCCESS", "FAIL", "CANCELLED"]);
  for (const status of settled) {
    const transitions: readonly string[] = paymentLifecycle[status];
    assert.deepEqual(
      transitions.filter((next) => next !== "CANCELLED"),
      [],
    );
  }
});

for (const [productCode, inStore] of [
  ["IN_STORE_PAYMENT", true],
  ["CASHIER_PAYMENT", false],
  ["AGREEMENT_PAYMENT", false],
] as const satisfies readonly (readonly [ProductCode, boolean])[]) {
  test(`${productCode} is ${inStore ? "" : "not "}made in a store`, () => {
    assert.equal(isInStore({ productCode }), inStore);
  });
}

const unknownValues = [undefined, "", "SOMETHING_NEW"];
const notifyTypes = notifications.flatMap(({ body }) => {
  const { properties } = body as unknown as {
    readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  };
  return properties["notifyType"]?.enum ?? [];
});
const allFields = [...notifyTypes, ...unknownValues].flatMap((notifyType) =>
  [...statesOf(paymentLifecycle), ...unknownValues].flatMap((paymentStatus) =>
    [...Object.keys(statusMeanings), ...unknownValues].flatMap((resultStatus) =>
      (["NONE", "HELD", "CAPTURED", "RELEASED"] as const satisfies readonly HoldState[]).map(
        (hold): OutcomeFields => ({ notifyType, paymentStatus, resultStatus, hold }),
      ),
    ),
  ),
);

test("only a final result that is captured, or needs no capture, is paid", () => {
  const name = ({ notifyType = "-", paymentStatus = "-", resultStatus = "-", hold }: OutcomeFields): string =>
    [notifyType, paymentStatus, resultStatus, hold].join(" ");
  const having = (outcome: string): string[] =>
    allFields.filter((facts) => paymentOutcomeOf(facts) === outcome).map(name);

  assert.deepEqual(having("PAID"), ["PAYMENT_RESULT - S NONE", "- SUCCESS S NONE", "- SUCCESS S CAPTURED"]);
  assert.deepEqual(having("AUTHORIZED"), ["PAYMENT_RESULT - S HELD", "- SUCCESS S HELD"]);
  const failed = having("FAILED");
  assert.ok(failed.includes("- SUCCESS S RELEASED") && failed.includes("PAYMENT_RESULT - F NONE"));
  const isFinal = (each: string): boolean => / (FAIL|CANCELLED) |RESULT - F|SUCCESS S RELEASED/.test(each);
  assert.deepEqual(
    failed.filter((each) => !isFinal(each)),
    [],
  );
  assert.equal(having("PENDING").length, allFields.length - 5 - failed.length);
});

test("a pending payment is pending, whatever other fields its message has", () => {
  for (const facts of allFields)
    if (facts.notifyType === "PAYMENT_PENDING" || facts.paymentStatus === "PENDING")
      assert.equal(paymentOutcomeOf(facts), "PENDING", JSON.stringify(facts));
});
