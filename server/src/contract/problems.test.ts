import assert from "node:assert/strict";
import { test } from "node:test";
import { requireField } from "../core/conditional-required.ts";
import { refuse } from "../core/result.ts";
import type { JsonValue } from "../core/strict-json.ts";
import { describeForm, type SchemaNode } from "./error-messages.ts";
import { describeRequiredFields } from "./describe-required-fields.ts";
import { operations } from "../catalog/operations.ts";
import { problemFinder, type Problem } from "./problems.ts";
import { unknownFieldFinder } from "./unknown-fields.ts";

const pay = operations.find(({ path }) => path === "payments/pay");
assert(pay);
const find = problemFinder(pay.request, pay.requiredFields);
const findUnknown = unknownFieldFinder(pay.request);
const illegal = refuse("PARAM_ILLEGAL");
const amount = { currency: "EUR", value: "1250" };
const good = {
  productCode: "CASHIER_PAYMENT",
  paymentRequestId: "order-1",
  order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
  paymentAmount: amount,
  paymentMethod: { paymentMethodType: "GCASH" },
  paymentRedirectUrl: "https://shop.example/thanks",
  env: { terminalType: "WEB" },
};

function problemsOf(extraFields: object): readonly Problem[] {
  return find({ ...good, ...extraFields }, illegal);
}

test("a valid request has no problem", () => {
  assert.deepEqual(problemsOf({}), []);
});

const amounts: readonly (readonly [currency: string, value: JsonValue, says: RegExp, instead?: string])[] = [
  ["EUR", "12.50", /^12\.50 EUR is written "1250": the value is in the smallest unit\.$/, "1250"],
  ["EUR", "12,50", /^12\.50 EUR is written "1250"/, "1250"],
  ["EUR", "12.5", /^12\.50 EUR is written "1250"/, "1250"],
  ["eur", "12.50", /^12\.50 EUR is written "1250"/, "1250"],
  ["EUR", 12.5, /^12\.50 EUR is written "1250"/, "1250"],
  ["EUR", "€12.50", /^12\.50 EUR is written "1250"/, "1250"],
  ["JPY", "1250.00", /^1250 JPY is written "1250"/, "1250"],
  ["KRW", "12.50", /^KRW has no decimals/],
  ["BHD", "1.250", /^1\.250 BHD is written "1250"/, "1250"],
  ["EUR", "12.505", /^EUR has 2 decimals/],
  ["EUR", 1250, /text in double quotes.*"1250", which is 12\.50 EUR/, "1250"],
  ["EUR", "-5", /^An amount has no sign/],
  ["EUR", "0", /^An amount is more than zero/],
  ["EUR", "", /^An amount is more than zero/],
  ["EUR", "twelve", /digits and nothing else/],
  ["IDR", "12500050", /two more digits/],
  ["XYZ", "12.50", /digits and nothing else/],
];

for (const [currency, value, says, instead] of amounts) {
  test(`the problem with an amount of ${JSON.stringify(value)} ${currency} says how to write it`, () => {
    const problems = problemsOf({ paymentAmount: { currency, value } });
    const problem = problems.find(({ field }) => field === "paymentAmount.value");
    assert.match(problem?.problem ?? "", says);
    if (instead !== undefined) assert.equal(problem?.instead, instead);
  });
}

