import assert from "node:assert/strict";
import { test } from "node:test";
import {
  call,
  newMerchant,
  pathOf,
  send,
  startTestGateway,
  type ReceivedAnswer,
  type SentRequest,
} from "../../../test/start/test-gateway.ts";
import { payRequest, inStorePayRequest } from "../../../test/start/test-stack.ts";

// Live returns exactly the three strings of the result, without the sandbox's hints, problems and warnings.
// Explanations would help an attacker, and would change responses that existing integrations compare.

const { url, database } = await startTestGateway("live");
const merchant = await newMerchant(database);
const payPath = pathOf("live", "payments/pay");

function post(body: object, more: Partial<SentRequest> = {}): Promise<ReceivedAnswer> {
  return call(url, merchant, { path: payPath, body: JSON.stringify(body), ...more });
}

function resultText(resultCode: string, resultMessage: string, resultStatus = "F"): string {
  return JSON.stringify({ result: { resultCode, resultStatus, resultMessage } });
}

const pays = (more: object) => (): Promise<ReceivedAnswer> => post(payRequest("live-1", more));
const amount = (value: unknown, currency = "EUR") => pays({ paymentAmount: { currency, value } });
const illegal = (message: string): string => resultText("PARAM_ILLEGAL", message);
const amountForm = illegal('paymentAmount.value must match pattern "^[1-9][0-9]{0,15}$".');
const oneOf = "must be equal to one of the allowed values.";
const noOption = resultText("NO_PAY_OPTIONS", "No payment method can be used.");
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const noOperation = resultText("NO_INTERFACE_DEF", "There is no such operation.");

const answers: readonly (readonly [name: string, ask: () => Promise<ReceivedAnswer>, text: string])[] = [
  ["an amount in whole units", amount("12.50"), amountForm],
  ["an amount as a number", amount(1250), illegal("paymentAmount.value must be string.")],
  [
    "a currency in small letters",
    amount("1250", "eur"),
    illegal('paymentAmount.currency must match pattern "^[A-Z]{3}$".'),
  ],
  [
    "a currency that there is not",
    amount("1250", "XYZ"),
    resultText("CURRENCY_NOT_SUPPORT", "The currency is not supported."),
  ],
  ["a product misspelt", pays({ productCode: "CASHER_PAYMENT" }), illegal(`productCode ${oneOf}`)],
  ["a terminal misspelt", pays({ env: { terminalType: "WBE" } }), illegal(`env.terminalType ${oneOf}`)],
  ["a method misspelt", pays({ paymentMethod: { paymentMethodType: "GCASHH" } }), noOption],
  ["an unknown field", pays({ paymentNotifyURL: "https://shop.example" }), noOption],
  ["an address of another scheme", pays({ paymentNotifyUrl: "htp://shop.example/n" }), noOption],
  ["a time in UTC", pays({ paymentExpiryTime: inAnHour }), noOption],
  [
    "a time without an offset",
    pays({ paymentExpiryTime: "2020-01-01T00:00:00" }),
    illegal(
      'paymentExpiryTime must match pattern "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{2}:\\d{2}$".',
    ),
  ],
  [
    "no signature",
    () => post({}, { headers: { signature: undefined } }),
    illegal("The header signature is missing."),
  ],
  [
    "another content type",
    () => post({}, { headers: { "content-type": "text/plain" } }),
    resultText("MEDIA_TYPE_NOT_ACCEPTABLE", "The body has to be JSON in UTF-8, not compressed."),
  ],
  [
    "an order that the payment does not cover",
    () => post(payRequest("live-4", { order: otherOrder() })),
    noOption,
  ],
  ["several fields missing", () => post({}), illegal("productCode is missing.")],
  ["no address to return to", pays({ paymentRedirectUrl: null }), illegal("paymentRedirectUrl is missing.")],
  ["no terminal", pays({ env: null }), illegal("env is missing.")],
  ["a phone without its system", pays({ env: { terminalType: "APP" } }), illegal("env.osType is missing.")],
  ["an app without its id", pays({ env: { terminalType: "MINI_APP" } }), illegal("appId is missing.")],
  [
    "a token payment without a token",
    pays({ productCode: "AGREEMENT_PAYMENT" }),
    illegal("paymentMethod.paymentMethodId is missing."),
  ],
  [
    "a store that names no scenario",
    pays({ productCode: "IN_STORE_PAYMENT" }),
    illegal("paymentFactor.inStorePaymentScenario is missing."),
  ],
  [
    "a till without a code",
    () => post(inStorePayRequest("live-2", "PaymentCode")),
    illegal("paymentMethod.paymentMethodId is missing."),
  ],
  [
    "a page without a buyer's browser",
    () => post(inStorePayRequest("live-3", "EntryCode", { order: { ...withoutEnv(), merchant: undefined } })),
    illegal("order.merchant.merchantName is missing."),
  ],
  [
    "a comma too much",
    () => post({}, { body: '{"a":1,}' }),
    illegal("A comma stands before a closing brace."),
  ],
  ["a list", () => post([]), illegal("The body has to be a JSON object.")],
  ["an operation misspelt", () => post({}, { path: `${payPath}s` }), noOperation],
  ["a slash at the end", () => post({}, { path: `${payPath}/` }), noOperation],
  ["the sandbox's path", () => post({}, { path: pathOf("sandbox", "payments/pay") }), noOperation],
  [
    "an unknown client id",
    () => post({}, { headers: { "client-id": "5YA1B2C3D4E5F6G7" } }),
    resultText("UNKNOWN_CLIENT", "There is no such client id here."),
  ],
  [
    "another method",
    () => post({}, { method: "PUT" }),
    resultText("METHOD_NOT_SUPPORTED", "Operations are called with POST."),
  ],
  [
    "an unknown path",
    () => send(url, { method: "GET", path: "/nothing-here", body: "" }),
    '{"message":"Route GET:/nothing-here not found","error":"Not Found","statusCode":404}',
  ],
];

for (const [name, ask, text] of answers) {
  test(`live returns the documented strings for ${name}`, async () => {
    assert.equal((await ask()).text, text);
  });
}

/** The payment is of EUR 12.50. */
function otherOrder(): object {
  const { order } = payRequest("") as { readonly order: object };
  return { ...order, orderAmount: { currency: "USD", value: "1000" } };
}

function withoutEnv(): object {
  const { order } = inStorePayRequest("", "EntryCode") as { order: Readonly<Record<string, unknown>> };
  const { env: _, ...rest } = order;
  return rest;
}
