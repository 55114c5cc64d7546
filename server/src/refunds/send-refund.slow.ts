import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  refundUntilFinal,
  refundRequest,
  resultOf,
  createPaidEuroPayment,
} from "../../test/shop/test-refund.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
await addConnector(database.ownerUrl, "sandbox", {
  name: "acts-twice",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["DANA"],
  simulator: true,
  terms: { idempotentByReference: false, quietSeconds: 2 },
});
await addConnector(database.ownerUrl, "sandbox", {
  name: "soon-quiet",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["BOOST"],
  simulator: true,
  terms: { quietSeconds: 4 },
});
const shop = await startTestShop();
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const till = { url, merchant, provider };

/** Refund requests that the provider received for an order, and their effects, from its journal. */
function refundLines(paymentId: string): readonly string[] {
  const lines = provider.effects();
  const order = lines.find((line) => line["kind"] === "paid" && line["paymentId"] === paymentId);
  return lines
    .filter(({ reference }) => reference === order?.["reference"])
    .flatMap(({ kind, outcome }) => {
      if (kind === "refund") return [`asked: ${String(outcome)}`];
      return kind === "refunded" ? ["refunded"] : [];
    });
}

function inquire(refundRequestId: string): ReturnType<typeof callPayments> {
  return callPayments(url, merchant, "inquiryRefund", { refundRequestId });
}

function waitForStatus(refundRequestId: string, status: string): ReturnType<typeof callPayments> {
  return eventually(
    15_000,
    () => inquire(refundRequestId),
    ({ json }) => json["refundStatus"] === status,
  );
}

async function countersOf(paymentId: string): Promise<object | undefined> {
  const [found] = await asSuperuser<object>(
    `select refunded_minor::int as refunded, (select sum(open_refunds_minor)::int from reserves) as open
     from payments where payment_id = $1`,
    [paymentId],
    database.superuserUrl,
  );
  return found;
}

test("if the provider's response is lost, the refund is sent again with its reference, and made once", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  await provider.fault({ kind: "answer-lost", match: { paymentId, verb: "refund" } });
  const request = refundRequest("lost", paymentId, "1250", { refundNotifyUrl: shop.notifyUrl });
  const first = await callPayments(url, merchant, "refund", request);
  assert.equal(resultOf(first), "REFUND_IN_PROCESS");
  assert.equal((await inquire("lost")).json["refundStatus"], "PROCESSING");

  const last = await refundUntilFinal(till, request);
  assert.equal(resultOf(last), "SUCCESS");
  assert.equal(last.json["refundId"], first.json["refundId"]);
  assert.deepEqual(refundLines(paymentId), ["asked: done", "refunded", "asked: repeated"]);
  assert.deepEqual(await countersOf(paymentId), { refunded: 1250, open: 0 });
  await shop.waitForWebhooks(paymentId, 1);
});

test("a provider that would refund twice gets an inquiry and not a second request", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250", "DANA");
  await provider.fault({ kind: "not-idempotent", match: { paymentId, verb: "refund" } });
  await provider.fault({ kind: "answer-lost", match: { paymentId, verb: "refund" } });
  // The provider's inquiry returns stale data for a while, so "not found" proves nothing.
  await provider.fault({ kind: "inquiry-lag", delayMs: 1_500, match: { paymentId, verb: "refund" } });
  const request = refundRequest("twice", paymentId, "700");
  assert.equal(resultOf(await callPayments(url, merchant, "refund", request)), "REFUND_IN_PROCESS");
  await waitForStatus("twice", "SUCCESS");
  assert.deepEqual(refundLines(paymentId), ["asked: done", "refunded"]);
});

