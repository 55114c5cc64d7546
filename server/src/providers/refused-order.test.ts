import assert from "node:assert/strict";
import { test } from "node:test";
import {
  orderIs,
  startScriptedStack,
  startScriptedProvider,
  providerSays,
  providerSaysNo,
  type ProviderAsked,
  type Said,
} from "../../test/start/scripted-provider.ts";
import { newMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

const stack = await startScriptedStack();
/** The provider's responses to the submits of a payment method, in order; the last one repeats. */
const says: Readonly<Record<string, (Said | ((asked: ProviderAsked) => Said))[]>> = {
  ODD: [providerSaysNo("PARAM_ILLEGAL")],
  LIMITED: [providerSaysNo("PAYMENT_AMOUNT_EXCEED_LIMIT")],
  UNKEYED: [providerSaysNo("INVALID_SIGNATURE")],
  EMPTY: [providerSays({})],
  LOST: ["reset", providerSaysNo("PARAM_ILLEGAL")],
};
const provider = await startScriptedProvider("w", ({ verb, fields, atMs }) => {
  if (verb === "cancel") return orderIs(fields.reference, "CLOSED");
  if (verb === "inquire") return providerSaysNo("ORDER_NOT_EXIST");
  const left = says[String(fields["paymentMethodType"])] ?? [];
  const said = left.length > 1 ? left.shift() : left[0];
  return (
    (typeof said === "function" ? said({ verb, fields, atMs }) : said) ?? orderIs(fields.reference, "OPEN")
  );
});
await stack.connect(provider, { methods: ["*", ...Object.keys(says)] });
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const other = await newMerchant(stack.database, "Other");

async function payBy(paymentMethodType: string, id: string, by = stack.merchant): Promise<string> {
  const request = payRequest(id, { paymentMethod: { paymentMethodType } });
  const { json } = await callPayments(url, by, "pay", request);
  return json.result["resultCode"] ?? "";
}

async function outcomeOf(paymentRequestId: string): Promise<string> {
  const { json } = await callPayments(url, stack.merchant, "inquiryPayment", { paymentRequestId });
  return `${String(json["paymentStatus"])} ${String(json["paymentResultCode"])}`;
}

const askedFor = (method: string): readonly string[] =>
  provider.asked.filter(({ fields }) => fields["paymentMethodType"] === method).map(({ verb }) => verb);

for (const [method, outcome] of [
  ["ODD", "FAIL PARAM_ILLEGAL"],
  ["LIMITED", "FAIL PAYMENT_AMOUNT_EXCEED_LIMIT"],
] as const) {
  test(`an order that a provider refuses for its content fails immediately: ${outcome}`, async () => {
    assert.equal(await payBy(method, `content-${method}`), "PAYMENT_IN_PROCESS");
    await eventually(
      3_000,
      () => outcomeOf(`content-${method}`),
      (found) => found === outcome,
    );
    assert.deepEqual(askedFor(method), ["submit"]);
  });
}

for (const method of ["ODD", "UNKEYED", "EMPTY"]) {
  test(`repeated signed errors for ${method} do not open the provider's breaker for other payments`, async () => {
    for (let count = 0; count < 8; count += 1)
      assert.equal(await payBy(method, `${method}-${count}`), "PAYMENT_IN_PROCESS");
    await eventually(
      3_000,
      async () => askedFor(method).length,
      (count) => count >= 8,
    );
    assert.equal(await payBy("GCASH", `others-${method}`, other), "PAYMENT_IN_PROCESS");
  });
}

test(
  "a refusal after a message without a response closes the order first, because that message may still " +
    "arrive",
  async () => {
    await payBy("LOST", "lost");
    await eventually(
      8_000,
      () => outcomeOf("lost"),
      (found) => found === "FAIL PARAM_ILLEGAL",
    );
    const [reference] = provider.asked.flatMap(({ fields }) =>
      fields["paymentMethodType"] === "LOST" ? [fields.reference] : [],
    );
    const verbs = provider.asked
      .filter(({ fields }) => fields.reference === reference)
      .map(({ verb }) => verb);
    assert.deepEqual(verbs, ["submit", "submit", "cancel"]);
  },
);

test("a payment method with a malformed name is refused, and writes nothing", async () => {
  for (const method of ["G CASH", "gcash", "*", "A".repeat(64) + "é"])
    assert.notEqual(await payBy(method, "malformed"), "PAYMENT_IN_PROCESS", method);
  assert.equal(await payBy("G CASH", "malformed"), "NO_PAY_OPTIONS");
  assert.equal(await payBy("GCASH", "malformed"), "PAYMENT_IN_PROCESS");
});
