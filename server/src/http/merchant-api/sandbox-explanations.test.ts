import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import {
  call,
  pathOf,
  send,
  type ReceivedAnswer,
  type SentRequest,
} from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { payRequest, startTestStack, inStorePayRequest } from "../../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider } = stack;
const { url } = await stack.serve();
await stack.work();
const payPath = pathOf("sandbox", "payments/pay");
const storePath = "/ams/api/v1/payments/pay";
const refundPath = pathOf("sandbox", "payments/refund");

interface ExplainedAnswer {
  readonly result: Readonly<Record<string, string>>;
  readonly problems?: readonly {
    readonly field: string;
    readonly problem: string;
    readonly instead?: string;
  }[];
  readonly warnings?: readonly {
    readonly field: string;
    readonly warning: string;
    readonly nearest?: string;
  }[];
}

let count = 0;
const newName = (): string => `teach-${(count += 1)}`;
const explanationOf = ({ json }: ReceivedAnswer): ExplainedAnswer => json;

function post(path: string, body: object, more: Partial<SentRequest> = {}): Promise<ReceivedAnswer> {
  return call(url, merchant, { path, body: JSON.stringify(body), ...more });
}

/** A payment at a point of sale with the buyer's code, paid at once. */
async function paid(): Promise<string> {
  const code = await provider.paymentCode();
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId: code };
  const answer = await post(storePath, inStorePayRequest(newName(), "PaymentCode", { paymentMethod }));
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  return String(answer.json["paymentId"]);
}

const refund = (paymentId: string, value: string, currency = "EUR"): object => ({
  refundRequestId: newName(),
  paymentId,
  refundAmount: { currency, value },
});

/** Payment requests with amounts of all forms, and otherwise valid. */
const amount =
  (value: unknown, currency: unknown = "EUR") =>
  (): Promise<ReceivedAnswer> =>
    post(payPath, payRequest(newName(), { paymentAmount: { currency, value } }));
const withFields = (more: object) => (): Promise<ReceivedAnswer> =>
  post(payPath, payRequest(newName(), more));
const method = (paymentMethodType: string) => withFields({ paymentMethod: { paymentMethodType } });
const at = (path: string) => (): Promise<ReceivedAnswer> => post(path, payRequest(newName()));

