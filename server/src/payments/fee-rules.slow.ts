import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFeeRule } from "../operators/ledger/fee-rules.ts";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { flatRateTerms } from "../ledger/fee.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, type ReceivedAnswer, type TestMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { newMerchantClient, chooseMethod, openSession } from "../../test/shop/test-session.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";

/** These tests check fee rules through gateway, worker and provider: booked, returned, reserved and reversed fees. */
const stack = await startTestStack();
const { merchant, provider, database } = stack;
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const [one, other] = [await stack.serve({ isPublic: true }), await stack.serve()];
await stack.work();
await rows("update clients set fee_basis_points = 100, rate_per_second = 100000, rate_burst = 100000");

function rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, values, database.superuserUrl);
}

const call = (by: TestMerchant, verb: string, body: object, url = one.url): Promise<ReceivedAnswer> =>
  callPayments(url, by, verb, body);
const eur = (minor: number): object => ({ currency: "EUR", value: String(minor) });
const terms = { ...flatRateTerms(290), fixedMinor: 30n, taxMillionths: 190_000n };
const everything = { clientId: undefined, paymentMethodType: undefined, currency: "EUR" } as const;

/** `merchantWith` adds a merchant with its own fee rule, which is in force and loaded by every process. */
async function merchantWith(more: Partial<typeof terms>): Promise<TestMerchant> {
  const added = await newMerchant(database, "Tea Lab");
  const scope = { ...everything, clientId: added.clientId };
  await setFeeRule(operator, { ...scope, from: "2026-01-01", terms: { ...terms, ...more } });
  return added;
}

let count = 0;

