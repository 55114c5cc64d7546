import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createHash } from "node:crypto";
import { notifications } from "../../catalog/notifications.ts";
import { webhookKindOf, schemaViolation } from "../../../test/shop/webhook-schema.ts";
import { refundRequest, createPaidEuroPayment } from "../../../test/shop/test-refund.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import type { ReceivedAnswer } from "../../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../../test/start/test-console.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { isWebhookSigned, startTestShop } from "../../../test/start/test-shop.ts";
import { callPayments, payRequest, startTestStack } from "../../../test/start/test-stack.ts";

/** These tests run a whole gateway: the views show what its own processes and a provider have created. */
const stack = await startTestStack();
const { merchant, provider } = stack;
const { url } = await stack.serve({ isPublic: true, variables: consoleVariables });
await stack.work();
const clientIds = [merchant.clientId];
const token = (): string => personToken({ clientIds, sub: "per_anna" });

type Json = Readonly<Record<string, unknown>>;

async function view(name: string, body: object = {}): Promise<Json> {
  const answer = await requestConsole(url, `views/${name}`, { token: token(), body });
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
  return answer.json;
}

const listOf = (answer: Json, name: string): readonly Json[] => answer[name] as readonly Json[];

function act(name: string, request: object, reason?: string): Promise<ReceivedAnswer> {
  const body = { request, ...(reason !== undefined && { reason }) };
  return requestConsole(url, `acts/${name}`, { token: token(), body });
}

/** Reads all pages of a list, in order. An endless list is cut off. */
async function pagesOf(name: string, list: string, limit: number): Promise<readonly Json[]> {
  const seen: Json[] = [];
  let cursor: unknown;
  do {
    const page = await view(name, { limit, ...(cursor !== undefined && { cursor }) });
    seen.push(...listOf(page, list));
    cursor = page["nextCursor"];
  } while (cursor !== undefined && seen.length < 200);
  return seen;
}

async function auditOf(what: string): Promise<Json> {
  const [row] = await asSuperuser<Json>(
    "select actor_kind, actor, role, subject, about_client, reason, after from audit where act = $1 order by seq desc limit 1",
    [what],
    stack.database.superuserUrl,
  );
  return row ?? {};
}

const paid: string[] = [];
before(async () => {
  for (const value of ["1250", "700", "9900"])
    paid.push(await createPaidEuroPayment({ url, merchant, provider }, value));
  const orderAmount = { currency: "EUR", value: "1250" };
  const order = { referenceOrderId: "ORD-777777", orderDescription: "Two coffees", orderAmount };
  const more = { order, paymentMethod: { paymentMethodType: "KAKAOPAY" } };
  await callPayments(url, merchant, "pay", payRequest("never-paid", more));
  await callPayments(url, merchant, "pay", {});
  // `work` adds payments to the search tables a moment after the commit.
  await eventually(
    10_000,
    () => view("payments"),
    (answer) =>
      listOf(answer, "payments").filter(({ paymentStatus }) => paymentStatus === "SUCCESS").length === 3 &&
      listOf(answer, "payments").length === 4,
  );
  await eventually(
    10_000,
    () => view("payments", { paymentStatus: "SUCCESS" }),
    (answer) => listOf(answer, "payments").length === 3,
  );
});

test("payments are listed page by page, newest first, without duplicates or gaps", async () => {
  const seen = await pagesOf("payments", "payments", 1);
  assert.equal(seen.length, 4);
  assert.deepEqual(
    seen.slice(1).map(({ paymentId }) => paymentId),
    paid.toReversed(),
  );
  assert.equal(seen[0]?.["paymentRequestId"], "never-paid");
});

