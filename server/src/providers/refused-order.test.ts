import assert from "node:assert/strict";
import { test } from "node:test";
import {
  orderResponse,
  startScriptedStack,
  startScriptedProvider,
  successResponse,
  failureResponse,
  type ProviderRequest,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import { newMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

const stack = await startScriptedStack();
/** The provider's responses to the submits of a payment method, in order; the last one repeats. */
const responsesByMethod: Readonly<
  Record<string, (ScriptedResponse | ((request: ProviderRequest) => ScriptedResponse))[]>
> = {
  ODD: [failureResponse("PARAM_ILLEGAL")],
  LIMITED: [failureResponse("PAYMENT_AMOUNT_EXCEED_LIMIT")],
  UNKEYED: [failureResponse("INVALID_SIGNATURE")],
  EMPTY: [successResponse({})],
  LOST: ["reset", failureResponse("PARAM_ILLEGAL")],
};
const provider = await startScriptedProvider("w", ({ verb, fields, atMs }) => {
  if (verb === "cancel") return orderResponse(fields.reference, "CLOSED");
  if (verb === "inquire") return failureResponse("ORDER_NOT_EXIST");
  const responses = responsesByMethod[String(fields["paymentMethodType"])] ?? [];
  const response = responses.length > 1 ? responses.shift() : responses[0];
  return (
    (typeof response === "function" ? response({ verb, fields, atMs }) : response) ??
    orderResponse(fields.reference, "OPEN")
  );
});
await stack.connect(provider, { methods: ["*", ...Object.keys(responsesByMethod)] });
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const otherMerchant = await newMerchant(stack.database, "Other");

async function payBy(paymentMethodType: string, id: string, merchant = stack.merchant): Promise<string> {
  const request = payRequest(id, { paymentMethod: { paymentMethodType } });
  const { json } = await callPayments(url, merchant, "pay", request);
  return json.result["resultCode"] ?? "";
}

async function outcomeOf(paymentRequestId: string): Promise<string> {
  const { json } = await callPayments(url, stack.merchant, "inquiryPayment", { paymentRequestId });
  return `${String(json["paymentStatus"])} ${String(json["paymentResultCode"])}`;
}

const verbsReceived = (method: string): readonly string[] =>
  provider.requests.filter(({ fields }) => fields["paymentMethodType"] === method).map(({ verb }) => verb);

for (const [method, outcome] of [
  ["ODD", "FAIL PARAM_ILLEGAL"],
  ["LIMITED", "FAIL PAYMENT_AMOUNT_EXCEED_LIMIT"],
] as const) {
  test(`an order that a provider refuses for its content fails immediately: ${outcome}`, async () => {
    assert.equal(await payBy(method, `content-${method}`), "PAYMENT_IN_PROCESS");
    await eventually(
      3_000,
      () => outcomeOf(`content-${method}`),
      (outcomeFound) => outcomeFound === outcome,
    );
    assert.deepEqual(verbsReceived(method), ["submit"]);
  });
}

for (const method of ["ODD", "UNKEYED", "EMPTY"]) {
  test(`repeated signed errors for ${method} do not open the provider's breaker for other payments`, async () => {
    for (let count = 0; count < 8; count += 1)
      assert.equal(await payBy(method, `${method}-${count}`), "PAYMENT_IN_PROCESS");
    await eventually(
      3_000,
      async () => verbsReceived(method).length,
      (count) => count >= 8,
    );
    assert.equal(await payBy("GCASH", `others-${method}`, otherMerchant), "PAYMENT_IN_PROCESS");
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
    const [reference] = provider.requests.flatMap(({ fields }) =>
      fields["paymentMethodType"] === "LOST" ? [fields.reference] : [],
    );
    const verbs = provider.requests
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