test("a refund that never reached such a provider fails after the quiet time, and its reserve is released", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250", "DANA");
  await provider.fault({ kind: "refuse-connection", match: { paymentId, verb: "refund" } });
  const request = refundRequest("never", paymentId, "1250", { refundNotifyUrl: shop.notifyUrl });
  assert.equal(resultOf(await callPayments(url, merchant, "refund", request)), "REFUND_IN_PROCESS");
  assert.deepEqual(await countersOf(paymentId), { refunded: 1250, open: 1250 });
  const failed = await waitForStatus("never", "FAIL");
  assert.equal(failed.json["refundTime"], undefined);
  assert.equal(resultOf(await callPayments(url, merchant, "refund", request)), "PROCESS_FAIL");
  assert.deepEqual(await countersOf(paymentId), { refunded: 0, open: 0 });
  assert.deepEqual(refundLines(paymentId), ["asked: not-acted"]);

  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.equal(webhook?.json["refundStatus"], "FAIL");
  assert.match(webhook?.text ?? "", /"resultCode":"PROCESS_FAIL"/);
  const repeatResponse = await refundUntilFinal(till, refundRequest("never-2", paymentId, "1250"));
  assert.equal(resultOf(repeatResponse), "SUCCESS");
});

test("a refund that arrives after its repeat was refused is made once, and never reported as failed", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  const match = { paymentId, verb: "refund" };
  await provider.fault({ kind: "late-arrival", delayMs: 3_000, match });
  await provider.fault({ kind: "refuse", resultCode: "RISK_REJECT", match });
  const request = refundRequest("late", paymentId, "1250");
  assert.equal(resultOf(await refundUntilFinal(till, request)), "SUCCESS");
  assert.deepEqual(refundLines(paymentId), ["asked: not-acted", "asked: refused", "asked: done", "refunded"]);
  assert.deepEqual(await countersOf(paymentId), { refunded: 1250, open: 0 });
});

test("a refund that was reported as failed is not made if it arrives later", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250", "BOOST");
  const match = { paymentId, verb: "refund" };
  await provider.fault({ kind: "late-arrival", delayMs: 7_000, match });
  await provider.fault({ kind: "refuse", resultCode: "RISK_REJECT", match });
  assert.equal(
    resultOf(await refundUntilFinal(till, refundRequest("too-late", paymentId, "500"))),
    "RISK_REJECT",
  );
  const repeatResponse = await refundUntilFinal(till, refundRequest("too-late-2", paymentId, "500"));
  assert.equal(resultOf(repeatResponse), "SUCCESS");
  const late = ["asked: not-acted", "asked: refused", "asked: done", "refunded", "asked: too-late"];
  await eventually(
    10_000,
    async () => refundLines(paymentId).length,
    (lines) => lines === late.length,
  );
  assert.deepEqual([...refundLines(paymentId)].sort(), late.sort());
  assert.deepEqual(await countersOf(paymentId), { refunded: 500, open: 0 });
});

test("a refund that the provider accepted is queried, and not sent again", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  await provider.fault({ kind: "refund-pending", delayMs: 1_200, match: { paymentId, verb: "refund" } });
  const request = refundRequest("slow", paymentId, "1250");
  assert.equal(resultOf(await callPayments(url, merchant, "refund", request)), "REFUND_IN_PROCESS");
  assert.deepEqual(await countersOf(paymentId), { refunded: 1250, open: 1250 });
  await waitForStatus("slow", "SUCCESS");
  assert.deepEqual(refundLines(paymentId), ["asked: started", "refunded"]);
  assert.deepEqual(await countersOf(paymentId), { refunded: 1250, open: 0 });
});

test("a refund that the provider refuses fails with its reason, and debits the merchant nothing", async () => {
  // With a second payment, the balance covers the refund that the provider refuses.
  await createPaidEuroPayment(till, "1250");
  const paymentId = await createPaidEuroPayment(till, "1250");
  await asSuperuser(
    "update payments set amount_minor = 2000, paid_minor = 2000, captured_minor = 2000 where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  const request = refundRequest("too-much", paymentId, "1500");
  const response = await callPayments(url, merchant, "refund", request);
  assert.equal(resultOf(response), "REFUND_AMOUNT_EXCEED");
  // A request that the gateway rejects has no refund id. This refund has one, because only the provider refused it, and
  // a repeated request gets the same response.
  assert.match(String(response.json["refundId"]), /^\d{35}$/);
  assert.equal((await callPayments(url, merchant, "refund", request)).text, response.text);
  assert.deepEqual(refundLines(paymentId), ["asked: refused"]);
  assert.deepEqual(await countersOf(paymentId), { refunded: 0, open: 0 });
  assert.deepEqual(
    await asSuperuser(
      "select from ledger_transfers where subject_id = $1",
      [response.json["refundId"]],
      database.superuserUrl,
    ),
    [],
  );
});
