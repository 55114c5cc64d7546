import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { assertSuccess, startAuthorizationStack } from "../../../test/shop/test-authorization.ts";
import { sessionRequest } from "../../../test/shop/test-session.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { notificationIsSigned } from "../../../test/start/test-shop.ts";
import { payRequest } from "../../../test/start/test-stack.ts";
import { findBinFolder } from "../../postgres/temporary-postgres.ts";
import { findAudit } from "../audit/audit.ts";
import { eraseBuyer } from "./buyer.ts";

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
function word(name: string): string {
  const made = `marked-${name}`;
  marked.add(made);
  return made;
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

async function foundIn(words: readonly string[]): Promise<readonly string[]> {
  const text = await dump();
  return words.filter((each) => text.includes(each));
}

const untilStatus = (paymentRequestId: string, status: string): Promise<unknown> =>
  eventually(
    15_000,
    () => first.ask("payments/inquiryPayment", { paymentRequestId }),
    ({ json }) => json["paymentStatus"] === status,
  );
const untilTold = (): Promise<unknown> =>
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
const untilLogged = (requestBody: object): Promise<unknown> =>
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

const notifyUrl = `${shop.notifyUrl}?buyer=${word("in-notify-url")}`;
const request = payRequest("erased", {
  order: {
    referenceOrderId: "order-1",
    orderDescription: word("description"),
    orderAmount: amount,
    buyer: { buyerEmail: `${word("email")}@mail.example`, referenceBuyerId: word("buyer-id") },
  },
  metadata: word("metadata"),
  paymentRedirectUrl: `https://shop.example/${word("redirect")}?name=${word("redirect-query")}`,
  paymentNotifyUrl: notifyUrl,
});

test("after an erasure, a dump has no personal data of the payment, and all data that accounting needs", async () => {
  const { json } = await first.ask("payments/pay", request);
  const paymentId = String(json["paymentId"]);
  const erase = { clientId, kind: "payment", id: paymentId } as const;
  await assert.rejects(eraseBuyer(operator, erase), /because it is not final: the payment/);
  await provider.control(paymentId, "approve");
  await untilStatus("erased", "SUCCESS");
  const refund = {
    refundRequestId: "erased-refund",
    paymentId,
    refundAmount: { currency: "EUR", value: "250" },
    refundReason: word("refund-reason"),
    metadata: word("refund-metadata"),
    refundNotifyUrl: notifyUrl,
  };
  await first.ask("payments/refund", refund);
  const inquiry = { refundRequestId: "erased-refund" };
  await eventually(
    15_000,
    () => first.ask("payments/inquiryRefund", inquiry),
    (answer) => answer.json["refundStatus"] === "SUCCESS",
  );
  await untilTold();
  const refused = {
    ...refund,
    refundRequestId: "refused-refund",
    refundAmount: { currency: "EUR", value: "999999" },
  };
  assert.notEqual(await first.codeOf("payments/refund", refused), "SUCCESS");
  const asked = await first.ask("payments/inquiryPayment", { paymentId });
  await untilLogged({ paymentId });
  const sums =
    "select subject_id, effect, debit_account, credit_account, amount_minor from ledger_transfers order by 1, 2";
  const books = await asSuperuser(sums, [], database.superuserUrl);
  assert.ok((await foundIn([...marked])).length >= 6, "the words are there before");

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
  assert.deepEqual(await foundIn([...marked]), []);
  assert.deepEqual(await asSuperuser(sums, [], database.superuserUrl), books);
  const again = await first.ask("payments/inquiryPayment", { paymentId });
  const { metadata: _, ...slim } = asked.json;
  assert.deepEqual({ ...again.json, result: slim.result }, slim);

  // Idempotency still works after the erasure: the gateway answers a repeated request, and rejects a different one. The
  // request log then has these requests, because it logs each request.
  marked.clear();
  const repeated = await first.ask("payments/pay", request);
  assert.partialDeepStrictEqual(repeated.json, { paymentId, result: { resultStatus: "S" } });
  const other = { ...request, paymentAmount: { currency: "EUR", value: "1" } };
  assert.equal(await first.codeOf("payments/pay", other), "REPEAT_REQ_INCONSISTENT");
  assert.equal((await first.ask("payments/refund", refund)).json.result["resultStatus"], "S");

  // A webhook that is sent again has a valid signature and no personal texts.
  const told = (await shop.waitForWebhooks(paymentId, 2)).length;
  assertSuccess(await first.ask("tollgate/resendNotifications", { subjectId: paymentId }));
  const [resent] = (await shop.waitForWebhooks(paymentId, told + 1)).slice(told);
  assert.ok(resent && notificationIsSigned(resent, first.merchant.gatewayPublicKey));
  assert.doesNotMatch(JSON.stringify(resent), /marked/);

  const [row] = await findAudit(operator, {}, 1);
  assert.partialDeepStrictEqual(row, { act: "buyer erase", subject: paymentId, clientId, reason: "asked" });
});

test("a session's order and texts are erased, too", async () => {
  const session = sessionRequest("erased-session", {
    order: { referenceOrderId: "order-2", orderDescription: word("session-order"), orderAmount: amount },
    metadata: word("session-metadata"),
  });
  const { json } = assertSuccess(await first.ask("payments/createPaymentSession", session));
  const paymentId = String(json["paymentSessionId"]);
  assertSuccess(await first.ask("payments/cancel", { paymentRequestId: "erased-session" }));
  await untilLogged({ paymentRequestId: "erased-session" });
  await untilTold();
  await eraseBuyer(operator, { clientId, kind: "payment", id: paymentId });
  assert.deepEqual(await foundIn([...marked]), []);
  const retrieved = await first.ask("payments/retrievePaymentSession", {
    paymentRequestId: "erased-session",
  });
  assert.deepEqual(retrieved.json["order"], {
    referenceOrderId: "order-2",
    orderDescription: "(erased)",
    orderAmount: amount,
  });
});

test("erasing an ended authorization also erases the buyer's name at the provider", async () => {
  const { accessToken } = await first.linked("customer");
  const [found] = await asSuperuser<{ id: string; login: string }>(
    "select authorization_id as id, user_login_id as login from authorizations where auth_state = 'customer'",
    [],
    database.superuserUrl,
  );
  const erase = { clientId, kind: "authorization", id: found?.id ?? "" } as const;
  await assert.rejects(eraseBuyer(operator, erase), /because it is not final: the authorization/);
  await provider.authorization("customer", "cancel", { reason: word("why-not") });
  await shop.waitForAuthorization({ authorizationNotifyType: "TOKEN_CANCELED", accessToken });
  await untilTold();
  assert.partialDeepStrictEqual(await eraseBuyer(operator, erase), { authorizations: 1, notifications: 3 });
  assert.ok(found?.login);
  assert.deepEqual(await foundIn([found.login, ...marked]), []);
});

test("an unknown payment, or another merchant's, is rejected", async () => {
  const nobodys = { clientId, kind: "payment", id: "7" } as const;
  await assert.rejects(eraseBuyer(operator, nobodys), /has no payment 7/);
});
