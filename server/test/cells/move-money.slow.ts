import assert from "node:assert/strict";
import { after, test } from "node:test";
import { settlementCsv } from "../examples/settlement-csv.ts";
import { withHome } from "../../src/cells/directory.ts";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import { reconcile } from "../../src/reconciliation/reconcile.workflow.ts";
import { moveMerchant } from "../../src/moves/move-merchant.workflow.ts";
import {
  findPayoutHolds,
  holdPayouts,
  releasePayouts,
} from "../../src/settlement/payouts/hold-payouts.workflow.ts";
import { importSettlementFile } from "../../src/reconciliation/import-settlement-file.workflow.ts";
import { createPaidPayment, startAcceptingProvider } from "../shop/scripted-payment.ts";
import { readFeed } from "../shop/test-feed.ts";
import { acknowledge, startTestEndpoint } from "../shop/test-notification.ts";
import { refundUntilFinal, refundRequest, resultOf } from "../shop/test-refund.ts";
import { paidOrder } from "../start/scripted-provider.ts";
import { asSuperuser, expireLeases } from "../start/test-database.ts";
import { writeTestFile } from "../start/test-gateway.ts";
import { callPayments, payRequest } from "../start/test-stack.ts";
import { eventually, waitForLine, startTestProcess } from "../start/test-process.ts";
import { newMerchantIn, startTestFleet, type TestCell } from "./test-fleet.ts";

/** Money in transit while its merchant moves, with workers in both cells and one provider that both cells use. */
const fleet = await startTestFleet();
const [a, b] = fleet.cells;
const provider = await startAcceptingProvider("gcash");
const connector = {
  name: "gcash",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["*"],
  simulator: false,
};
for (const { database, variables } of [a, b]) {
  await addConnector(database.ownerUrl, "sandbox", connector);
  const workerVariables = { ...variables, TOLLGATE_DATABASE_URL: database.workUrl };
  await waitForLine(startTestProcess(["server/src/main.ts", "work"], workerVariables), /^Tollgate works/);
}
const merchant = await newMerchantIn(a, "Coffee");
const { clientId } = merchant;
const shop = await startTestEndpoint((_request, response) => void response.writeHead(500).end());
after(() => assert.doesNotMatch(a.serve.stderr() + b.serve.stderr(), /"level":50/));

const notifyOption = { paymentNotifyUrl: shop.url };
const inquire = (cell: TestCell, paymentId: string): ReturnType<typeof callPayments> =>
  callPayments(cell.serve.url, merchant, "inquiryPayment", { paymentId });
const submittedReference = (paymentId: string): string =>
  provider.requests.find(({ verb, fields }) => verb === "submit" && fields["paymentId"] === paymentId)?.fields
    .reference ?? "";
const rowsIn = <Row extends object>({ database }: TestCell, statement: string): Promise<readonly Row[]> =>
  asSuperuser<Row>(statement, [clientId], database.superuserUrl);

// Running processes need a moment to learn of a new connector, and a rejection is final.
let requestCount = 0;
await eventually(
  30_000,
  async () =>
    (await callPayments(a.serve.url, merchant, "pay", payRequest(`early-${(requestCount += 1)}`))).json,
  (json) => json["paymentId"] !== undefined,
);
const paidId = await createPaidPayment(a.serve.url, merchant, provider, "paid-before");
const openPayment = await callPayments(
  a.serve.url,
  merchant,
  "pay",
  payRequest("open-at-the-fence", notifyOption),
);
const openId = String(openPayment.json["paymentId"]);
await eventually(
  10_000,
  async () => submittedReference(openId),
  (reference) => reference !== "",
);
const webhookPayment = await callPayments(
  a.serve.url,
  merchant,
  "pay",
  payRequest("told-later", notifyOption),
);
const webhookPaymentId = String(webhookPayment.json["paymentId"]);
await eventually(
  10_000,
  async () => submittedReference(webhookPaymentId),
  (reference) => reference !== "",
);
const paidContent = (paymentId: string): object => {
  const reference = submittedReference(paymentId);
  return { eventId: `paid-${paymentId}`, reference, order: paidOrder(reference) };
};
await provider.sendCallback(
  a.serve.url,
  { clientId, subjectId: webhookPaymentId },
  paidContent(webhookPaymentId),
);
// The shop does not receive the webhook yet, because its system is down.
await eventually(
  10_000,
  async () => shop.bodies.length,
  (count) => count > 0,
);

const sums = `select account, sum(minor)::text as minor from (
    select debit_account as account, amount_minor as minor from ledger_transfers where client_id = $1
    union all select credit_account, -amount_minor from ledger_transfers where client_id = $1) as sides
  group by account order by account`;

