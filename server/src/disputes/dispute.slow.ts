import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { importSettlementFile } from "../reconciliation/import-settlement-file.workflow.ts";
import { startDisputeStack } from "../../test/shop/test-dispute.ts";
import { call, pathOf } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { inStorePayRequest } from "../../test/start/test-stack.ts";

const disputes = await startDisputeStack();
const {
  request: ask,
  createPaidPayment: paid,
  open,
  waitForWebhook: told,
  webhookTypesOf: toldOf,
  ledgerBalances: books,
  decide,
  provider,
  codeOf,
  database,
  refund,
  cancel,
} = disputes;
const folder = await mkdtemp(join(tmpdir(), "tollgate-disputes-"));
after(() => rm(folder, { recursive: true, force: true }));

const eur = (value: string): object => ({ currency: "EUR", value });
const pdf = Buffer.from("%PDF-1.4 proof of delivery").toString("base64");
const paidBalance = { receivable: 1250n, payable: -1250n, frozen: 0n };
const frozenBalance = { receivable: 1250n, payable: 0n, frozen: -1250n };
const emptyBalance = { receivable: 0n, payable: 0n, frozen: 0n };

test("a chargeback freezes the money and is reported, and its acceptance returns the money to the buyer", async () => {
  const paymentId = await paid();
  const { disputeId, body } = await open(paymentId, { reasonCode: "2006", source: "Shinhan" });
  assert.partialDeepStrictEqual(body, {
    disputeNotificationType: "DISPUTE_CREATED",
    paymentId,
    disputeAmount: eur("1250"),
    disputeType: "CHARGEBACK",
    disputeReasonCode: "2006",
    disputeReasonMsg: "Goods were not as described.",
    disputeSource: "Shinhan",
    defendable: true,
    sequence: 1,
  });
  assert.match(String(body["disputeTime"]), /^\d{4}-\d\d-\d\dT/);
  const weekMs = Date.parse(String(body["defenseDueTime"])) - Date.parse(String(body["disputeTime"]));
  assert.equal(weekMs, 7 * 24 * 3600 * 1000);
  assert.deepEqual(await books(paymentId), frozenBalance);
  const blocked = await refund(paymentId, "1");
  assert.equal(codeOf(blocked), "REFUND_AMOUNT_EXCEED");
  const day = String(body["defenseDueTime"]).slice(0, 10);
  assert.equal(
    blocked.json.result["resultMessage"],
    `EUR 12.50 is frozen by dispute ${disputeId}, until the dispute is decided.`,
  );
  assert.match(blocked.json.result["resultHint"] ?? "", new RegExp(`Answer the dispute by ${day}`));
  assert.equal(codeOf(await cancel(paymentId)), "ORDER_STATUS_INVALID");

  const accepted = await ask("acceptDispute", { disputeId });
  assert.equal(codeOf(accepted), "SUCCESS");
  assert.equal(accepted.json["disputeId"], disputeId);
  assert.match(String(accepted.json["disputeResolutionTime"]), /\+00:00$/);
  const webhook = await told(disputeId, "DISPUTE_ACCEPTED");
  assert.equal(webhook["disputeAcceptReason"], "MERCHANT_ACCEPTED");
  assert.equal(webhook["disputeAcceptTime"], accepted.json["disputeResolutionTime"]);
  assert.equal(webhook["sequence"], 2);
  assert.deepEqual(await books(paymentId), emptyBalance);
  const debited = (await refund(paymentId, "1")).json.result["resultMessage"];
  assert.equal(debited, `EUR 12.50 was returned to the buyer by dispute ${disputeId}.`);
  for (const operation of ["acceptDispute", "supplyDefenseDocument"] as const)
    assert.equal(codeOf(await ask(operation, { disputeId, disputeEvidence: pdf })), "REPEAT_REQUEST");
});

