import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import { eraseBuyer } from "../operators/merchants/erase-buyer.ts";
import { findPaymentHistory, historyText } from "../operators/payments/payment-history.ts";
import { addConnector } from "../operators/providers/connector-settings.ts";

/** Payments by card at the sandbox provider, which reports details by test card. */
const { merchant, provider, database, serve, work } = await startTestStack();
const { clientId } = merchant;
await addConnector(database.ownerUrl, "sandbox", {
  name: "cards",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["CARD"],
  simulator: true,
});
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const { url, process: serving } = await serve({ isPublic: true });
const working = await work();
const shop = await startTestShop();
let logged = "";
for (const { child } of [serving, working])
  child.stdout?.on("data", (text: Buffer) => (logged += text.toString("utf8")));

const cardNumber = "9999000000000004";
let count = 0;

/** Starts a payment by card. The provider then gets the buyer's decision. */
async function pay(more: object = {}): Promise<string> {
  count += 1;
  const fields = { paymentMethod: { paymentMethodType: "CARD" }, paymentNotifyUrl: shop.notifyUrl };
  const { json } = await callPayments(
    url,
    merchant,
    "pay",
    payRequest(`card-${count}`, { ...fields, ...more }),
  );
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS");
  return String(json["paymentId"]);
}

async function decide(paymentId: string, action: "approve" | "decline", body: object = {}): Promise<void> {
  const { status, text } = await provider.control(paymentId, action, body);
  assert.equal(status, 200, text);
}

async function waitForStatus(paymentId: string, status: string): Promise<Readonly<Record<string, unknown>>> {
  const { json } = await eventually(
    30_000,
    () => callPayments(url, merchant, "inquiryPayment", { paymentId }),
    (answer) => answer.json["paymentStatus"] === status,
  );
  return json;
}

async function storedDetails(paymentId: string): Promise<string | undefined> {
  const [row] = await asSuperuser<{ details: string | null }>(
    "select provider_details as details from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  return row?.details ?? undefined;
}

const cardInfo = {
  cardBrand: "MASTERCARD",
  lastFour: "0004",
  avsResultRaw: "Y",
  cvvResultRaw: "M",
  threeDSResult: { threeDSVersion: "2.2.0", threeDSOutcome: "FRICTIONLESS", isLiabilityShifted: true },
};

test("a merchant gets the details of a card in the inquiry and in the webhook, without the provider's fee", async () => {
  const paymentId = await pay();
  await decide(paymentId, "approve");
  const { paymentResultInfo: info } = await waitForStatus(paymentId, "SUCCESS");
  const { networkTransactionId, ...others } = Object(info) as Readonly<Record<string, unknown>>;
  assert.deepEqual(others, cardInfo);
  assert.match(String(networkTransactionId), /^MCC[0-9A-F]{6}\d{4}$/);
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.deepEqual(webhook?.json["paymentResultInfo"], info);
  assert.doesNotMatch(webhook?.text ?? "", /fee|valueDate/);
});

test("the operator sees the details with the provider's fee and the value date", async () => {
  const paymentId = await pay();
  await decide(paymentId, "approve", { card: "bank-asks" });
  await waitForStatus(paymentId, "SUCCESS");
  const history = await findPaymentHistory(operator, paymentId, undefined);
  assert.partialDeepStrictEqual(history.payment.details, {
    cardLastFour: "0079",
    fee: { currency: "EUR", value: "25" },
  });
  const text = historyText(history);
  assert.match(text, /^card +MASTERCARD, ends in 0079, issuer's code 00, AVS Y, CVC M$/m);
  assert.match(text, /^3-D Secure +2\.2\.0, AUTHENTICATED, liability shifted$/m);
  assert.match(text, /^provider fee +EUR 0\.25$/m);
  assert.match(text, /^value date +\d{4}-\d{2}-\d{2}$/m);
});

test("a declined card has the issuer's code", async () => {
  const paymentId = await pay();
  await decide(paymentId, "decline", { resultCode: "SUSPECTED_CARD" });
  const { paymentResultInfo: info } = await waitForStatus(paymentId, "FAIL");
  assert.deepEqual(info, { cardBrand: "MASTERCARD", lastFour: "0061", refusalCodeRaw: "59" });
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.deepEqual(webhook?.json["paymentResultInfo"], info);
});

test("an authorized payment has its details before it is captured", async () => {
  const paymentId = await pay({ paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } });
  await decide(paymentId, "approve");
  assert.partialDeepStrictEqual((await waitForStatus(paymentId, "SUCCESS"))["paymentResultInfo"], cardInfo);
});

/** How a report reaches the gateway. Without callbacks, it is in the response to a merchant's cancel. */
const reportWays = { "in a callback": [], "in a response": [{ kind: "callback-drop", count: 100 }] };
for (const [name, faults] of Object.entries(reportWays))
  test(`a card number in the details ${name} is stored nowhere, and alerts the operator once`, async () => {
    const paymentId = await pay();
    for (const fault of [{ kind: "card-number" }, ...faults])
      await provider.fault({ ...fault, match: { paymentId } });
    await decide(paymentId, "approve");
    if (faults.length > 0) await callPayments(url, merchant, "cancel", { paymentId });
    const { paymentResultInfo: info } = await waitForStatus(paymentId, "SUCCESS");
    const { lastFour: _, ...others } = cardInfo;
    assert.partialDeepStrictEqual(info, others);
    assert.ok(!("lastFour" in Object(info)));
    const alerts = (): readonly string[] =>
      logged.split("\n").filter((line) => line.includes('"alert":true') && line.includes(paymentId));
    await eventually(10_000, async () => alerts().length, Boolean);
    assert.equal(alerts().length, 1);
    assert.match(alerts()[0] ?? "", /details contained a card number, which was dropped/);
    assert.ok(!logged.includes(cardNumber));
    assert.doesNotMatch((await storedDetails(paymentId)) ?? "", /cardLastFour/);
  });

test("an erasure empties the details, also in the webhook", async () => {
  const paymentId = await pay();
  await decide(paymentId, "approve");
  await waitForStatus(paymentId, "SUCCESS");
  await shop.waitForWebhooks(paymentId, 1);
  assert.match((await storedDetails(paymentId)) ?? "", /"cardLastFour":"0004"/);
  const erase = (): Promise<unknown> =>
    eraseBuyer({ ...operator, by: { reason: "asked" } }, { clientId, kind: "payment", id: paymentId });
  await eventually(
    10_000,
    () =>
      erase()
        .then(() => true)
        .catch(() => false),
    Boolean,
  );
  assert.equal(await storedDetails(paymentId), undefined);
  const { json } = await callPayments(url, merchant, "inquiryPayment", { paymentId });
  assert.ok(!("paymentResultInfo" in json));
  const bodies = await asSuperuser<{ body: string }>(
    "select convert_from(body, 'UTF8') as body from notifications where subject_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  assert.equal(bodies.length, 1);
  assert.ok(bodies.every(({ body }) => !body.includes("paymentResultInfo") && body.includes(paymentId)));
});
