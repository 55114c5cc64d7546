import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { assertSuccess, startAuthorizationStack } from "../../../test/shop/test-authorization.ts";
import { sessionRequest } from "../../../test/shop/test-session.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { isWebhookSigned } from "../../../test/start/test-shop.ts";
import { payRequest } from "../../../test/start/test-stack.ts";
import { findBinFolder } from "../../postgres/temporary-postgres.ts";
import { findAudit } from "../audit/audit-log.ts";
import { eraseBuyer } from "./erase-buyer.ts";

/**
 * This test writes markers wherever a merchant or a provider can write about a buyer. After an erasure, a database dump
 * must contain none of them.
 */
const { first, shop, provider, database } = await startAuthorizationStack();
const { clientId } = first.merchant;
const operator = { url: database.ownerUrl, environment: "sandbox", by: { reason: "asked" } } as const;
const amount = { currency: "EUR", value: "1250" };

const marked = new Set<string>();
/** Returns a unique marker without digits, so that it is not mistaken for a card number. */
function markedText(name: string): string {
  const text = `marked-${name}`;
  marked.add(text);
  return text;
}

async function dump(): Promise<string> {
  const program = `${await findBinFolder()}/pg_dump`;
  const { stdout } = await promisify(execFile)(program, ["--dbname", database.superuserUrl], {
    maxBuffer: 1e9,
  });
  // The dump shows bytes as hexadecimal digits, so the test also searches the decoded bytes.
  const bytes = [...stdout.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex").toString(),
  );
  return stdout + bytes.join("\n");
}

async function findInDump(texts: readonly string[]): Promise<readonly string[]> {
  const text = await dump();
  return texts.filter((each) => text.includes(each));
}

const waitForStatus = (paymentRequestId: string, status: string): Promise<unknown> =>
  eventually(
    15_000,
    () => first.request("payments/inquiryPayment", { paymentRequestId }),
    ({ json }) => json["paymentStatus"] === status,
  );
const waitForWebhooks = (): Promise<unknown> =>
  eventually(
    15_000,
    () =>
      asSuperuser<{ count: number }>(
        "select count(*)::int from notifications where status = 'WAITING'",
        [],
        database.superuserUrl,
      ),
    ([row]) => row?.count === 0,
  );

/** Waits until the request log has this request, because the gateway writes the log shortly after the response. */
const waitForRequestLog = (requestBody: object): Promise<unknown> =>
  eventually(
    15_000,
    () =>
      asSuperuser(
        "select from request_log where request_body = $1",
        [JSON.stringify(requestBody)],
        database.superuserUrl,
      ),
    (rows) => rows.length > 0,
  );

const notifyUrl = `${shop.notifyUrl}?buyer=${markedText("in-notify-url")}`;
const request = payRequest("erased", {
  order: {
    referenceOrderId: "order-1",
    orderDescription: markedText("description"),
    orderAmount: amount,
    buyer: { buyerEmail: `${markedText("email")}@mail.example`, referenceBuyerId: markedText("buyer-id") },
  },
  metadata: markedText("metadata"),
  paymentRedirectUrl: `https://shop.example/${markedText("redirect")}?name=${markedText("redirect-query")}`,
  paymentNotifyUrl: notifyUrl,
});