test("a chargeback that is defended and won leaves the balance unchanged", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  const supplied = await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf });
  assert.equal(codeOf(supplied), "SUCCESS");
  assert.equal(supplied.json["disputeId"], disputeId);
  assert.match(String(supplied.json["disputeResolutionTime"]), /\+00:00$/);
  assert.equal((await told(disputeId, "DEFENSE_SUPPLIED"))["sequence"], 2);
  assert.deepEqual(await books(paymentId), frozenBalance);
  assert.equal(
    codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })),
    "REPEAT_REQUEST",
  );
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "REPEAT_REQUEST");

  await decide(paymentId, "judge-won");
  const judged = await told(disputeId, "DISPUTE_JUDGED");
  assert.partialDeepStrictEqual(judged, {
    disputeJudgedResult: "ACCEPT_BY_CUSTOMER",
    disputeJudgedAmount: eur("1250"),
    disputeSource: "Sandbox Scheme",
    sequence: 3,
  });
  assert.match(String(judged["disputeJudgedTime"]), /\+00:00$/);
  assert.deepEqual(await books(paymentId), paidBalance);
  assert.equal(codeOf(await refund(paymentId, "1250")), "SUCCESS");
  assert.deepEqual(await books(paymentId), emptyBalance);
});

test("only the lost amount is debited, and the rest is released", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  await decide(paymentId, "judge-lost", { amount: eur("1000") });
  assert.partialDeepStrictEqual(await told(disputeId, "DISPUTE_JUDGED"), {
    disputeJudgedResult: "ACCEPT_BY_MERCHANT",
    disputeJudgedAmount: eur("1000"),
  });
  assert.deepEqual(await books(paymentId), { receivable: 250n, payable: -250n, frozen: 0n });
  assert.equal(codeOf(await refund(paymentId, "251")), "REFUND_AMOUNT_EXCEED");
  assert.equal(codeOf(await refund(paymentId, "250")), "SUCCESS");
});

test("a withdrawn dispute releases the frozen money", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId);
  await decide(paymentId, "cancel");
  const cancelled = await told(disputeId, "DISPUTE_CANCELLED");
  assert.equal(cancelled["disputeAmount"], undefined);
  assert.deepEqual(await books(paymentId), paidBalance);
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "REPEAT_REQUEST");
  // A second dispute of the same payment is allowed.
  const second = await open(paymentId, { amount: eur("400") });
  assert.notEqual(second.disputeId, disputeId);
  assert.deepEqual(await books(paymentId), { receivable: 1250n, payable: -850n, frozen: -400n });
});

test("a refunded amount is not frozen a second time", async () => {
  const paymentId = await paid();
  assert.equal(codeOf(await refund(paymentId, "500")), "SUCCESS");
  const { disputeId, body } = await open(paymentId);
  assert.deepEqual(body["disputeAmount"], eur("1250"));
  assert.deepEqual(await books(paymentId), { receivable: 750n, payable: 0n, frozen: -750n });
  await decide(paymentId, "judge-lost");
  assert.deepEqual((await told(disputeId, "DISPUTE_JUDGED"))["disputeJudgedAmount"], eur("750"));
  assert.deepEqual(await books(paymentId), emptyBalance);
});

test("a chargeback of a fully refunded payment is defended automatically", async () => {
  const paymentId = await paid();
  assert.equal(codeOf(await refund(paymentId, "1250")), "SUCCESS");
  const { disputeId, body } = await open(paymentId);
  assert.partialDeepStrictEqual(body, { autoDefendReason: "FULLY_REFUNDED", defendable: false });
  await told(disputeId, "DEFENSE_SUPPLIED");
  assert.deepEqual(await books(paymentId), emptyBalance);
  for (const answer of ["acceptDispute", "supplyDefenseDocument"] as const)
    assert.equal(codeOf(await ask(answer, { disputeId, disputeEvidence: pdf })), "REPEAT_REQUEST");
  await decide(paymentId, "judge-won");
  await told(disputeId, "DISPUTE_JUDGED");
  assert.deepEqual(await books(paymentId), emptyBalance);
});

