import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { assertSuccess, startAuthorizationStack } from "../../test/shop/test-authorization.ts";
import { sessionRequest } from "../../test/shop/test-session.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { notificationIsSigned } from "../../test/start/test-shop.ts";
import { payRequest } from "../../test/start/test-stack.ts";
import { findBinFolder } from "../postgres/throw-away.ts";
import { findAudit } from "./audit.ts";
import { eraseBuyer } from "./buyer.ts";

/** Words about a buyer are planted wherever a merchant or a wallet may write one, and after an erasure a dump has none of them. */
const { first, shop, wallet, database } = await startAuthorizationStack();
const { clientId } = first.merchant;
const operator = { url: database.ownerUrl, environment: "sandbox", by: { reason: "asked" } } as const;
const amount = { currency: "EUR", value: "1250" };

const planted = new Set<string>();
/** A word that is nowhere else; without digits, so that none is taken for a card number. */
function word(name: string): string {
  const made = `planted-${name}`;
  planted.add(made);
  return made;
}

async function dump(): Promise<string> {
  const program = `${await findBinFolder()}/pg_dump`;
  const { stdout } = await promisify(execFile)(program, ["--dbname", database.superuserUrl], {
    maxBuffer: 1e9,
  });
  // Bytes are written as hexadecimal digits: what was kept as bytes is looked for as well.
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

/** The request log is written a moment after the answer. */
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

test("what a payment says about its buyer is gone from a dump, and all that books need is there", async () => {
  const { json } = await first.ask("payments/pay", request);
  const paymentId = String(json["paymentId"]);
  const erase = { clientId, kind: "payment", id: paymentId } as const;
  await assert.rejects(eraseBuyer(operator, erase), /It is not over yet: the payment/);
  await wallet.control(paymentId, "approve");
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
  const asked = await first.ask("payments/inquiryPayment", { paymentId });
  await untilLogged({ paymentId });
  const sums =
    "select subject_id, effect, debit_account, credit_account, amount_minor from ledger_transfers order by 1, 2";
  const books = await asSuperuser(sums, [], database.superuserUrl);
  assert.ok((await foundIn([...planted])).length >= 6, "the words are there before");

  const counts = await eraseBuyer(operator, erase);
  assert.partialDeepStrictEqual(counts, { payments: 1, refunds: 1, notifications: 2 });
  assert.ok((counts["request_log"] ?? 0) >= 3);
  assert.deepEqual(await foundIn([...planted]), []);
  assert.deepEqual(await asSuperuser(sums, [], database.superuserUrl), books);
  const again = await first.ask("payments/inquiryPayment", { paymentId });
  const { metadata: _, ...slim } = asked.json;
  assert.deepEqual({ ...again.json, result: slim.result }, slim);

  // Idempotency holds: the same is a repeat, and another one is refused. The request log has these calls, as it has all that come.
  planted.clear();
  const repeated = await first.ask("payments/pay", request);
  assert.partialDeepStrictEqual(repeated.json, { paymentId, result: { resultStatus: "S" } });
  const other = { ...request, paymentAmount: { currency: "EUR", value: "1" } };
  assert.equal(await first.codeOf("payments/pay", other), "REPEAT_REQ_INCONSISTENT");
  assert.equal((await first.ask("payments/refund", refund)).json.result["resultStatus"], "S");

  // What is sent again has a good signature, and no words.
  const told = (await shop.waitForTold(paymentId, 2)).length;
  assertSuccess(await first.ask("tollgate/resendNotifications", { subjectId: paymentId }));
  const [resent] = (await shop.waitForTold(paymentId, told + 1)).slice(told);
  assert.ok(resent && notificationIsSigned(resent, first.merchant.gatewayPublicKey));
  assert.doesNotMatch(JSON.stringify(resent), /planted/);

  const [row] = await findAudit(operator, {}, 1);
  assert.partialDeepStrictEqual(row, { act: "buyer erase", subject: paymentId, clientId, reason: "asked" });
});

test("a session's order and own words go the same way", async () => {
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
  assert.deepEqual(await foundIn([...planted]), []);
  const retrieved = await first.ask("payments/retrievePaymentSession", {
    paymentRequestId: "erased-session",
  });
  assert.deepEqual(retrieved.json["order"], {
    referenceOrderId: "order-2",
    orderDescription: "(erased)",
    orderAmount: amount,
  });
});

test("an agreement that has ended is forgotten with the name at the wallet", async () => {
  const { accessToken } = await first.linked("customer");
  const [found] = await asSuperuser<{ id: string; login: string }>(
    "select authorization_id as id, user_login_id as login from authorizations where auth_state = 'customer'",
    [],
    database.superuserUrl,
  );
  const erase = { clientId, kind: "authorization", id: found?.id ?? "" } as const;
  await assert.rejects(eraseBuyer(operator, erase), /It is not over yet: the authorization/);
  await wallet.authorization("customer", "cancel", { reason: word("why-not") });
  await shop.waitForAuthorization({ authorizationNotifyType: "TOKEN_CANCELED", accessToken });
  await untilTold();
  assert.partialDeepStrictEqual(await eraseBuyer(operator, erase), { authorizations: 1, notifications: 3 });
  assert.ok(found?.login);
  assert.deepEqual(await foundIn([found.login, ...planted]), []);
});

test("nobody's payment, or another merchant's, is refused", async () => {
  const nobodys = { clientId, kind: "payment", id: "7" } as const;
  await assert.rejects(eraseBuyer(operator, nobodys), /has no payment 7/);
});