test("after an erasure, a dump has no personal data of the payment, and all data that accounting needs", async () => {
  const { json } = await first.request("payments/pay", request);
  const paymentId = String(json["paymentId"]);
  const erase = { clientId, kind: "payment", id: paymentId } as const;
  await assert.rejects(eraseBuyer(operator, erase), /because it is not final: the payment/);
  await provider.control(paymentId, "approve");
  await waitForStatus("erased", "SUCCESS");
  const refund = {
    refundRequestId: "erased-refund",
    paymentId,
    refundAmount: { currency: "EUR", value: "250" },
    refundReason: markedText("refund-reason"),
    metadata: markedText("refund-metadata"),
    refundNotifyUrl: notifyUrl,
  };
  await first.request("payments/refund", refund);
  const inquiry = { refundRequestId: "erased-refund" };
  await eventually(
    15_000,
    () => first.request("payments/inquiryRefund", inquiry),
    (answer) => answer.json["refundStatus"] === "SUCCESS",
  );
  await waitForWebhooks();
  const refused = {
    ...refund,
    refundRequestId: "refused-refund",
    refundAmount: { currency: "EUR", value: "999999" },
  };
  assert.notEqual(await first.codeOf("payments/refund", refused), "SUCCESS");
  const inquiryBefore = await first.request("payments/inquiryPayment", { paymentId });
  await waitForRequestLog({ paymentId });
  const sums =
    "select subject_id, effect, debit_account, credit_account, amount_minor from ledger_transfers order by 1, 2";
  const ledgerSums = await asSuperuser(sums, [], database.superuserUrl);
  assert.ok((await findInDump([...marked])).length >= 6, "the words are there before");

  const counts = await eraseBuyer(operator, erase);
  assert.partialDeepStrictEqual(counts, { payments: 1, refunds: 1, notifications: 2 });
  // The request log no longer has an API request that names one of these ids: payment, refund, rejected refund and
  // inquiries.
  const named = "select path, request_body from request_log where request_body || answer_body ~ $1";
  assert.deepEqual(
    await asSuperuser(named, [`"(${paymentId}|erased|erased-refund)"`], database.superuserUrl),
    [],
  );
  assert.ok((counts["request_log"] ?? 0) >= 5);
  assert.deepEqual(await findInDump([...marked]), []);
  assert.deepEqual(await asSuperuser(sums, [], database.superuserUrl), ledgerSums);
  const inquiryAfter = await first.request("payments/inquiryPayment", { paymentId });
  const { metadata: _, ...slim } = inquiryBefore.json;
  assert.deepEqual({ ...inquiryAfter.json, result: slim.result }, slim);

  // Idempotency still works after the erasure: the gateway answers a repeated request, and rejects a different one. The
  // request log then has these requests, because it logs each request.
  marked.clear();
  const repeated = await first.request("payments/pay", request);
  assert.partialDeepStrictEqual(repeated.json, { paymentId, result: { resultStatus: "S" } });
  const differentRequest = { ...request, paymentAmount: { currency: "EUR", value: "1" } };
  assert.equal(await first.codeOf("payments/pay", differentRequest), "REPEAT_REQ_INCONSISTENT");
  assert.equal((await first.request("payments/refund", refund)).json.result["resultStatus"], "S");

  // A webhook that is sent again has a valid signature and no personal texts.
  const webhookCount = (await shop.waitForWebhooks(paymentId, 2)).length;
  assertSuccess(await first.request("tollgate/resendNotifications", { subjectId: paymentId }));
  const [resent] = (await shop.waitForWebhooks(paymentId, webhookCount + 1)).slice(webhookCount);
  assert.ok(resent && isWebhookSigned(resent, first.merchant.gatewayPublicKey));
  assert.doesNotMatch(JSON.stringify(resent), /marked/);

  const [row] = await findAudit(operator, {}, 1);
  assert.partialDeepStrictEqual(row, { act: "buyer erase", subject: paymentId, clientId, reason: "asked" });
});

test("a session's order and texts are erased, too", async () => {
  const session = sessionRequest("erased-session", {
    order: {
      referenceOrderId: "order-2",
      orderDescription: markedText("session-order"),
      orderAmount: amount,
    },
    metadata: markedText("session-metadata"),
  });
  const { json } = assertSuccess(await first.request("payments/createPaymentSession", session));
  const paymentId = String(json["paymentSessionId"]);
  assertSuccess(await first.request("payments/cancel", { paymentRequestId: "erased-session" }));
  await waitForRequestLog({ paymentRequestId: "erased-session" });
  await waitForWebhooks();
  await eraseBuyer(operator, { clientId, kind: "payment", id: paymentId });
  assert.deepEqual(await findInDump([...marked]), []);
  const retrieved = await first.request("payments/retrievePaymentSession", {
    paymentRequestId: "erased-session",
  });
  assert.deepEqual(retrieved.json["order"], {
    referenceOrderId: "order-2",
    orderDescription: "(erased)",
    orderAmount: amount,
  });
});

test("erasing an ended authorization also erases the buyer's name at the provider", async () => {
  const { accessToken } = await first.obtainTokens("customer");
  const [found] = await asSuperuser<{ id: string; login: string }>(
    "select authorization_id as id, user_login_id as login from authorizations where auth_state = 'customer'",
    [],
    database.superuserUrl,
  );
  const erase = { clientId, kind: "authorization", id: found?.id ?? "" } as const;
  await assert.rejects(eraseBuyer(operator, erase), /because it is not final: the authorization/);
  await provider.authorization("customer", "cancel", { reason: markedText("why-not") });
  await shop.waitForAuthorization({ authorizationNotifyType: "TOKEN_CANCELED", accessToken });
  await waitForWebhooks();
  assert.partialDeepStrictEqual(await eraseBuyer(operator, erase), { authorizations: 1, notifications: 3 });
  assert.ok(found?.login);
  assert.deepEqual(await findInDump([found.login, ...marked]), []);
});

test("an unknown payment, or another merchant's, is rejected", async () => {
  const nobodys = { clientId, kind: "payment", id: "7" } as const;
  await assert.rejects(eraseBuyer(operator, nobodys), /has no payment 7/);
});