/** Invalid requests, with the explanation that each must get. */
const mistakes: readonly (readonly [mistake: string, ask: () => Promise<ReceivedAnswer>, told: string])[] = [
  [
    "an amount in whole units",
    amount("12.50"),
    '12.50 EUR is written "1250": the value is in the smallest unit.',
  ],
  [
    "an amount with a comma",
    amount("12,50"),
    '12.50 EUR is written "1250": the value is in the smallest unit.',
  ],
  [
    "yen with decimals",
    amount("1250.00", "JPY"),
    '1250 JPY is written "1250": the value is in the smallest unit.',
  ],
  ["a negative amount", amount("-5"), "An amount has no sign"],
  ["nothing at all", amount("0"), "An amount is more than zero"],
  [
    "an amount as a number",
    amount(1250),
    'It has to be text in double quotes, without zeros in front: "1250"',
  ],
  ["a currency in small letters", amount("1250", "eur"), "Did you mean EUR?"],
  ["the sign of a currency", amount("1250", "€"), "Did you mean EUR?"],
  [
    "a product misspelt",
    withFields({ productCode: "CASHER_PAYMENT" }),
    "It has to be one of CASHIER_PAYMENT, AGREEMENT_PAYMENT or IN_STORE_PAYMENT. Did you mean CASHIER_PAYMENT?",
  ],
  [
    "a terminal misspelt",
    withFields({ env: { terminalType: "WBE" } }),
    "It has to be one of WEB, WAP, APP or MINI_APP. Did you mean WEB?",
  ],
  [
    "a method with two letters swapped",
    method("GCAHS"),
    "No provider has this payment method. Did you mean GCASH?",
  ],
  ["a method misspelt", method("GCASHH"), "No provider has this payment method. Did you mean GCASH?"],
  ["a method in small letters", method("gcash"), "No provider has this payment method. Did you mean GCASH?"],
  [
    "a method that no provider serves",
    method("CARD"),
    "No provider has this payment method. Available methods: ALIPAY_CN,",
  ],
  [
    "a field in other letters",
    withFields({ paymentNotifyURL: "https://shop.example/n" }),
    "ignored: paymentNotifyURL; did you mean paymentNotifyUrl?",
  ],
  [
    "an address of another scheme",
    withFields({ paymentNotifyUrl: "htp://shop.example/n" }),
    "paymentNotifyUrl: it must start with https://, or in the sandbox with http://.",
  ],
  [
    "a time without an offset",
    withFields({ paymentExpiryTime: "2020-01-01" }),
    '"instead":"2020-01-01T00:00:00+00:00"',
  ],
  [
    "several fields missing",
    () => post(payPath, { productCode: "CASHIER_PAYMENT" }),
    "See problems for 11 more.",
  ],
  [
    "the live path",
    at("/ams/api/v1/payments/pay"),
    'Send it to /ams/sandbox/api/v1/payments/pay: in the sandbox, the path without "sandbox" is for payments in stores.',
  ],
  [
    "an operation misspelt",
    at(pathOf("sandbox", "payments/pays")),
    "Did you mean POST /ams/sandbox/api/v1/payments/pay?",
  ],
  [
    "an operation in small letters",
    at(pathOf("sandbox", "payments/inquirypayment")),
    "Did you mean POST /ams/sandbox/api/v1/payments/inquiryPayment?",
  ],
  [
    "a version that is to come",
    at("/ams/sandbox/api/v2/payments/pay"),
    "Did you mean POST /ams/sandbox/api/v1/payments/pay?",
  ],
  [
    "a slash at the end",
    at("/ams/sandbox/api/v1/payments/pay/"),
    "Did you mean POST /ams/sandbox/api/v1/payments/pay?",
  ],
  [
    "a path without its beginning",
    at("/api/v1/payments/pay"),
    "Did you mean POST /ams/sandbox/api/v1/payments/pay?",
  ],
  [
    "a live client id",
    () => post(payPath, payRequest("x"), { headers: { "client-id": "5YA1B2C3D4E5F6G7" } }),
    "This is the sandbox: its client ids begin with SANDBOX_, and this one does not.",
  ],
  [
    "a comma too much",
    () => post(payPath, {}, { body: '{\n  "paymentId": "1",\n}' }),
    "Look at line 3, column 1 of the body.",
  ],
  [
    "no signature",
    () => send(url, { method: "POST", path: payPath, headers: unsigned, body: "{}" }),
    "The last one has the form signature: algorithm=RSA256,keyVersion=1,signature=<base64, URL-encoded>.",
  ],
  [
    "no client id",
    () => send(url, { method: "POST", path: payPath, headers: {}, body: "{}" }),
    "Send client-id, request-time and signature with every request.",
  ],
  [
    "a bearer token",
    () => send(url, { method: "POST", path: payPath, headers: { authorization: "Bearer x" }, body: "{}" }),
    "There are no bearer tokens or API keys: the header authorization is not read.",
  ],
  [
    "a header that is missing, with the page about it",
    () => send(url, { method: "POST", path: payPath, headers: unsigned, body: "{}" }),
    "/docs/signing",
  ],
  [
    "a request time in seconds",
    () => post(payPath, payRequest("x"), { time: "1794991740" }),
    "1794991740 is in seconds: write 1794991740000.",
  ],
  [
    "another content type",
    () => post(payPath, payRequest("x"), { headers: { "content-type": "text/plain" } }),
    'The header Content-Type is "text/plain": send "application/json; charset=UTF-8".',
  ],
  [
    "a compressed body",
    () => post(payPath, payRequest("x"), { headers: { "content-encoding": "gzip" } }),
    "Send the body without Content-Encoding: it must not be compressed.",
  ],
  [
    "a clock that is ten minutes late",
    () => post(payPath, payRequest("x"), { time: String(Date.now() - 600_300) }),
    "It is off by 600.",
  ],
  [
    "a refund of too much",
    async () => refundTwice(),
    'EUR 6.50 of EUR 12.50 can be refunded: send at most "650".',
  ],
  [
    "a refund in another currency",
    async () => post(refundPath, refund(await paid(), "100", "USD")),
    "The payment is in EUR: refund in EUR.",
  ],
  [
    "a refund of an unpaid payment",
    async () => refundUnpaid(),
    "The payment is PROCESSING, and only a payment with SUCCESS can be refunded.",
  ],
];