/** `newPaidPayment` returns a payment of 12.50 that its buyer has paid or authorized. */
async function newPaidPayment(by: TestMerchant, more: object = {}): Promise<string> {
  const { json } = await call(by, "pay", payRequest(`order-${(count += 1)}`, more));
  const paymentId = String(json["paymentId"]);
  await eventually(
    10_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  await statusIs(by, paymentId, "SUCCESS");
  return paymentId;
}

const statusIs = (by: TestMerchant, paymentId: string, status: string): Promise<unknown> =>
  eventually(
    20_000,
    () => call(by, "inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === status,
  );

/** Repeats the request while the result status is `U`. */
const settled = (by: TestMerchant, verb: string, body: object): Promise<ReceivedAnswer> =>
  eventually(
    20_000,
    () => call(by, verb, body),
    ({ json }) => json.result["resultStatus"] !== "U",
  );

async function refund(by: TestMerchant, paymentId: string, minor: number): Promise<string | undefined> {
  const body = { refundRequestId: `refund-${(count += 1)}`, paymentId, refundAmount: eur(minor) };
  return (await settled(by, "refund", body)).json.result["resultCode"];
}

/** Balance of each account over the merchant's movements: debits minus credits. */
async function accountsOf({ clientId }: TestMerchant): Promise<Record<string, number>> {
  const sums = await rows<{ account: string; minor: string }>(
    `select account, sum(minor) as minor from (
       select debit_account as account, amount_minor as minor from ledger_transfers where client_id = $1
       union all select credit_account, -amount_minor from ledger_transfers where client_id = $1) sides
     group by account having sum(minor) <> 0`,
    clientId,
  );
  return Object.fromEntries(
    sums.map(({ account, minor }) => [account.replace(` ${clientId}`, ""), Number(minor)]),
  );
}

async function assertLedgerReconciles(): Promise<void> {
  const { breaks } = await reconcile(operator, { connector: undefined, until: undefined });
  assert.deepEqual(breaks, []);
}

test("fee and tax are booked by the fee rule, and a cancel reverses both", async () => {
  const tea = await merchantWith({});
  const first = await newPaidPayment(tea);
  // The fee is 2.9 % of 12.50 plus 0.30, which is 0.66. The tax of 19 % on the fee is 0.13.
  const booked = {
    "provider receivable test-provider": 1250,
    "merchant payable": -1171,
    "fee revenue": -66,
    "tax payable": -13,
  };
  assert.deepEqual(await accountsOf(tea), booked);
  const second = await newPaidPayment(tea);
  assert.equal((await settled(tea, "cancel", { paymentId: second })).json.result["resultCode"], "SUCCESS");
  assert.deepEqual(await accountsOf(tea), booked);
  const [remembered] = await rows<{ fee_terms: string }>(
    "select fee_terms from payments where payment_id = $1",
    first,
  );
  assert.match(remembered?.fee_terms ?? "", /^FEE_\w+:29000:30:0::190000:K:0$/);
  await assertLedgerReconciles();
});

test("partial and full refunds return fees by the refund policy, and cost the refund fee", async () => {
  const kind = await merchantWith({ refundPolicy: "return all" });
  const kindPayment = await newPaidPayment(kind);
  for (const part of [417, 417, 416]) assert.equal(await refund(kind, kindPayment, part), "SUCCESS");
  assert.deepEqual(await accountsOf(kind), {}, "no balance is left");

  const strict = await merchantWith({ refundPolicy: "return rate", refundFixedMinor: 25n });
  const payment = await newPaidPayment(strict);
  // The balance is 12.50 minus 0.79. A full refund returns 0.36 with 19 % tax, and costs 0.25 with 19 % tax.
  assert.equal(await refund(strict, payment, 1250), "MERCHANT_BALANCE_NOT_ENOUGH");
  await newPaidPayment(strict);
  assert.equal(await refund(strict, payment, 1250), "SUCCESS");
  const { "fee revenue": revenue, "tax payable": tax } = await accountsOf(strict);
  assert.deepEqual([revenue, tax], [-(66 + 66 - 36 + 25), -(13 + 13 - (13 - 6) + 5)]);
  await assertLedgerReconciles();
});

test("the fees of several captures equal the fee of their sum, with the fixed part charged once", async () => {
  const tea = await merchantWith({});
  const held = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const paymentId = await newPaidPayment(tea, held);
  for (const minor of [333, 333, 333, 251]) {
    const body = { captureRequestId: `capture-${(count += 1)}`, paymentId, captureAmount: eur(minor) };
    assert.equal((await settled(tea, "capture", body)).json.result["resultCode"], "SUCCESS");
  }
  assert.deepEqual(await accountsOf(tea), {
    "provider receivable test-provider": 1250,
    "merchant payable": -1171,
    "fee revenue": -66,
    "tax payable": -13,
  });
  await assertLedgerReconciles();
});

test("a session's fee depends on the chosen payment method and on the session's creation time", async () => {
  const tea = await merchantWith({});
  const scope = { clientId: tea.clientId, paymentMethodType: "GCASH", currency: "EUR" };
  const session = await openSession(newMerchantClient(one.url, tea));
  // This rule fits the payment method, but starts after the session was created, so it does not apply.
  await setFeeRule(operator, {
    ...scope,
    from: new Date().toISOString(),
    terms: { ...terms, fixedMinor: 99n },
  });
  await eventually(
    10_000,
    async () => {
      const { json } = await call(tea, "pay", payRequest(`order-${(count += 1)}`));
      const [found] = await rows<{ fee_terms: string }>(
        "select fee_terms from payments where payment_id = $1",
        json["paymentId"],
      );
      return found?.fee_terms ?? "";
    },
    (found) => found.includes(":99:"),
  );
  await chooseMethod(session.pageUrl, "GCASH");
  const [chosen] = await rows<{ fee_terms: string }>(
    "select fee_terms from payments where payment_id = $1",
    session.paymentId,
  );
  assert.match(chosen?.fee_terms ?? "", /:29000:30:/);
});

test(
  "a general fee rule starts at its exact millisecond in every process, and earlier payments keep the " +
    "merchant's rate",
  async () => {
    // The rule starts in six seconds, so that even a slow machine stores the rule before its start, as the live
    // environment requires.
    const fromAt = new Date(Date.now() + 6_000);
    await setFeeRule(operator, { ...everything, from: fromAt.toISOString(), terms });
    const pay = (url: string): Promise<unknown> =>
      call(merchant, "pay", payRequest(`order-${(count += 1)}`), url);
    const urls = [one.url, other.url];
    await Promise.all(urls.map(pay));
    await delay(fromAt.getTime() - 500 - Date.now());
    const paysOn = async (url: string): Promise<void> => {
      while (Date.now() < fromAt.getTime() + 300) await pay(url);
    };
    await Promise.all([...urls, ...urls].map(paysOn));
    await Promise.all(urls.map(pay));
    const made = await rows<{ is_after: boolean; is_by_rule: boolean; count: number }>(
      `select created_at >= $2 as is_after, fee_terms is not null as is_by_rule, count(*)::int
     from payments where client_id = $1 group by 1, 2 order by 1`,
      merchant.clientId,
      fromAt,
    );
    assert.deepEqual(
      made.map(({ is_after, is_by_rule }) => [is_after, is_by_rule]),
      [
        [false, false],
        [true, true],
      ],
    );
  },
);