test("an RDR is final in its first report: debited, reported once, and not answerable", async () => {
  const paymentId = await paid();
  const { disputeId, body } = await open(paymentId, { disputeType: "RDR", amount: eur("1200") });
  assert.partialDeepStrictEqual(body, {
    disputeNotificationType: "RDR_RESOLVED",
    disputeAmount: eur("1200"),
  });
  assert.equal(body["disputeType"], undefined);
  assert.equal(body["defenseDueTime"], undefined);
  assert.deepEqual(await books(paymentId), { receivable: 50n, payable: -50n, frozen: 0n });
  for (const answer of ["acceptDispute", "supplyDefenseDocument"] as const)
    assert.equal(codeOf(await ask(answer, { disputeId, disputeEvidence: pdf })), "PARAM_ILLEGAL");
  assert.deepEqual(toldOf(disputeId), ["RDR_RESOLVED"]);
});

test("a fraud warning moves no money, is reported once, and a refund of the whole amount stays possible", async () => {
  const paymentId = await paid();
  const { disputeId, body } = await open(paymentId, { disputeType: "FRAUD_WARNING", reasonCode: "TC40" });
  assert.partialDeepStrictEqual(body, {
    disputeNotificationType: "DISPUTE_CREATED",
    disputeType: "FRAUD_WARNING",
    disputeReasonCode: "TC40",
    defendable: false,
  });
  assert.equal(body["defenseDueTime"], undefined);
  assert.deepEqual(await books(paymentId), paidBalance);
  for (const answer of ["acceptDispute", "supplyDefenseDocument"] as const)
    assert.equal(codeOf(await ask(answer, { disputeId, disputeEvidence: pdf })), "PARAM_ILLEGAL");
  assert.equal(codeOf(await refund(paymentId, "1250")), "SUCCESS");
  assert.deepEqual(toldOf(disputeId), ["DISPUTE_CREATED"]);
});

test("a retrieval request needs documents, moves no money, and is not judged", async () => {
  const paymentId = await paid();
  const { disputeId, body } = await open(paymentId, { disputeType: "RETRIEVAL_REQUEST" });
  assert.equal(body["disputeType"], "RETRIEVAL_REQUEST");
  assert.deepEqual(await books(paymentId), paidBalance);
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "PARAM_ILLEGAL");
  assert.equal(codeOf(await refund(paymentId, "10")), "SUCCESS");
  assert.equal(codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })), "SUCCESS");
  await told(disputeId, "DEFENSE_SUPPLIED");
  assert.equal(
    codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })),
    "REPEAT_REQUEST",
  );
});

test("a compliance request is answered until the documents are sufficient, and three times at most", async () => {
  const paymentId = await paid();
  const { disputeId } = await open(paymentId, { disputeType: "COMPLIANCE_REQUEST" });
  const supply = async (text: string): Promise<string | undefined> =>
    codeOf(
      await ask("supplyDefenseDocument", {
        disputeId,
        disputeEvidence: Buffer.from(text).toString("base64"),
      }),
    );
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "PARAM_ILLEGAL");
  for (const number of [1, 2, 3]) {
    assert.equal(await supply(`%PDF- ${number}`), "SUCCESS");
    assert.equal(await supply(`%PDF- ${number} once more`), "NOT_ALLOW_IN_CURRENT_STATUS");
    await decide(paymentId, "invalidate");
    await disputes.waitForStatus(disputeId, "CREATED");
  }
  assert.equal(await supply("%PDF- 4"), "DEFENSE_EXCEED_LIMIT");
  assert.equal((await told(disputeId, "DISPUTE_JUDGED"))["disputeJudgedResult"], "VALIDATE_FAIL");
  await disputes.waitForWebhookCount(disputeId, 7);
  const round = ["DEFENSE_SUPPLIED", "DISPUTE_JUDGED"];
  assert.deepEqual([...toldOf(disputeId)].sort(), ["DISPUTE_CREATED", ...round, ...round, ...round].sort());
  assert.deepEqual(await books(paymentId), paidBalance);

  const sufficient = await open(await paid(), { disputeType: "COMPLIANCE_REQUEST" });
  const answer = { disputeId: sufficient.disputeId, disputeEvidence: pdf };
  assert.equal(codeOf(await ask("supplyDefenseDocument", answer)), "SUCCESS");
  await decide(String(sufficient.body["paymentId"]), "validate");
  assert.equal(
    (await told(sufficient.disputeId, "DISPUTE_JUDGED"))["disputeJudgedResult"],
    "VALIDATE_SUCCESS",
  );
  assert.equal(codeOf(await ask("supplyDefenseDocument", answer)), "REPEAT_REQUEST");
});