test("payments are filtered by status, method, currency, amount and time", async () => {
  const found = async (filter: object): Promise<number> =>
    listOf(await view("payments", filter), "payments").length;
  assert.equal(await found({ paymentStatus: "SUCCESS" }), 3);
  assert.equal(await found({ paymentStatus: "PROCESSING" }), 1);
  assert.equal(await found({ paymentMethodType: "KAKAOPAY" }), 1);
  assert.equal(await found({ currency: "EUR", amountFrom: "701", amountUntil: "1250" }), 2);
  assert.equal(await found({ currency: "USD" }), 0);
  assert.equal(await found({ createdUntil: "2026-01-01T00:00:00+00:00" }), 0);
  assert.equal(await found({ createdFrom: "2026-01-01T00:00:00+00:00" }), 4);
});

test("payments are found by any id or order number, by a prefix, by the provider's reference and by amount", async () => {
  const found = async (search: string): Promise<readonly unknown[]> =>
    listOf(await view("payments", { search }), "payments").map(({ paymentId }) => paymentId);
  const [first = "", second = "", third = ""] = paid;
  assert.deepEqual(await found(first), [first]);
  assert.deepEqual(await found("paid-2"), [second]);
  assert.deepEqual(await found("paid-"), [third, second, first]);
  assert.deepEqual(await found("99.00"), [third]);
  assert.deepEqual(await found("eur 7"), [second]);
  assert.deepEqual(await found("USD 99.00"), []);
  assert.deepEqual(await found("nothing"), []);
  assert.deepEqual(await found("ORD-77777"), await found("never-paid"));
  assert.deepEqual(await found("order-1"), [third, second, first]);
  const [row] = await asSuperuser<{ provider_reference: string }>(
    "select provider_reference from payments where payment_id = $1",
    [second],
    stack.database.superuserUrl,
  );
  assert.deepEqual(await found(row?.provider_reference ?? ""), [second]);
});

test("charts agree with the lists, and show how long buyers took to pay", async () => {
  const charts = await view("charts", { createdFrom: "2026-01-01T00:00:00+00:00" });
  assert.equal(charts["span"], "day");
  assert.deepEqual([charts["currency"], charts["currencies"]], ["EUR", ["EUR"]]);
  const total = (field: string): number =>
    listOf(charts, "points").reduce((sum, point) => sum + Number(point[field]), 0);
  assert.deepEqual([total("paymentCount"), total("successCount"), total("failCount")], [4, 3, 0]);
  const volume = listOf(charts, "points").reduce(
    (sum, { paidAmount }) => sum + Number((paidAmount as Json | undefined)?.["value"] ?? 0),
    0,
  );
  assert.equal(volume, 1250 + 700 + 9900);
  assert.deepEqual(charts["methods"], [
    { paymentMethodType: "GCASH", paymentCount: 3, successCount: 3 },
    { paymentMethodType: "KAKAOPAY", paymentCount: 1, successCount: 0 },
  ]);
  assert.equal((charts["pace"] as Json)["paidCount"], 3);

  const of = await view("charts", { paymentMethodType: "KAKAOPAY" });
  assert.equal((of["pace"] as Json)["paidCount"], 0);
  const none = await view("charts", { createdUntil: "2026-01-01T00:00:00+00:00" });
  assert.deepEqual([none["currency"], none["currencies"]], [undefined, []]);
  const tooLong = { createdFrom: "2006-01-01T00:00:00+00:00" };
  assert.equal(
    resultCodeOf(await requestConsole(url, "views/charts", { token: token(), body: tooLong })),
    "PARAM_ILLEGAL",
  );
});

test("a list shows how old its data may be", async () => {
  const { ageSeconds } = await eventually(
    10_000,
    () => view("payments"),
    (answer) => Number(answer["ageSeconds"]) <= 2,
  );
  assert.ok(Number.isInteger(ageSeconds), String(ageSeconds));
});