async function refundTwice(): Promise<ReceivedAnswer> {
  const paymentId = await paid();
  const first = await post(refundPath, refund(paymentId, "600"));
  assert.equal(first.json.result["resultCode"], "SUCCESS", first.text);
  return post(refundPath, refund(paymentId, "700"));
}

async function refundUnpaid(): Promise<ReceivedAnswer> {
  const { json } = await post(payPath, payRequest(newName()));
  return post(refundPath, refund(String(json["paymentId"]), "100"));
}

const unsigned = { "client-id": merchant.clientId, "request-time": String(Date.now()) };

for (const [mistake, ask, expectedText] of mistakes) {
  test(`the sandbox explains how to fix ${mistake}`, async () => {
    const answer = await ask();
    const { result, problems, warnings } = explanationOf(answer);
    const { resultMessage, resultHint, docUrl } = result;
    assert.ok(docUrl ?? warnings, answer.text);
    const explanation = JSON.stringify({ resultHint, problems, warnings });
    const isExplained = [explanation, resultMessage, resultHint].some((text) => text?.includes(expectedText));
    assert.ok(isExplained, `${expectedText}\n${answer.text}`);
    assert.doesNotMatch(explanation, /\[0-9\]|\^\[|\\d/, "a regular expression");
    assert.doesNotMatch(explanation, /a failed payment or refund/, "advice about another request");
  });
}

test("the value in `instead` is accepted when it is sent", async () => {
  const request = payRequest(newName(), {
    productCode: "casher_payment",
    paymentAmount: { currency: "eur", value: "12.50" },
    env: { terminalType: "web" },
    userRegion: "ph",
  });
  const { problems = [] } = explanationOf(await post(payPath, request));
  assert.deepEqual(problems.map(({ field }) => field).sort(), [
    "env.terminalType",
    "paymentAmount.currency",
    "paymentAmount.value",
    "productCode",
    "userRegion",
  ]);
  for (const { field, instead } of problems) set(request, field, instead);
  const answer = await post(payPath, request);
  assert.equal(answer.json.result["resultCode"], "PAYMENT_IN_PROCESS", answer.text);
});

/** The values that a shop would send for missing fields. */
const known: Readonly<Record<string, string>> = {
  "order.merchant.referenceMerchantId": "m-1",
  "order.merchant.merchantName": "Coffee Lab",
  "order.merchant.merchantMCC": "5814",
  "order.merchant.store.referenceStoreId": "store-1",
  "order.merchant.store.storeName": "Coffee Lab, Harbour",
  "order.merchant.store.storeMCC": "5814",
  "order.env.storeTerminalId": "till-1",
  "order.env.storeTerminalRequestTime": "2026-11-15T09:30:00+00:00",
  "order.env.userAgent": "Provider/1.0",
  paymentNotifyUrl: "https://shop.example/notify",
};

for (const scenario of ["PaymentCode", "OrderCode", "EntryCode"] as const) {
  test(`a first payment by ${scenario} takes two requests, using the fields that the rejection names`, async () => {
    const inStore = {
      productCode: "IN_STORE_PAYMENT",
      paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: await provider.paymentCode() },
      paymentFactor: { inStorePaymentScenario: scenario },
    };
    const request = payRequest(newName(), inStore);
    const refused = explanationOf(await post(storePath, request));
    assert.equal(refused.result["resultCode"], "PARAM_ILLEGAL");
    for (const { field } of refused.problems ?? []) set(request, field, known[field]);
    const answer = await post(storePath, request);
    assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  });
}