test("the provider may accept for the merchant, or let the deadline pass", async () => {
  const byHand = await open(await paid());
  await decide(String(byHand.body["paymentId"]), "accept");
  const accepted = await told(byHand.disputeId, "DISPUTE_ACCEPTED");
  assert.equal(accepted["disputeAcceptReason"], "MANUAL_PROCESSING_ACCEPTED");
  assert.equal(codeOf(await ask("acceptDispute", { disputeId: byHand.disputeId })), "REPEAT_REQUEST");

  const lateDispute = await open(await paid());
  await decide(String(lateDispute.body["paymentId"]), "expire");
  assert.equal((await told(lateDispute.disputeId, "DISPUTE_ACCEPTED"))["disputeAcceptReason"], "TIMEOUT");
  for (const answer of ["acceptDispute", "supplyDefenseDocument"] as const) {
    const { disputeId } = lateDispute;
    assert.equal(codeOf(await ask(answer, { disputeId, disputeEvidence: pdf })), "TIME_EXCEEDS_LIMIT");
  }
});

test("a dispute that is not defendable can only be accepted", async () => {
  const { disputeId, body } = await open(await paid(), { defendable: false });
  assert.equal(body["defendable"], false);
  assert.equal(
    codeOf(await ask("supplyDefenseDocument", { disputeId, disputeEvidence: pdf })),
    "PARAM_ILLEGAL",
  );
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "SUCCESS");
});

test("an authorized payment can be disputed up to its captured amount", async () => {
  const paymentId = await paid({ paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } });
  const captureAmount = eur("600");
  const captured = await ask("capture", { captureRequestId: "captured", paymentId, captureAmount });
  assert.equal(codeOf(captured), "SUCCESS");
  const { disputeId } = await open(paymentId, { amount: eur("600") });
  assert.equal(codeOf(await ask("acceptDispute", { disputeId })), "SUCCESS");
  assert.equal(codeOf(await refund(paymentId, "1")), "REFUND_AMOUNT_EXCEED");
});

test("an in-store payment can be disputed as well, and causes no webhook", async () => {
  const body = JSON.stringify(inStorePayRequest("till", "OrderCode"));
  const { json } = await call(disputes.url, disputes.merchant, {
    path: pathOf("live", "payments/pay"),
    body,
  });
  const paymentId = String(json["paymentId"]);
  await provider.control(paymentId, "approve");
  assert.equal((await provider.control(paymentId, "dispute")).status, 200);
  await disputes.waitForDispute(paymentId);
  assert.deepEqual(await books(paymentId), frozenBalance);
  await decide(paymentId, "judge-won");
  await eventually(
    10_000,
    () => books(paymentId),
    ({ frozen }) => frozen === 0n,
  );
  assert.ok(disputes.shop.disputeWebhooks().every((webhooks) => webhooks.json["paymentId"] !== paymentId));
  const plain = { path: pathOf("live", "payments/acceptDispute"), body: JSON.stringify({ disputeId: "1" }) };
  assert.equal(codeOf(await call(disputes.url, disputes.merchant, plain)), "ACCESS_DENIED");
});

test("six webhook types were received, and records, ledger and the provider's file agree", async () => {
  const kinds = new Set(disputes.shop.disputeWebhooks().map(({ json }) => json["disputeNotificationType"]));
  // The seventh webhook type needs the test clock; deadline.slow.ts covers it.
  assert.deepEqual([...kinds].map(String).sort(), [
    "DEFENSE_SUPPLIED",
    "DISPUTE_ACCEPTED",
    "DISPUTE_CANCELLED",
    "DISPUTE_CREATED",
    "DISPUTE_JUDGED",
    "RDR_RESOLVED",
  ]);
  const file = join(folder, "settlement.csv");
  await writeFile(file, await provider.settlement());
  const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
  await importSettlementFile(operator, { connector: "test-provider", file });
  const until = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
  const { breaks, totals } = await reconcile(operator, { connector: undefined, until });
  assert.deepEqual(breaks, []);
  assert.ok(totals.length > 0);
});