test("a refund by a person is the refund of the API, with the person and the reason in the audit log", async () => {
  const [paymentId = ""] = paid;
  const answer = await act("refund", refundRequest("by-anna", paymentId, "350"), "One coffee was cold.");
  assert.ok(["S", "U"].includes(answer.json.result["resultStatus"] ?? ""), answer.text);
  assert.deepEqual(await auditOf("payments/refund"), {
    actor_kind: "person",
    actor: "per_anna",
    role: "owner",
    subject: paymentId,
    about_client: merchant.clientId,
    reason: "One coffee was cold.",
    after: refundRequest("by-anna", paymentId, "350"),
  });
  const inquired = await eventually(
    10_000,
    () => callPayments(url, merchant, "inquiryRefund", { refundRequestId: "by-anna" }),
    ({ json }) => json["refundStatus"] === "SUCCESS",
  );
  assert.equal(inquired.json["refundId"], answer.json["refundId"]);
  const again = await act("refund", refundRequest("by-anna", paymentId, "350"));
  assert.equal(again.json["refundId"], answer.json["refundId"], "The same request id is the same refund.");
  await eventually(
    10_000,
    () => view("payments", { displayStatus: "PARTLY_REFUNDED" }),
    (found) =>
      listOf(found, "payments")
        .map((each) => each["paymentId"])
        .join() === paymentId,
  );
  assert.equal(listOf(await view("payments", { displayStatus: "PAID" }), "payments").length, 2);
  const [refund] = listOf(await view("refunds"), "refunds");
  assert.equal(refund?.["refundRequestId"], "by-anna");
});

test("the refundable amount and the possible acts of a payment follow the rules of the operations", async () => {
  const [refunded = "", whole = ""] = paid;
  const eur = (value: string): Json => ({ currency: "EUR", value });
  const left = await view("paymentOptions", { id: refunded });
  assert.deepEqual(left["refund"], { left: eur("900"), most: eur("900"), inParts: true });
  assert.deepEqual(left["cancel"], { whyNot: "PROCESS_FAIL" });
  assert.equal(left["capture"], undefined);
  const untouched = await view("paymentOptions", { id: whole });
  assert.deepEqual((untouched["refund"] as Json)["left"], eur("700"));
  const more = await act("refund", refundRequest("too-much", refunded, "901"));
  assert.equal(resultCodeOf(more), "REFUND_AMOUNT_EXCEED");
});

test("a payment's view has its whole timeline: provider, ledger entries, refunds and webhooks", async () => {
  const [paymentId = ""] = paid;
  const paymentView = await eventually(
    5_000,
    () => view("payment", { id: "by-anna" }),
    (found) => listOf(found, "ledger").length >= 2 && listOf(found, "notifications").length >= 2,
  );
  assert.partialDeepStrictEqual(paymentView, {
    payment: { paymentId, displayStatus: "PARTLY_REFUNDED", keptAmount: { value: "900" } },
    feeAmount: { currency: "EUR", value: "0" },
    netAmount: { currency: "EUR", value: "900" },
  });
  const kinds = new Set(listOf(paymentView, "timeline").map(({ kind }) => kind));
  for (const kind of ["payment", "order", "refund", "ledger", "notification"])
    assert.ok(kinds.has(kind), kind);
  const ledger = listOf(paymentView, "ledger").map(({ effect, debitAccount, creditAccount, amount }) => [
    effect,
    debitAccount,
    creditAccount,
    (amount as Json)["value"],
  ]);
  const [owed, due] = [`merchant payable ${merchant.clientId}`, "provider receivable test-provider"];
  assert.deepEqual(ledger, [
    ["payment", due, owed, "1250"],
    ["refund", owed, due, "350"],
  ]);
  assert.deepEqual(
    listOf(paymentView, "transactions").map(({ transactionType }) => transactionType),
    ["REFUND"],
  );
  for (const id of [paymentId, "paid-1"]) {
    const found = await view("payment", { id });
    assert.equal((found["payment"] as Json)["paymentId"], paymentId);
  }
  const none = await requestConsole(url, "views/payment", { token: token(), body: { id: "nothing" } });
  assert.equal(resultCodeOf(none), "ORDER_NOT_EXIST");
});

