import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, type ReceivedAnswer, type TestMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import type { ConnectorTerms } from "../providers/connector.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
await connect("never", "BOOST", { cancelPaid: "NEVER" });
await connect("week", "MAYA", { cancelPaid: "WEEK" });
await connect("careless", "TNG", { idempotentByReference: false, quietSeconds: 3 });
const poor = await newMerchant(database, "Tea Lab");
await rows("update clients set fee_basis_points = 290 where client_id = $1", poor.clientId);
const [one, other] = [await stack.serve({ isPublic: true }), await stack.serve()];
await stack.work();
const shop = await startTestShop();

/** Connects the same provider again under a different name and with other contract terms. */
function connect(name: string, paymentMethodType: string, terms: Partial<ConnectorTerms>): Promise<void> {
  const { url, publicKeyFile } = provider;
  const paymentMethodTypes = [paymentMethodType];
  const connector = { name, url, publicKeyFile, partnerId: "tollgate", paymentMethodTypes, simulator: true };
  return addConnector(database.ownerUrl, "sandbox", { ...connector, terms });
}

async function rows<Row extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(sql, [...values], database.superuserUrl);
}

interface RequestTarget {
  readonly by?: TestMerchant;
  readonly at?: string;
}

const call = (verb: string, body: object, { by = merchant, at = one.url }: RequestTarget = {}) =>
  callPayments(at, by, verb, body);
const codeOf = ({ json }: ReceivedAnswer): string | undefined => json.result["resultCode"];
const eur = (minor: number): object => ({ currency: "EUR", value: String(minor) });

async function inquire(
  paymentId: string,
  by: TestMerchant = merchant,
): Promise<Readonly<Record<string, unknown>>> {
  return (await call("inquiryPayment", { paymentId }, { by })).json;
}

async function stateIs(paymentId: string, status: string, by: TestMerchant = merchant): Promise<void> {
  await eventually(
    15_000,
    () => inquire(paymentId, by),
    ({ paymentStatus }) => paymentStatus === status,
  );
}