test("ledger, event feed and pending webhooks have moved, too", async (context) => {
  await eventually(
    10_000,
    () => rowsIn(a, "select from notifications where client_id = $1 and position is null"),
    (rows) => rows.length === 0,
  );
  const by = { name: "ada", reason: "Suspected fraud" };
  await holdPayouts({ url: a.database.ownerUrl, environment: "sandbox", by }, clientId);
  const [sumsBefore, feedBefore] = [await rowsIn(a, sums), await readFeed(a.serve.url, merchant)];
  const moved = await moveMerchant({
    clientId,
    sourceUrl: a.database.ownerUrl,
    targetUrl: b.database.ownerUrl,
    goal: "move",
    onStep: () => undefined,
  });
  context.diagnostic(JSON.stringify(moved));
  assert.equal(moved.outcome, "moved");
  await fleet.publish((directory) => withHome(directory, clientId, { cell: "b", epoch: moved.epoch }));
  assert.deepEqual(await rowsIn(b, sums), sumsBefore);
  const feed = await eventually(
    5_000,
    () => readFeed(b.serve.url, merchant),
    ({ code }) => code === "SUCCESS",
  );
  assert.deepEqual(feed.events, feedBefore.events);
  assert.ok(feed.events.length > 0);
});

test("a payout hold has moved, too, and is released at the new home", async () => {
  const operator = { url: b.database.ownerUrl, environment: "sandbox" } as const;
  assert.partialDeepStrictEqual(await findPayoutHolds(operator), [{ clientId, heldBy: "ada" }]);
  const payoutsHeldSql =
    "select payouts_are_held(bucket, client_id) as held from clients where client_id = $1";
  assert.deepEqual(await rowsIn(b, payoutsHeldSql), [{ held: true }]);
  await releasePayouts(operator, clientId);
  assert.deepEqual(await rowsIn(b, payoutsHeldSql), [{ held: false }]);
});

test("a callback to the old home settles the payment at the new one, once", async () => {
  // The callback is sent three times, as a provider repeats it that gets no response.
  for (let times = 1; times <= 3; times += 1) {
    const answer = await eventually(
      10_000,
      () => provider.sendCallback(a.serve.url, { clientId, subjectId: openId }, paidContent(openId)),
      ({ json }) => json.result["resultCode"] === "SUCCESS",
    );
    assert.equal(answer.status, 200);
  }
  await eventually(
    10_000,
    () => inquire(b, openId),
    ({ json }) => json["paymentStatus"] === "SUCCESS",
  );
  const postedPaymentSql =
    "select from ledger_transfers where client_id = $1 and effect = 'payment' and line = 1";
  assert.equal((await rowsIn(b, `${postedPaymentSql} and subject_id = '${openId}'`)).length, 1);
  assert.equal((await rowsIn(a, `${postedPaymentSql} and subject_id = '${openId}'`)).length, 0);
});

test("a payment of the old home is refunded at the new one, through either cell", async () => {
  for (const [index, { serve }] of [a, b].entries()) {
    const body = refundRequest(`back-${index}`, paidId, "100");
    const refunded = await refundUntilFinal({ url: serve.url, merchant }, body);
    assert.equal(resultOf(refunded), "SUCCESS");
  }
  const refunds = provider.requests.filter(({ verb }) => verb === "refund");
  assert.equal(new Set(refunds.map(({ fields }) => fields.refundReference)).size, 2);
});

test("a pending webhook of the old home is delivered from the new one, and the event feed continues without a gap", async () => {
  const before = shop.bodies.length;
  shop.answer = acknowledge;
  await expireLeases(b.database);
  await rowsIn(b, "update jobs set due_at = clock_timestamp() where client_id = $1 and job like '%notif%'");
  await eventually(
    30_000,
    () =>
      rowsIn(
        b,
        "select from notifications where client_id = $1 and (status = 'WAITING' or position is null)",
      ),
    (rows) => rows.length === 0,
  );
  assert.ok(shop.bodies.length > before);
  const positions = await rowsIn<{ position: string }>(
    b,
    "select position::text from notifications where client_id = $1 order by notifications.position",
  );
  assert.deepEqual(
    positions.map(({ position }) => Number(position)),
    positions.map((_, index) => index + 1),
  );
});

test("records of the new home, its ledger and the provider's file agree", async () => {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const payments = [paidId, openId, webhookPaymentId].map((paymentId) => {
    const reference = submittedReference(paymentId);
    return `payment,${reference},${reference},${paymentId},EUR,1250,${at}`;
  });
  const refunds = new Map(
    provider.requests
      .filter(({ verb }) => verb === "refund")
      .map(({ fields: { reference, refundReference } }) => [
        refundReference,
        `refund,${reference},${refundReference},${paidId},EUR,100,${at}`,
      ]),
  );
  const file = writeTestFile("provider.csv", settlementCsv([...payments, ...refunds.values()]));
  const operator = { url: b.database.ownerUrl, environment: "sandbox" } as const;
  await importSettlementFile(operator, { connector: "gcash", file });
  const until = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
  const { breaks, totals } = await reconcile(operator, { connector: undefined, until });
  assert.deepEqual(breaks, []);
  assert.ok(totals.length > 0);
});
