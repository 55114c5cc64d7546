import assert from "node:assert/strict";
import { test } from "node:test";
import { wireTime } from "../core/request-time.ts";
import {
  orderIs,
  paidOrder,
  startScriptedStack,
  startScriptedWallet,
  walletSays,
  walletSaysNo,
  type Script,
} from "../../test/start/scripted-wallet.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { payRequest } from "../../test/start/test-stack.ts";

/** In live a stolen key of a wallet, or a wallet whose read side lags, must neither make money nor lose it. */
const stack = await startScriptedStack("live");
const { merchant, database } = stack;
const opens: Script = ({ verb, fields }) => orderIs(fields.reference, verb === "cancel" ? "CLOSED" : "OPEN");
const wallet = await startScriptedWallet("w", opens);
await stack.connect(wallet);
const { url, process } = await stack.serve({ isPublic: true });
let logged = "";
process.child.stdout?.setEncoding("utf8").on("data", (text: string) => (logged += text));

async function ask(path: string, body: object): Promise<ReceivedAnswer["json"]> {
  return (await call(url, merchant, { path: pathOf("live", path), body: JSON.stringify(body) })).json;
}

interface Standing {
  readonly paymentId: string;
  readonly reference: string;
}

/** A payment whose order stands at the wallet. */
async function newPayment(name: string, more: object = {}): Promise<Standing> {
  wallet.script = opens;
  const earlier = wallet.asked.length;
  const paymentId = String((await ask("payments/pay", payRequest(name, more)))["paymentId"]);
  const asked = await eventually(
    5_000,
    async () => wallet.asked.slice(earlier).find(({ verb }) => verb === "submit"),
    (found) => found !== undefined,
  );
  await eventually(
    5_000,
    () =>
      select("select 1 from payments where payment_id = $1 and wallet_accepted_at is not null", paymentId),
    (rows) => rows.length === 1,
  );
  return { paymentId, reference: asked?.fields.reference ?? "" };
}

function select<Row extends object>(text: string, subjectId: string): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, [subjectId], database.superuserUrl);
}

async function tell({ paymentId, reference }: Standing, content: object): Promise<unknown> {
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const { json } = await wallet.tell(url, about, { eventId: `${paymentId}-1`, reference, ...content });
  return json.result["resultStatus"];
}

async function statusOf({ paymentId }: Standing): Promise<unknown> {
  return (await ask("payments/inquiryPayment", { paymentId }))["paymentStatus"];
}

/** An alert is logged; the line is written before the wallet is answered, and read a moment later. */
async function alertOf({ paymentId }: Standing): Promise<void> {
  const isIt = (line: string): boolean => line.includes('"alert":true') && line.includes(paymentId);
  await eventually(2_000, async () => logged.split("\n").some(isIt), Boolean);
}

test("a late success that the wallet's own inquiry does not show yet is asked for again, and sent back when it does", async () => {
  const payment = await newPayment("late");
  const { paymentId, reference } = payment;
  assert.equal((await ask("payments/cancel", { paymentId })).result["resultCode"], "SUCCESS");
  wallet.script = () => orderIs(reference, "CLOSED");
  assert.equal(await tell(payment, { order: paidOrder(reference) }), "U");
  await alertOf(payment);
  wallet.script = () => walletSays({ order: paidOrder(reference) });
  assert.equal(await tell(payment, { order: paidOrder(reference) }), "S");
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
  test(`${state} by callback alone ends no payment that the wallet calls open`, async () => {
    const payment = await newPayment(`forged-${state}`);
    const { reference } = payment;
    assert.equal(await tell(payment, { order: { ...more, reference, state } }), "U");
    await alertOf(payment);
    assert.equal(await statusOf(payment), "PROCESSING");
  });
}

test("a decline that the wallet repeats on being asked is one", async () => {
  const payment = await newPayment("declined");
  const { reference } = payment;
  wallet.script = () => orderIs(reference, "DECLINED", { resultCode: "RISK_REJECT" });
  assert.equal(await tell(payment, { order: { reference, state: "DECLINED" } }), "S");
  assert.equal(await statusOf(payment), "FAIL");
});

test("a hold that was let go since it was told of is told of no more", async () => {
  const payment = await newPayment("let-go", {
    paymentFactor: { isAuthorization: true, captureMode: "MANUAL" },
  });
  const { reference } = payment;
  wallet.script = () => orderIs(reference, "CLOSED", { sequence: 3 });
  const held = { ...paidOrder(reference, "AUTHORIZED"), sequence: 2 };
  assert.equal(await tell(payment, { order: held }), "S");
  assert.equal(await statusOf(payment), "FAIL");
});

test("a dispute whose newest state the wallet's inquiry does not show yet is asked for again", async () => {
  const payment = await newPayment("disputed");
  const { reference } = payment;
  wallet.script = () => walletSays({ order: paidOrder(reference) });
  assert.equal(await tell(payment, { order: paidOrder(reference) }), "S");
  const time = wireTime(Date.now());
  const dispute = {
    walletDisputeId: `d-${reference}`,
    reference,
    disputeType: "CHARGEBACK",
    amount: { currency: "EUR", value: "1250" },
    createdTime: time,
    dueTime: wireTime(Date.now() + 7 * 24 * 3600 * 1000),
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

  wallet.script = () => walletSaysNo("RECORD_NOT_FOUND");
  assert.equal(await tell(payment, { eventId: "d-1", dispute }), "U");
  assert.deepEqual(await find(), []);
  wallet.script = () => walletSays({ dispute });
  assert.equal(await tell(payment, { eventId: "d-1", dispute }), "S");
  assert.equal(await tell(payment, { eventId: "d-2", dispute: lostAll }), "U");
  assert.deepEqual(await find(), [{ status: "CREATED", frozen_minor: "1250", debited_minor: "0" }]);
  wallet.script = () => walletSays({ dispute: lostAll });
  assert.equal(await tell(payment, { eventId: "d-2", dispute: lostAll }), "S");
  assert.deepEqual(await find(), [{ status: "JUDGED", frozen_minor: "0", debited_minor: "1250" }]);
});