/** A payment of 12.50 that its buyer has paid. */
async function paid(
  paymentRequestId: string,
  {
    paymentMethodType = "GCASH",
    by = merchant,
  }: RequestTarget & { readonly paymentMethodType?: string } = {},
): Promise<string> {
  const more = { paymentMethod: { paymentMethodType }, paymentNotifyUrl: shop.notifyUrl };
  const { json } = await call("pay", payRequest(paymentRequestId, more), { by });
  const paymentId = String(json["paymentId"]);
  await eventually(
    5_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await stateIs(paymentId, "SUCCESS", by);
  return paymentId;
}

const linesOf = (paymentId: string, kind: string): readonly Readonly<Record<string, unknown>>[] =>
  provider.effects().filter((line) => line["paymentId"] === paymentId && line["kind"] === kind);

/** Returns the accounts in which a payment has left a balance: none after a full reversal. */
async function leftOver(subjectId: string): Promise<readonly object[]> {
  return rows(
    `select account from (
       select debit_account as account, amount_minor as minor from ledger_transfers where subject_id = $1
       union all select credit_account, -amount_minor from ledger_transfers where subject_id = $1) sides
     group by account having sum(minor) <> 0`,
    subjectId,
  );
}

async function assertNoReserve(): Promise<void> {
  assert.deepEqual(await rows("select 1 from reserves where open_refunds_minor <> 0"), []);
}

test("cancelling a paid payment reverses all of it once, and leaves no balance in any account", async () => {
  const paymentId = await paid("paid-1", { by: poor });
  await shop.waitForWebhooks(paymentId, 1);
  const cancelled = await call("cancel", { paymentRequestId: "paid-1" }, { by: poor });
  assert.equal(codeOf(cancelled), "SUCCESS");
  assert.match(String(cancelled.json["cancelTime"]), /\+00:00$/);
  assert.deepEqual((await call("cancel", { paymentId }, { by: poor })).json, cancelled.json);

  assert.deepEqual(
    linesOf(paymentId, "refunded").map(({ amount }) => amount),
    [eur(1250)],
  );
  assert.deepEqual(await leftOver(paymentId), []);
  await assertNoReserve();
  assert.equal(codeOf(await call("pay", payRequest("paid-1"), { by: poor })), "ORDER_IS_CANCELED");
  const refund = { refundRequestId: "paid-1-r", paymentId, refundAmount: eur(1) };
  assert.equal(codeOf(await call("refund", refund, { by: poor })), "ORDER_IS_CANCELED");
  const { paymentStatus, paymentTime, transactions } = await inquire(paymentId, poor);
  assert.equal(paymentStatus, "CANCELLED");
  assert.notEqual(paymentTime, undefined);
  assert.partialDeepStrictEqual(transactions, [
    { transactionType: "CANCEL", transactionStatus: "SUCCESS", transactionAmount: eur(1250) },
  ]);
  // The merchant gets no webhook about the cancel that it requested.
  assert.equal(shop.webhooksOf(paymentId).length, 1);
});

const refusals: readonly (readonly [string, string, string, (paymentId: string) => Promise<unknown>])[] = [
  ["never, where the payment method says so", "BOOST", "PAYMENT_METHOD_NOT_SUPPORTED", async () => undefined],
  [
    "never, if the payment method forbids it",
    "GCASH",
    "CANCEL_WINDOW_EXCEED",
    (paymentId) => age(paymentId, 2),
  ],
  ["too late after a week", "MAYA", "CANCEL_WINDOW_EXCEED", (paymentId) => age(paymentId, 7)],
  [
    "not after a refund of any amount",
    "GCASH",
    "PROCESS_FAIL",
    (paymentId) => call("refund", { refundRequestId: `r-${paymentId}`, paymentId, refundAmount: eur(1) }),
  ],
];

async function age(paymentId: string, days: number): Promise<void> {
  await rows(
    "update payments set paid_at = paid_at - make_interval(days => $2) where payment_id = $1",
    paymentId,
    days,
  );
}

for (const [name, paymentMethodType, expected, first] of refusals) {
  test(`a paid payment is cancelled ${name}: ${expected}`, async () => {
    const paymentId = await paid(`refused-${name}`.replaceAll(/[ ,]/g, "-"), { paymentMethodType });
    await first(paymentId);
    assert.equal(codeOf(await call("cancel", { paymentId })), expected);
    assert.equal((await inquire(paymentId))["paymentStatus"], "SUCCESS");
  });
}

test("six days are inside the window of a provider that allows a week", async () => {
  const paymentId = await paid("week-1", { paymentMethodType: "MAYA" });
  await age(paymentId, 6);
  assert.equal(codeOf(await call("cancel", { paymentId })), "SUCCESS");
});

test("a merchant whose balance is too low for the reversal cannot cancel", async () => {
  const [refunded, kept] = [await paid("poor-1", { by: poor }), await paid("poor-2", { by: poor })];
  // A refund does not return the fee, so the merchant's balance is less than the amount of the second payment.
  const refund = { refundRequestId: "poor-1-r", paymentId: refunded, refundAmount: eur(1250) };
  assert.equal(codeOf(await call("refund", refund, { by: poor })), "SUCCESS");
  const refused = await call("cancel", { paymentId: kept }, { by: poor });
  assert.equal(codeOf(refused), "MERCHANT_BALANCE_NOT_ENOUGH");
  assert.equal(linesOf(kept, "refunded").length, 0);
});

test("a cancel whose provider response is lost is unknown first, then done, and done once", async () => {
  const paymentId = await paid("lost-1");
  await provider.fault({ kind: "answer-lost", match: { paymentId, verb: "refund" } });
  assert.equal(codeOf(await call("cancel", { paymentId })), "UNKNOWN_EXCEPTION");
  await eventually(
    15_000,
    () => call("cancel", { paymentId }),
    (answer) => codeOf(answer) === "SUCCESS",
  );
  assert.equal(linesOf(paymentId, "refunded").length, 1);
  assert.deepEqual(await leftOver(paymentId), []);
});

test("a cancel that the provider refuses leaves the payment unchanged, and a repeat gets the same refusal", async () => {
  const paymentId = await paid("refused-1");
  await rows("update payments set provider_reference = 'elsewhere' where payment_id = $1", paymentId);
  assert.equal(codeOf(await call("cancel", { paymentId })), "PROCESS_FAIL");
  assert.equal(codeOf(await call("cancel", { paymentId })), "PROCESS_FAIL");
  const { paymentStatus, transactions } = await inquire(paymentId);
  assert.equal(paymentStatus, "SUCCESS");
  assert.partialDeepStrictEqual(transactions, [{ transactionType: "CANCEL", transactionStatus: "FAIL" }]);
  const [{ cancel_requested_at: requestedAt } = {}] = await rows<{ cancel_requested_at: Date | null }>(
    "select cancel_requested_at from payments where payment_id = $1",
    paymentId,
  );
  assert.equal(requestedAt, null);
  await assertNoReserve();
});

test("a cancel and a refund at the same time: only one of them returns the money", async () => {
  const paymentIds = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => paid(`race-${index}`)));
  await Promise.all(
    paymentIds.flatMap((paymentId, index) => {
      const refund = { refundRequestId: `race-${index}-r`, paymentId, refundAmount: eur(1250) };
      const [first, second] = index % 2 === 0 ? [one.url, other.url] : [other.url, one.url];
      return [call("refund", refund, { at: first }), call("cancel", { paymentId }, { at: second })];
    }),
  );
  for (const paymentId of paymentIds) {
    await eventually(
      15_000,
      () => inquire(paymentId),
      ({ transactions }) =>
        (transactions as Record<string, string>[])[0]?.["transactionStatus"] === "SUCCESS",
    );
    assert.equal(linesOf(paymentId, "refunded").length, 1);
    const { paymentStatus, transactions } = await inquire(paymentId);
    const [{ transactionType } = { transactionType: "" }] = transactions as Record<string, string>[];
    assert.equal(paymentStatus, transactionType === "CANCEL" ? "CANCELLED" : "SUCCESS");
  }
  await assertNoReserve();
});

