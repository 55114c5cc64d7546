import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionRequest } from "../sessions/session-request.schema.ts";
import { PayRequest } from "./pay-request.schema.ts";
import { emptyTexts, requestTexts, returnTexts, textsOfRequest, textsToCompare } from "./request-texts.ts";

interface Form {
  readonly properties?: Readonly<Record<string, Form>>;
}

/** The schema of a field, by its path. */
function formAt(form: object, path: string): Form | undefined {
  return path.split(".").reduce<Form | undefined>((inside, key) => inside?.properties?.[key], form as Form);
}

for (const [name, { path }] of Object.entries(requestTexts))
  test(`${name} is a field of pay and of createPaymentSession`, () => {
    assert.ok(formAt(PayRequest, path), `pay has no field ${path}`);
    assert.ok(formAt(SessionRequest, path), `createPaymentSession has no field ${path}`);
  });

const order = { referenceOrderId: "ORD-1", orderDescription: "Two coffees" };

test("texts are read by their path, and an absent text is undefined", () => {
  assert.deepEqual(textsOfRequest({ order, paymentNotifyUrl: "https://shop.example/n" }), {
    ...emptyTexts,
    ...order,
    notifyUrl: "https://shop.example/n",
  });
  assert.deepEqual(textsOfRequest({}), emptyTexts);
});

test("a view returns the stored texts of its list, and the inquiry returns none of them", () => {
  const { orderDescription } = order;
  assert.deepEqual(returnTexts("view", { ...emptyTexts, orderDescription, metadata: "m" }), {
    orderDescription,
  });
  assert.deepEqual(returnTexts("inquiry", { ...emptyTexts, orderDescription, metadata: "m" }), {});
});

test("a repeat is compared in the texts that may differ", () => {
  const compared = textsToCompare({ order, metadata: "new" }, { ...emptyTexts, metadata: "old" });
  assert.deepEqual(compared["metadata"], ["new", "old"]);
  assert.ok(!("order.referenceOrderId" in compared));
});