test("the result keeps its three strings, and names the first problem", async () => {
  const { result, problems } = explanationOf(await amount("12.50")());
  assert.equal(result["resultField"], "paymentAmount.value");
  assert.match(result["resultMessage"] ?? "", /^paymentAmount\.value must match pattern/);
  assert.equal(problems?.[0]?.field, "paymentAmount.value");
  for (const value of Object.values(result)) assert.equal(typeof value, "string");
});

test("a success can have warnings, and a repeat of the request gets the same response", async () => {
  const request = payRequest(newName(), { paymentNotifyURL: "https://shop.example/n" });
  const [first, again] = [await post(payPath, request), await post(payPath, request)];
  assert.equal(first.json.result["resultCode"], "PAYMENT_IN_PROCESS");
  assert.deepEqual(explanationOf(first).warnings, [
    {
      field: "paymentNotifyURL",
      warning: "ignored: paymentNotifyURL; did you mean paymentNotifyUrl?",
      nearest: "paymentNotifyUrl",
    },
  ]);
  assert.deepEqual(explanationOf(again).warnings, explanationOf(first).warnings);
  assert.equal(explanationOf(first).problems, undefined);
});

for (const [verb, path] of [
  ["GET", "/"],
  ["GET", "/nothing-here"],
  ["POST", "/api/v1/payments/pay"],
  ["PUT", "/v1/payments/pay"],
] as const) {
  test(`${verb} ${path} gets the usual response format, unsigned`, async () => {
    const { status, headers, json } = await send(url, { method: verb, path, body: "" });
    assert.equal(status, 404);
    assert.equal(json.result["resultCode"], "NO_INTERFACE_DEF");
    assert.match(json.result["resultHint"] ?? "", /\/ams\/sandbox\/api\/v1\//);
    assert.equal(headers["signature"], undefined);
  });
}

const receivers: readonly (readonly [status: number, body: string, failure: string])[] = [
  [200, "OK", '200, but the body is not {"result":{"resultStatus":"S"}}'],
  [200, '{"result":{"resultStatus":"F"}}', '200, but resultStatus is "F" and not "S"'],
  [204, "", "204, but 200 is expected"],
  [302, "", "302, but 200 is expected; no redirect is followed"],
];

for (const [status, body, failure] of receivers) {
  test(`a webhook receiver that answers ${status} ${body} gets the reason why it is no acknowledgement`, async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status).end(body);
    }).listen(0, "127.0.0.1");
    after(() => server.close());
    await eventually(1_000, async () => server.listening, Boolean);
    const paymentNotifyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify`;
    const paymentMethod = {
      paymentMethodType: "CONNECT_WALLET",
      paymentMethodId: await provider.paymentCode(),
    };
    const request = inStorePayRequest(newName(), "PaymentCode", { paymentMethod, paymentNotifyUrl });
    const { json } = await post(storePath, request);
    const subjectId = String(json["paymentId"]);
    const path = pathOf("sandbox", "tollgate/inquiryNotifications");
    const attempts = await eventually(
      10_000,
      async () => {
        const answer = await post(path, { subjectId });
        const [told] = answer.json["notifications"] as readonly {
          attempts: readonly { failure: string }[];
        }[];
        return told?.attempts ?? [];
      },
      (found) => found.length > 0,
    );
    assert.equal(attempts[0]?.failure, failure);
  });
}

/** Sets a field by its dotted path, and creates missing objects. */
function set(request: object, field: string, value: unknown): void {
  const path = field.split(".");
  let object = request as Record<string, unknown>;
  for (const name of path.slice(0, -1)) object = (object[name] ??= {}) as Record<string, unknown>;
  object[path.at(-1) ?? ""] = value;
}
