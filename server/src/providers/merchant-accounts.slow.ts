import assert from "node:assert/strict";
import { test } from "node:test";
import {
  captureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedProvider,
  startScriptedStack,
  successResponse,
  type ProviderRequest,
  type ScriptedProvider,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import { newMerchant, type TestMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";
import { removeProviderAccount, setProviderAccount } from "../operators/providers/provider-accounts.ts";

/**
 * Two merchants with accounts at two acquirers for cards, and one acquirer that requires accounts. Every account
 * reference contains its merchant's name, so that a request with another merchant's account is found in any field.
 */
const stack = await startScriptedStack();
const { database, merchant: coffee } = stack;
const flowers = await newMerchant(database, "Flower Shop");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;

function approve({ verb, fields }: ProviderRequest): ScriptedResponse {
  if (verb.endsWith("capture"))
    return captureResponse({ ...amounts.get(fields.captureReference), ...fields }, { state: "DONE" });
  if (verb.endsWith("refund")) return refundResponse({ ...amounts.get(fields.refundReference), ...fields });
  if (verb === "cancel") return orderResponse(fields.reference, "CLOSED");
  const isManual = fields["capture"] === "MANUAL";
  return successResponse({ order: paidOrder(fields.reference, isManual ? "AUTHORIZED" : "PAID") });
}

/** The first request about each capture or refund, because an inquiry repeats only its reference. */
const amounts = new Map<string, ProviderRequest["fields"]>();

async function startAcquirer(name: string, terms: object, methods = ["CARD"]): Promise<ScriptedProvider> {
  const acquirer = await startScriptedProvider(name, (request) => {
    const moneyReference = request.fields.captureReference ?? request.fields.refundReference;
    if (moneyReference !== undefined && "amount" in request.fields)
      amounts.set(moneyReference, request.fields);
    return approve(request);
  });
  await stack.connect(acquirer, { methods, terms });
  return acquirer;
}

const first = await startAcquirer("first", { accounts: "optional", priority: 1 });
const second = await startAcquirer("second", { accounts: "optional", priority: 2 });
const demanding = await startAcquirer("demanding", { accounts: "required" }, ["SOLOPAY"]);
const acquirers = [first, second, demanding];

const setAccount = (connector: string, { clientId }: TestMerchant, account: string): Promise<unknown> =>
  setProviderAccount(operator, { connector, clientId, account });
await setAccount("first", coffee, "acct_coffee_1");
await setAccount("second", flowers, "acct_flowers_1");

const { url } = await stack.serve();
await stack.work();

let count = 0;
const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
const amount = { currency: "EUR", value: "1250" };

async function pay(merchant: TestMerchant, method: string, more: object = {}): Promise<string> {
  count += 1;
  const paymentMethod = { paymentMethodType: method };
  const request = payRequest(`account-${count}`, { paymentMethod, ...more });
  const { json } = await callPayments(url, merchant, "pay", request);
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", JSON.stringify(json));
  const paymentId = String(json["paymentId"]);
  await waitForStatus(merchant, paymentId, "SUCCESS");
  return paymentId;
}

async function waitForStatus(merchant: TestMerchant, paymentId: string, status: string): Promise<void> {
  await eventually(
    15_000,
    () => callPayments(url, merchant, "inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === status,
  );
}

/** The requests about orders of a payment, at any acquirer. */
function requestsOf(paymentId: string): readonly (ProviderRequest & { readonly acquirer: string })[] {
  const all = acquirers.flatMap(({ name, requests }) =>
    requests.map((each) => ({ ...each, acquirer: name })),
  );
  const submit = all.find(({ verb, fields }) => verb === "submit" && fields["paymentId"] === paymentId);
  const { reference } = submit?.fields ?? assert.fail("The payment was not submitted.");
  const money = new Set(
    [...amounts].flatMap(([key, fields]) => (fields.reference === reference ? [key] : [])),
  );
  return all.filter(
    ({ fields }) =>
      fields.reference === reference ||
      money.has(fields.captureReference) ||
      money.has(fields.refundReference),
  );
}

async function waitForRequest(paymentId: string, verb: string): Promise<void> {
  await eventually(15_000, async () => requestsOf(paymentId).some((each) => each.verb === verb), Boolean);
}

test("each merchant pays at the acquirer of its account, and the acquirer sees the merchant and its account", async () => {
  const expected = [
    [coffee, "first", "acct_coffee_1"],
    [flowers, "second", "acct_flowers_1"],
  ] as const;
  for (const [merchant, acquirer, account] of expected) {
    const [submit] = requestsOf(await pay(merchant, "CARD"));
    assert.equal(submit?.acquirer, acquirer);
    assert.partialDeepStrictEqual(submit.fields, { merchantId: merchant.clientId, account });
  }
});

test("an order keeps the account of its submit for captures, refunds and cancels, and a new order has the new one", async () => {
  const [captured, released] = [await pay(coffee, "CARD", manual), await pay(coffee, "CARD", manual)];
  await setAccount("first", coffee, "acct_coffee_2");
  await eventually(
    5_000,
    async () => requestsOf(await pay(coffee, "CARD"))[0]?.fields["account"],
    (account) => account === "acct_coffee_2",
  );

  const captureRequest = { captureRequestId: `c-${captured}`, paymentId: captured, captureAmount: amount };
  await callPayments(url, coffee, "capture", captureRequest);
  await waitForRequest(captured, "capture");
  await eventually(
    15_000,
    () =>
      callPayments(url, coffee, "refund", {
        refundRequestId: `r-${captured}`,
        paymentId: captured,
        refundAmount: amount,
      }),
    ({ json }) => ["SUCCESS", "REFUND_IN_PROCESS"].includes(String(json.result["resultCode"])),
  );
  await waitForRequest(captured, "refund");
  await callPayments(url, coffee, "cancel", { paymentId: released });
  await waitForRequest(released, "cancel");
  for (const { verb, fields } of [...requestsOf(captured), ...requestsOf(released)])
    assert.partialDeepStrictEqual(fields, { merchantId: coffee.clientId, account: "acct_coffee_1" }, verb);
});

test("an acquirer that requires accounts takes payments only of merchants with an account", async () => {
  const request = payRequest("solo-without", { paymentMethod: { paymentMethodType: "SOLOPAY" } });
  const { json } = await callPayments(url, flowers, "pay", request);
  assert.equal(json.result["resultCode"], "NO_PAY_OPTIONS");
  assert.match(JSON.stringify(json), /requires an account of the merchant/);
  const offered = async (merchant: TestMerchant): Promise<boolean> => {
    const consult = { productCode: "CASHIER_PAYMENT", paymentAmount: amount, env: { terminalType: "WEB" } };
    return JSON.stringify((await callPayments(url, merchant, "consult", consult)).json).includes("SOLOPAY");
  };
  assert.equal(await offered(flowers), false);

  await setAccount("demanding", flowers, "acct_flowers_solo");
  await eventually(5_000, () => offered(flowers), Boolean);
  assert.equal(await offered(coffee), false);
  const [submit] = requestsOf(await pay(flowers, "SOLOPAY"));
  assert.partialDeepStrictEqual(submit?.fields, {
    merchantId: flowers.clientId,
    account: "acct_flowers_solo",
  });

  await removeProviderAccount(operator, { connector: "demanding", clientId: flowers.clientId });
  await eventually(
    5_000,
    () => offered(flowers),
    (isOffered) => !isOffered,
  );
});

test("no request contains another merchant's account, and every request about an order names its merchant", () => {
  const marks = new Map([
    [coffee.clientId, "_coffee_"],
    [flowers.clientId, "_flowers_"],
  ]);
  const requests = acquirers.flatMap((each) => each.requests);
  assert.ok(requests.length > 7);
  for (const { verb, fields } of requests) {
    const merchantId = String(fields["merchantId"]);
    const ownMark = marks.get(merchantId) ?? assert.fail(`${verb} names no merchant.`);
    for (const mark of marks.values())
      assert.equal(JSON.stringify(fields).includes(mark), mark === ownMark, `${verb} of ${merchantId}`);
  }
});