const wrong: readonly (readonly [more: object, field: string, says: RegExp, instead?: string])[] = [
  [{ paymentAmount: { currency: "eur", value: "1" } }, "paymentAmount.currency", /ISO 4217/, "EUR"],
  [{ paymentAmount: { currency: "€", value: "1" } }, "paymentAmount.currency", /ISO 4217/, "EUR"],
  [{ paymentAmount: { currency: "EUX", value: "1" } }, "paymentAmount.currency", /Did you mean EUR/, "EUR"],
  [
    { productCode: "CASHIER_PAYMNT" },
    "productCode",
    /one of CASHIER_PAYMENT, AGREEMENT_PAYMENT or/,
    "CASHIER_PAYMENT",
  ],
  [{ productCode: "cashier-payment" }, "productCode", /one of/, "CASHIER_PAYMENT"],
  [{ env: { terminalType: "web" } }, "env.terminalType", /one of WEB, WAP, APP or MINI_APP/, "WEB"],
  [{ paymentRequestId: 1001 }, "paymentRequestId", /in double quotes, and is a number/, "1001"],
  [
    { paymentRequestId: "x".repeat(70) },
    "paymentRequestId",
    /^It has 70 characters, 6 more than the 64 allowed\.$/,
  ],
  [{ paymentRequestId: "a b" }, "paymentRequestId", /without spaces/],
  [{ paymentExpiryTime: "2020-01-01T00:00:00" }, "paymentExpiryTime", /numeric offset/],
  [{ paymentExpiryTime: "2020-01-01" }, "paymentExpiryTime", /such as/, "2020-01-01T00:00:00+00:00"],
  [{ paymentExpiryTime: 1577836800000 }, "paymentExpiryTime", /such as/, "2020-01-01T00:00:00+00:00"],
  [{ paymentExpiryTime: "tomorrow" }, "paymentExpiryTime", /such as 2026-/],
  [{ userRegion: "ph" }, "userRegion", /two capital letters/, "PH"],
  [{ paymentRedirectUrl: "shop.example" }, "paymentRedirectUrl", /with its scheme, such as https:/],
  [{ env: "WEB" }, "env", /an object with terminalType, and is text/],
  [{ env: { ...good.env, screenWidth: 0 } }, "env.screenWidth", /a whole number from 1/],
  [{ env: { ...good.env, screenWidth: 1.5 } }, "env.screenWidth", /a whole number/],
];

for (const [more, field, says, instead] of wrong) {
  test(`${JSON.stringify(more).slice(0, 60)} is explained at ${field}`, () => {
    const [problem, ...others] = problemsOf(more);
    assert.deepEqual([problem?.field, others], [field, []]);
    assert.match(problem?.problem ?? "", says);
    assert.equal(problem?.instead, instead);
  });
}

test("all missing fields are reported together, including those inside missing objects", () => {
  const fields = find({ productCode: "CASHIER_PAYMENT" }, illegal).map(({ field }) => field);
  assert.deepEqual(fields, [
    "paymentRequestId",
    "order.referenceOrderId",
    "order.orderDescription",
    "order.orderAmount.currency",
    "order.orderAmount.value",
    "paymentAmount.currency",
    "paymentAmount.value",
    "paymentMethod.paymentMethodType",
    "paymentRedirectUrl",
    "env.terminalType",
    // The next two fields are required only if the request says where the buyer is.
    "env.osType",
    "appId",
  ]);
});

test("a store gets all fields that it needs, and those of each scenario, before it has named one", () => {
  const { order } = good;
  const fields = problemsOf({ productCode: "IN_STORE_PAYMENT", order }).map(({ field }) => field);
  assert.deepEqual(
    new Set(fields),
    new Set([
      "order.merchant.referenceMerchantId",
      "order.merchant.merchantMCC",
      "order.merchant.merchantName",
      "order.merchant.store.referenceStoreId",
      "order.merchant.store.storeName",
      "order.merchant.store.storeMCC",
      "paymentNotifyUrl",
      "paymentFactor.inStorePaymentScenario",
      "paymentMethod.paymentMethodId",
      "order.env.storeTerminalId",
      "order.env.storeTerminalRequestTime",
      "order.env.userAgent",
    ]),
  );
});

test("the problem in the rejection comes first, with the rejection's words if no rule of a field says more", () => {
  const refusal = refuse("PARAM_ILLEGAL", { field: "paymentExpiryTime", detail: "It is over." });
  const [first, second] = find({ ...good, productCode: "X" }, refusal);
  assert.deepEqual(first, { field: "paymentExpiryTime", problem: "It is over." });
  assert.equal(second?.field, "productCode");
});

