import assert from "node:assert/strict";
import { test } from "node:test";
import { formatWireTime } from "../../core/request-time.ts";
import {
  orderResponse,
  paidOrder,
  startScriptedStack,
  startScriptedProvider,
  successResponse,
  failureResponse,
  type Script,
} from "../../../test/start/scripted-provider.ts";
import { setProviderAccount } from "../../operators/providers/provider-accounts.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { payRequest } from "../../../test/start/test-stack.ts";

/**
 * These tests run in live. A stolen provider key or a lagging read replica of the provider must neither create nor lose
 * money.
 */
const stack = await startScriptedStack("live");
const { merchant, database } = stack;
const opens: Script = ({ verb, fields }) =>
  orderResponse(fields.reference, verb === "cancel" ? "CLOSED" : "OPEN");
const provider = await startScriptedProvider("w", opens);
await stack.connect(provider);
const accountProvider = await startScriptedProvider("accounts", opens);
await stack.connect(accountProvider, { methods: ["ACCOUNTPAY"], terms: { accounts: "optional" } });
const setAccount = (account: string): Promise<unknown> =>
  setProviderAccount(
    { url: database.ownerUrl, environment: "live", by: { alone: true } },
    { connector: "accounts", clientId: merchant.clientId, account },
  );
await setAccount("acct_1");
const { url, process } = await stack.serve({ isPublic: true });
let logged = "";
process.child.stdout?.setEncoding("utf8").on("data", (text: string) => (logged += text));

async function sendRequest(path: string, body: object): Promise<ReceivedAnswer["json"]> {
  return (await call(url, merchant, { path: pathOf("live", path), body: JSON.stringify(body) })).json;
}

interface OrderedPayment {
  readonly paymentId: string;
  readonly reference: string;
}

/** A payment whose order exists at the provider. */
async function newPayment(name: string, fields: object = {}): Promise<OrderedPayment> {
  provider.script = opens;
  const earlier = provider.requests.length;
  const paymentId = String((await sendRequest("payments/pay", payRequest(name, fields)))["paymentId"]);
  const submitRequest = await eventually(
    5_000,
    async () => provider.requests.slice(earlier).find(({ verb }) => verb === "submit"),
    (found) => found !== undefined,
  );
  await eventually(
    5_000,
    () =>
      select("select 1 from payments where payment_id = $1 and provider_accepted_at is not null", paymentId),
    (rows) => rows.length === 1,
  );
  return { paymentId, reference: submitRequest?.fields.reference ?? "" };
}

function select<Row extends object>(text: string, subjectId: string): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, [subjectId], database.superuserUrl);
}

async function sendCallback({ paymentId, reference }: OrderedPayment, content: object): Promise<unknown> {
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const { json } = await provider.sendCallback(url, about, {
    eventId: `${paymentId}-1`,
    reference,
    ...content,
  });
  return json.result["resultStatus"];
}

async function statusOf({ paymentId }: OrderedPayment): Promise<unknown> {
  return (await sendRequest("payments/inquiryPayment", { paymentId }))["paymentStatus"];
}

/**
 * Waits for a logged alert. The gateway writes the log line before the response to the provider, and the test reads it
 * a moment later.
 */
async function waitForAlert({ paymentId }: OrderedPayment): Promise<void> {
  const isAlert = (line: string): boolean => line.includes('"alert":true') && line.includes(paymentId);
  await eventually(2_000, async () => logged.split("\n").some(isAlert), Boolean);
}

test("a late success that the provider's inquiry does not confirm yet is retried, and reversed once confirmed", async () => {
  const payment = await newPayment("late");
  const { paymentId, reference } = payment;
  assert.equal((await sendRequest("payments/cancel", { paymentId })).result["resultCode"], "SUCCESS");
  provider.script = () => orderResponse(reference, "CLOSED");
  assert.equal(await sendCallback(payment, { order: paidOrder(reference) }), "U");
  await waitForAlert(payment);
  provider.script = () => successResponse({ order: paidOrder(reference) });
  assert.equal(await sendCallback(payment, { order: paidOrder(reference) }), "S");
  const reversals = await select("select reason from reversals where payment_id = $1", paymentId);
  assert.deepEqual(reversals, [{ reason: "LATE_SUCCESS" }]);
  const effects = await select("select effect from ledger_transfers where subject_id = $1", paymentId);
  assert.equal(effects.length, 1);
});