test("the balance is payments less refunds, and its movements add up to it", async () => {
  const movements = listOf(await view("movements"), "movements");
  const owed = movements.reduce((sum, { debitAccount, amount }) => {
    const minor = BigInt(String((amount as Json)["value"]));
    return String(debitAccount).startsWith("merchant payable") ? sum - minor : sum + minor;
  }, 0n);
  const [balance] = listOf(await view("balance"), "balances");
  const none = { openRefunds: "0", frozen: "0", reserve: "0", inTransit: "0" };
  assert.deepEqual(balance, { currency: "EUR", owed: String(owed), available: String(owed), ...none });
  assert.equal(owed, 1250n + 700n + 9900n - 350n);
  const changes = movements.reduce((sum, { owedChange }) => sum + BigInt(String(owedChange)), 0n);
  assert.equal(changes, owed);

  assert.deepEqual(await pagesOf("movements", "movements", 1), movements);
});

test("API requests are listed, rejected ones first, without duplicates or gaps", async () => {
  const calls = await eventually(
    5_000,
    () => view("calls", { limit: 100 }).then((answer) => listOf(answer, "calls")),
    (found) => found.some(({ resultCode }) => resultCode === "PARAM_ILLEGAL"),
  );
  assert.equal(calls[0]?.["resultCode"], "PARAM_ILLEGAL");
  assert.ok(calls.slice(1).every(({ resultCode }) => resultCode !== "PARAM_ILLEGAL"));
  const names = (await pagesOf("calls", "calls", 2)).map(({ requestId }) => requestId);
  assert.deepEqual(
    names.slice(0, calls.length),
    calls.map(({ requestId }) => requestId),
  );
  const newest = listOf(await view("calls", { order: "NEWEST_FIRST", limit: 1 }), "calls");
  assert.equal(newest.length, 1);
  const refused = await requestConsole(url, "views/calls", {
    token: token(),
    body: { order: "NEWEST_FIRST", cursor: "others 1 req_1" },
  });
  assert.equal(resultCodeOf(refused), "PARAM_ILLEGAL");
});

test("webhooks are listed with their delivery status, and a person resends one", async () => {
  const [latest] = listOf(await view("notifications", { limit: 1 }), "notifications");
  assert.ok(latest, "A payment was made, so there is a webhook.");
  const { notificationId } = latest;
  const sent = await act("resendNotifications", { notificationId });
  assert.deepEqual(sent.json["notificationIds"], [notificationId]);
  const twice = await act("resendNotifications", { notificationId });
  assert.deepEqual(twice.json["notificationIds"], [notificationId], "A person may ask again at once.");
});

test("a test webhook of each kind arrives signed and well-formed, and is shown with its bytes and timings", async () => {
  const shop = await startTestShop();
  for (const { kind } of notifications) {
    const sent = await act("sendTestNotification", { notificationKind: kind, url: shop.notifyUrl });
    assert.equal(resultCodeOf(sent), "SUCCESS", sent.text);
    const received = await eventually(
      10_000,
      async () => shop.all().find(({ json }) => webhookKindOf(json) === kind),
      (webhook) => webhook !== undefined,
    );
    assert(received);
    assert.ok(isWebhookSigned(received, merchant.gatewayPublicKey), kind);
    assert.equal(schemaViolation(received.json), undefined, received.text);
    const { notificationId } = sent.json;
    const shownWebhook = await eventually(
      10_000,
      () => view("notification", { notificationId }),
      (found) => (found["notification"] as Json)["notificationStatus"] === "DELIVERED",
    );
    const isSecret = kind === "notifyAuthorization";
    assert.equal(shownWebhook["body"], isSecret ? undefined : received.text);
    const digest = createHash("sha256").update(received.text).digest("hex");
    assert.equal(shownWebhook["bodySha256"], isSecret ? undefined : digest);
    const [attempt] = listOf(shownWebhook["notification"] as Json, "attempts");
    assert.equal(attempt?.["httpStatus"], 200);
    assert.ok(Number(attempt?.["totalMs"]) >= Number(attempt?.["firstByteMs"]));
  }
  assert.equal((await auditOf("tollgate/sendTestNotification"))["actor"], "per_anna");
});