test("the number of reported problems is limited", () => {
  const goods = Array.from({ length: 1_000 }, () => ({}));
  assert.equal(problemsOf({ order: { ...good.order, goods } }).length, 50);
});

test("sent values are not repeated, except plain amounts, times and short numbers", () => {
  const secret = "281006020000000000125733";
  const everywhere = {
    productCode: secret,
    paymentRequestId: Number("41111111111111"),
    paymentAmount: { currency: secret, value: `${secret}.00` },
    paymentExpiryTime: secret,
    env: { terminalType: secret, clientIp: 5, osType: secret },
    paymentMethod: { paymentMethodType: { inside: secret }, paymentMethodId: 5 },
    [secret]: 1,
  };
  const problemsJson = JSON.stringify([problemsOf(everywhere), findUnknown(everywhere)]);
  assert.ok(!problemsJson.includes(secret) && !problemsJson.includes("41111111111111"), problemsJson);
  assert.ok(!problemsJson.includes('"instead":"5"'), problemsJson);
});

test("every regular expression of every request has a description", () => {
  for (const { path, request } of operations)
    for (const { pattern, ...rest } of leavesOf(request))
      if (pattern !== undefined)
        assert.notEqual(describeForm({ pattern, ...rest }), describeForm(rest), `${path}: ${pattern}`);
});

test("the example of every operation has no problem and no warning", () => {
  for (const { request, requiredFields, example, moreExamples = [] } of operations)
    for (const { request: exampleRequest } of [example, ...moreExamples]) {
      const json = exampleRequest as JsonValue;
      assert.deepEqual(problemFinder(request, requiredFields)(json, illegal), []);
      assert.deepEqual(unknownFieldFinder(request)(json), []);
    }
});

test("every conditionally required field is in the schema, with its condition", () => {
  for (const { request, requiredFields } of operations)
    assert.ok(describeRequiredFields(request, requiredFields));
  const described = describeRequiredFields(pay.request, pay.requiredFields) as {
    properties: Record<string, { description?: string }>;
  };
  assert.match(
    described.properties["paymentNotifyUrl"]?.description ?? "",
    /^The URL that receives the webhook with the result of the payment\. Needed when `productCode` is `IN_STORE_PAYMENT`\.$/,
  );
  assert.throws(() => describeRequiredFields(pay.request, [requireField("order.nowhere")]), /nowhere/);
});

const warned: readonly (readonly [sent: object, field: string, nearest: string | undefined])[] = [
  [{ paymentNotifyURL: "x" }, "paymentNotifyURL", "paymentNotifyUrl"],
  [{ order: { orderDescripton: "x" } }, "order.orderDescripton", "order.orderDescription"],
  [{ order: { goods: [{}, { goodName: "x" }] } }, "order.goods.1.goodName", "order.goods.1.goodsName"],
  [{ storeTerminalId: "1" }, "storeTerminalId", "order.env.storeTerminalId"],
  [{ somethingElse: 1 }, "somethingElse", undefined],
  [{ toString: 1 }, "toString", undefined],
];

for (const [sent, field, nearest] of warned) {
  test(`${JSON.stringify(sent)} is warned of ${field}`, () => {
    const [warning, ...others] = findUnknown(sent as JsonValue);
    assert.deepEqual([warning?.field, warning?.nearest, others], [field, nearest, []]);
    const question = nearest === undefined ? "." : `; did you mean ${nearest}?`;
    assert.equal(warning?.warning, `ignored: ${field}${question}`);
  });
}

test("null is treated as absent: some libraries send it for unused fields", () => {
  assert.deepEqual(findUnknown({ unknown: null, order: null }), []);
});

function leavesOf(schema: SchemaNode): readonly SchemaNode[] {
  const inside = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return inside.length === 0 ? [schema] : inside.flatMap(leavesOf);
}