const ends = {
  DECLINED: { resultCode: "RISK_REJECT" },
  CLOSED: {},
  PAID: paidOrder(""),
  AUTHORIZED: paidOrder(""),
};
for (const [state, more] of Object.entries(ends)) {
  test(`a callback with ${state} settles no payment that the provider's inquiry reports as open`, async () => {
    const payment = await newPayment(`forged-${state}`);
    const { reference } = payment;
    assert.equal(await sendCallback(payment, { order: { ...more, reference, state } }), "U");
    await waitForAlert(payment);
    assert.equal(await statusOf(payment), "PROCESSING");
  });
}

test("a decline that the provider's inquiry confirms is recorded", async () => {
  const payment = await newPayment("declined");
  const { reference } = payment;
  provider.script = () => orderResponse(reference, "DECLINED", { resultCode: "RISK_REJECT" });
  assert.equal(await sendCallback(payment, { order: { reference, state: "DECLINED" } }), "S");
  assert.equal(await statusOf(payment), "FAIL");
});

test("an authorization that was released before the inquiry is not reported to the merchant", async () => {
  const payment = await newPayment("let-go", {
    paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
  });
  const { reference } = payment;
  provider.script = () => orderResponse(reference, "CLOSED", { sequence: 3 });
  const authorizedOrder = { ...paidOrder(reference, "AUTHORIZED"), sequence: 2 };
  assert.equal(await sendCallback(payment, { order: authorizedOrder }), "S");
  assert.equal(await statusOf(payment), "FAIL");
});

test("a dispute state that the provider's inquiry does not confirm yet is retried", async () => {
  const payment = await newPayment("disputed");
  const { reference } = payment;
  provider.script = () => successResponse({ order: paidOrder(reference) });
  assert.equal(await sendCallback(payment, { order: paidOrder(reference) }), "S");
  const time = formatWireTime(Date.now());
  const dispute = {
    providerDisputeId: `d-${reference}`,
    reference,
    disputeType: "CHARGEBACK",
    amount: { currency: "EUR", value: "1250" },
    createdTime: time,
    dueTime: formatWireTime(Date.now() + 7 * 24 * 3600 * 1000),
    defendable: true,
    state: "OPEN",
    sequence: 1,
  };
  const lost = { ...dispute, state: "JUDGED", judgedResult: "ACCEPT_BY_MERCHANT", sequence: 2 };
  const lostAll = { ...lost, takenAmount: dispute.amount };
  const find = (): Promise<readonly object[]> =>
    select(
      "select status, frozen_minor, debited_minor from disputes where payment_id = $1",
      payment.paymentId,
    );

  provider.script = () => failureResponse("RECORD_NOT_FOUND");
  assert.equal(await sendCallback(payment, { eventId: "d-1", dispute }), "U");
  assert.deepEqual(await find(), []);
  provider.script = () => successResponse({ dispute });
  assert.equal(await sendCallback(payment, { eventId: "d-1", dispute }), "S");
  assert.equal(await sendCallback(payment, { eventId: "d-2", dispute: lostAll }), "U");
  assert.deepEqual(await find(), [{ status: "CREATED", frozen_minor: "1250", debited_minor: "0" }]);
  provider.script = () => successResponse({ dispute: lostAll });
  assert.equal(await sendCallback(payment, { eventId: "d-2", dispute: lostAll }), "S");
  assert.deepEqual(await find(), [{ status: "JUDGED", frozen_minor: "0", debited_minor: "1250" }]);
});

test("a callback is confirmed with the account of its order, also after the merchant's account changed", async () => {
  const request = payRequest("account", { paymentMethod: { paymentMethodType: "ACCOUNTPAY" } });
  const paymentId = String((await sendRequest("payments/pay", request))["paymentId"]);
  const { requests } = accountProvider;
  const submit = await eventually(
    5_000,
    async () => requests.find(({ verb }) => verb === "submit"),
    (found) => found !== undefined,
  );
  await setAccount("acct_2");
  const reference = submit?.fields.reference ?? "";
  accountProvider.script = () => successResponse({ order: paidOrder(reference) });
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const content = { eventId: "account-1", reference, order: paidOrder(reference) };
  const { json } = await accountProvider.sendCallback(url, about, content);
  assert.equal(json.result["resultStatus"], "S");
  const inquiry = requests.find(({ verb }) => verb === "inquire");
  assert.deepEqual(inquiry?.fields, { reference, merchantId: merchant.clientId, account: "acct_1" });
});