test("a person advances the merchant's clock and injects a fault in the sandbox, each with a row in the audit log", async () => {
  const earlier = await view("clock");
  const turned = await act("advanceClock", { turnRequestId: "portal-1", bySeconds: 60 });
  assert.ok(["SUCCESS", "UNKNOWN_EXCEPTION"].includes(resultCodeOf(turned)), turned.text);
  await eventually(
    10_000,
    () => view("clock"),
    (found) => Number(found["aheadSeconds"]) >= Number(earlier["aheadSeconds"]) + 55,
  );
  assert.equal((await auditOf("tollgate/advanceClock"))["actor"], "per_anna");
  const ordered = await act("orderFault", { faultRequestId: "portal-1", fault: "DUPLICATE" });
  assert.equal(ordered.json["count"], 1, ordered.text);
  assert.equal((await auditOf("tollgate/orderFault"))["actor"], "per_anna");
});

test("keys are shown with their last use, and whether they can be revoked", async () => {
  const answer = await eventually(
    5_000,
    () => view("keys"),
    (found) => Number(listOf(found, "keys")[0]?.["requests"]) > 0,
  );
  const [key] = listOf(answer, "keys");
  assert.equal(key?.["isSafeToRevoke"], false);
  assert.equal(key?.["reason"], "It is the only key that is not revoked.");
  assert.match(String(key?.["lastUsedTime"]), /^\d{4}-/);
  const [ours] = listOf(answer, "gatewayKeys");
  assert.equal(ours?.["isPinned"], true);
  assert.equal(ours?.["publicKey"], merchant.gatewayPublicKey.export({ type: "spki", format: "pem" }));
});

test("an unpaid payment is cancelled by a person, and the merchant's system sees it", async () => {
  const answer = await act("cancel", { paymentRequestId: "never-paid" }, "The customer left.");
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
  const inquired = await callPayments(url, merchant, "inquiryPayment", { paymentRequestId: "never-paid" });
  assert.equal(inquired.json["paymentStatus"], "CANCELLED");
});

test("a merchant reads the acts of its people and of the operator page by page, but not their views", async () => {
  await asSuperuser(
    `insert into audit (actor_kind, actor, role, act, subject, about_client, reason, before, after) values
       ('person', 'per_staff', 'staff-admin', 'merchant set', $1, $1, 'a tip of the police', '{"rate":1}', '{"rate":2}')`,
    [merchant.clientId],
    stack.database.superuserUrl,
  );
  const entries = listOf(await view("audit", { limit: 100 }), "entries");
  assert.partialDeepStrictEqual(entries[0], {
    act: "merchant set",
    subject: merchant.clientId,
    changes: [{ field: "rate", before: "1", after: "2" }],
  });
  assert.doesNotMatch(JSON.stringify(entries), /per_staff|police|views\//);
  const cancelled = entries.find(({ act: what }) => what === "payments/cancel");
  const person = { personId: "per_anna", role: "owner" };
  assert.partialDeepStrictEqual(cancelled, { person, reason: "The customer left." });
  assert.deepEqual(await pagesOf("audit", "entries", 2), entries);
  const actsOf = async (filter: object): Promise<readonly unknown[]> =>
    listOf(await view("audit", { limit: 100, ...filter }), "entries").map(({ act: what }) => what);
  const ofAnna = entries.filter((each) => each["person"]).map(({ act: what }) => what);
  assert.deepEqual(await actsOf({ actor: "per_anna" }), ofAnna);
  assert.equal((await actsOf({ actor: "provider" })).length, entries.length - ofAnna.length);
  assert.deepEqual(await actsOf({ actor: "per_staff" }), []);
  assert.deepEqual(await actsOf({ act: "payments/cancel" }), ["payments/cancel"]);
  assert.deepEqual(await actsOf({ createdUntil: "2026-01-01T00:00:00+00:00" }), []);
});

test("the other lists can be viewed, and are empty at first", async () => {
  for (const name of ["disputes", "stores", "captures", "authorizations"])
    assert.deepEqual((await view(name))[name], []);
  assert.deepEqual((await view("unansweredDisputes"))["disputes"], []);
});