test("if the buyer pays during the cancel, the next cancel returns the whole amount", async () => {
  const { json } = await call("pay", payRequest("quick-1"));
  const paymentId = String(json["paymentId"]);
  await provider.fault({ kind: "pay-on-cancel", match: { paymentId } });
  assert.equal(codeOf(await call("cancel", { paymentId })), "UNKNOWN_EXCEPTION");
  assert.equal((await inquire(paymentId))["paymentStatus"], "SUCCESS");
  assert.equal(codeOf(await call("cancel", { paymentId })), "SUCCESS");
  assert.equal(linesOf(paymentId, "refunded").length, 1);
});

test("a provider that would refund twice gets one request, also when another process takes the cancel over", async () => {
  const paymentId = await paid("careless-1", { paymentMethodType: "TNG" });
  await provider.fault({ kind: "not-idempotent", match: { paymentId }, count: 100 });
  await provider.fault({ kind: "answer-lost", match: { paymentId, verb: "refund" } });
  assert.equal(codeOf(await call("cancel", { paymentId })), "UNKNOWN_EXCEPTION");
  await eventually(
    15_000,
    () => call("cancel", { paymentId }),
    (answer) => codeOf(answer) === "SUCCESS",
  );
  assert.equal(linesOf(paymentId, "refunded").length, 1);
});

test("a provider that would open two orders gets one request, then an inquiry when its response is lost", async () => {
  const more = { paymentMethod: { paymentMethodType: "TNG" } };
  await provider.fault({ kind: "not-idempotent", match: { verb: "submit" }, count: 1 });
  await provider.fault({ kind: "answer-lost", match: { verb: "submit" }, count: 1 });
  const { json } = await call("pay", payRequest("careless-2", more));
  const paymentId = String(json["paymentId"]);
  await eventually(
    15_000,
    () =>
      rows("select 1 from payments where payment_id = $1 and provider_accepted_at is not null", paymentId),
    ({ length }) => length === 1,
  );
  assert.equal((await provider.control(paymentId, "approve")).status, 200);
  await stateIs(paymentId, "SUCCESS");
  assert.equal(linesOf(paymentId, "submit").length, 1);
});

test("an order that such a provider does not know is closed there after the quiet time", async () => {
  const more = { paymentMethod: { paymentMethodType: "TNG" } };
  await provider.fault({ kind: "refuse-connection", match: { verb: "submit" }, count: 1 });
  const { json } = await call("pay", payRequest("careless-3", more));
  await stateIs(String(json["paymentId"]), "FAIL");
  assert.equal(codeOf(await call("pay", payRequest("careless-3", more))), "ORDER_IS_CLOSED");
});

test("the reversal of a late success appears in the payment's transactions", async () => {
  const { json } = await call("pay", payRequest("late-1"));
  const paymentId = String(json["paymentId"]);
  assert.equal(codeOf(await call("cancel", { paymentId })), "SUCCESS");
  assert.equal((await inquire(paymentId))["transactions"], undefined);
  await provider.fault({ kind: "late-success", match: { paymentId } });
  assert.equal((await provider.control(paymentId, "approve")).status, 200);
  const { paymentStatus, transactions } = await eventually(
    10_000,
    () => inquire(paymentId),
    (answer) => JSON.stringify(answer["transactions"] ?? "").includes('"SUCCESS"'),
  );
  assert.equal(paymentStatus, "CANCELLED");
  assert.partialDeepStrictEqual(transactions, [
    { transactionType: "REFUND", transactionStatus: "SUCCESS", transactionAmount: eur(1250) },
  ]);
  assert.deepEqual(await leftOver(paymentId), []);
});

test("an authorization hold that was reported too late is released", async () => {
  const factor = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const { json } = await call("pay", payRequest("late-2", factor));
  const paymentId = String(json["paymentId"]);
  assert.equal(codeOf(await call("cancel", { paymentId })), "SUCCESS");
  await provider.fault({ kind: "late-success", match: { paymentId } });
  assert.equal((await provider.control(paymentId, "approve")).status, 200);
  await eventually(
    10_000,
    async () => linesOf(paymentId, "closed").length,
    (closed) => closed === 2,
  );
  assert.equal((await inquire(paymentId))["paymentStatus"], "CANCELLED");
  assert.deepEqual(await rows("select 1 from ledger_transfers where subject_id = $1", paymentId), []);
});
