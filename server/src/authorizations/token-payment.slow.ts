import assert from "node:assert/strict";
import { test } from "node:test";
import { formatWireTime } from "../core/request-time.ts";
import { assertSuccess, resultOf, startAuthorizationStack } from "../../test/shop/test-authorization.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import type { ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";

const stack = await startAuthorizationStack();
const { first, provider, shop, database } = stack;

async function statusOnce(paymentRequestId: string, status: string): Promise<ReceivedAnswer> {
  return eventually(
    15_000,
    () => first.request("payments/inquiryPayment", { paymentRequestId }),
    ({ json }) => json["paymentStatus"] === status,
  );
}

/** Entries of the provider's journal about a payment: orders and their outcomes. */
function linesOf({ json }: ReceivedAnswer): readonly string[] {
  return provider
    .effects()
    .filter(
      ({ paymentId, kind }) => paymentId === json["paymentId"] && kind !== "callback" && kind !== "fault",
    )
    .map(({ kind, outcome }) => [kind, outcome].filter(Boolean).join(" "));
}

test("a token payment is paid immediately without a page, and repeats pay it once", async () => {
  const { accessToken } = await first.obtainTokens("pays");
  const paid = assertSuccess(await first.pay("pays-1", accessToken, { paymentNotifyUrl: shop.notifyUrl }));
  assert.equal(paid.json["normalUrl"], undefined);
  assert.equal(paid.json["redirectActionForm"], undefined);
  assert.ok(paid.json["paymentTime"]);
  const repeated = assertSuccess(await first.pay("pays-1", accessToken));
  assert.equal(repeated.json["paymentId"], paid.json["paymentId"]);
  const [webhook] = await shop.waitForWebhooks(String(paid.json["paymentId"]), 1);
  assert.partialDeepStrictEqual(webhook?.json, { notifyType: "PAYMENT_RESULT" });
  assert.deepEqual(linesOf(paid), ["submit opened", "paid"]);
  const other = await first.obtainTokens("pays-too");
  assert.equal(resultOf(await first.pay("pays-1", other.accessToken)), "REPEAT_REQ_INCONSISTENT");
  assert.equal(resultOf(await first.apply(other.authCode)), "SUCCESS");
  // A code cannot be replayed after the tokens that it was exchanged for were used.
  assertSuccess(await first.pay("pays-2", other.accessToken));
  assert.equal(resultOf(await first.apply(other.authCode)), "INVALID_AUTHCODE");
});

test("a payment of a buyer without money is declined", async () => {
  const { accessToken } = await first.obtainTokens("poor", {}, { declines: "USER_BALANCE_NOT_ENOUGH" });
  const declined = await first.pay("poor-1", accessToken);
  assert.equal(resultOf(declined), "USER_BALANCE_NOT_ENOUGH");
  assert.equal(declined.json.result["resultStatus"], "F");
  assert.deepEqual(linesOf(declined), ["submit opened", "declined"]);
});

test(
  "if the provider requires a confirmation, the payment stays open, and the response has the provider's " +
    "page",
  async () => {
    const { accessToken } = await first.obtainTokens("asked", {}, { asks: true });
    const open = await first.pay("asked-1", accessToken);
    assert.equal(resultOf(open), "PAYMENT_IN_PROCESS");
    assert.equal(open.json.result["resultStatus"], "U");
    assert.match(String(open.json["normalUrl"]), /\/pay\//);
    await provider.control(String(open.json["paymentId"]), "approve");
    await statusOnce("asked-1", "SUCCESS");
    assertSuccess(await first.pay("asked-1", accessToken));
  },
);

test("if the provider's response is lost, the payment stays open, and it is paid once", async () => {
  const { accessToken } = await first.obtainTokens("lost");
  await provider.fault({ kind: "answer-lost", match: { verb: "submit" } });
  const open = await first.pay("lost-1", accessToken);
  assert.ok(["PAYMENT_IN_PROCESS", "SUCCESS"].includes(resultOf(open)), open.text);
  const { json } = await statusOnce("lost-1", "SUCCESS");
  assert.equal(json["paymentId"], open.json["paymentId"]);
  assert.deepEqual(
    linesOf(open).filter((line) => line !== "submit repeated"),
    ["submit opened", "paid"],
  );
});

test("if the provider does not respond, the payment stays open", async () => {
  const { accessToken } = await first.obtainTokens("silent");
  await provider.fault({ kind: "refuse-connection", count: 2, match: { verb: "submit" } });
  const open = await first.pay("silent-1", accessToken);
  assert.equal(resultOf(open), "PAYMENT_IN_PROCESS");
  await statusOnce("silent-1", "SUCCESS");
});

test("tokens that are unknown, of another merchant, of another provider or of another scope are refused", async () => {
  const { accessToken } = await first.obtainTokens("refusals");
  const paymentMethod = { paymentMethodType: "DANA", paymentMethodId: accessToken };
  const other = await stack.newConsentClient();
  assert.equal(resultOf(await first.pay("r-1", "no-such-token")), "INVALID_ACCESS_TOKEN");
  assert.equal(resultOf(await other.pay("r-2", accessToken)), "INVALID_ACCESS_TOKEN");
  assert.equal(resultOf(await first.pay("r-3", accessToken, { paymentMethod })), "INVALID_ACCESS_TOKEN");
  const nameless = { paymentMethod: { paymentMethodType: "GCASH" } };
  assert.equal(resultOf(await first.pay("r-4", accessToken, nameless)), "PARAM_ILLEGAL");
  const { accessToken: reading } = await first.obtainTokens("reading", {
    scopes: ["USER_INFO", "BASE_USER_INFO"],
  });
  assert.equal(resultOf(await first.pay("r-5", reading)), "AUTHORIZATION_NOT_EXIST");
  const { count } = await countOf("payment_request_id like 'r-%'");
  assert.equal(count, 0);
});

test("the time to pay is one minute, and can only be shortened", async () => {
  const { accessToken } = await first.obtainTokens("minute");
  const within = (seconds: number) => ({ paymentExpiryTime: formatWireTime(Date.now() + seconds * 1000) });
  assert.equal(resultOf(await first.pay("minute-1", accessToken, within(90))), "PARAM_ILLEGAL");
  assertSuccess(await first.pay("minute-1", accessToken, within(30)));
  assertSuccess(await first.pay("minute-2", accessToken));
  const { seconds } = await countOf("payment_request_id = 'minute-2'");
  assert.equal(seconds, 60);
});

test("a revoked or cancelled token is refused; payments made before keep their result", async () => {
  const revoked = await first.obtainTokens("revoked");
  assertSuccess(await first.pay("revoked-1", revoked.accessToken));
  assertSuccess(await first.request("authorizations/revoke", { accessToken: revoked.accessToken }));
  assert.equal(resultOf(await first.pay("revoked-2", revoked.accessToken)), "AUTHORIZATION_NOT_EXIST");
  assertSuccess(await first.pay("revoked-1", revoked.accessToken));

  const { accessToken } = await first.obtainTokens("canceled");
  await provider.authorization("canceled", "cancel");
  await shop.waitForAuthorization({ authorizationNotifyType: "TOKEN_CANCELED", accessToken });
  assert.equal(resultOf(await first.pay("canceled-1", accessToken)), "AUTHORIZATION_NOT_EXIST");
});

test("a consent that ends between our check and the provider's charge is declined by the provider", async () => {
  const { accessToken } = await first.obtainTokens("between");
  // The provider has cancelled the agreement, and the callback is lost.
  await provider.fault({ kind: "callback-drop", count: 4, match: { verb: "callback" } });
  await provider.authorization("between", "cancel");
  const declined = await first.pay("between-1", accessToken);
  assert.equal(resultOf(declined), "AUTHORIZATION_NOT_EXIST");
  assert.equal((await statusOnce("between-1", "FAIL")).json["paymentId"], declined.json["paymentId"]);
  assert.deepEqual(linesOf(declined), ["submit opened", "declined"]);
});

test("many concurrent exchanges of one code create one pair and one agreement", async () => {
  const authCode = await first.obtainAuthCode("rush");
  const answers = await Promise.all(Array.from({ length: 20 }, () => first.apply(authCode)));
  const codes = new Set(answers.map(resultOf));
  assert.ok(
    [...codes].every((code) => code === "SUCCESS" || code === "AUTH_IN_PROCESS"),
    [...codes].join(),
  );
  const final = assertSuccess(await first.apply(authCode));
  const tokens = answers.flatMap(({ json }) => json["accessToken"] ?? []);
  assert.ok(tokens.length > 0);
  assert.deepEqual([...new Set(tokens)], [final.json["accessToken"]]);
  const exchanges = provider
    .effects()
    .filter(({ kind, outcome }) => kind === "exchange-code" && outcome === "done");
  const lines = exchanges.filter(({ reference }) => reference === referenceOf("rush"));
  assert.equal(lines.length, 1);
});

test("concurrent payments and a revoke: each payment is paid and reported as paid, or neither", async () => {
  for (const round of [1, 2, 3]) {
    const { accessToken } = await first.obtainTokens(`race-${round}`);
    const ids = Array.from({ length: 8 }, (_, index) => `race-${round}-${index}`);
    const [revoked, ...paid] = await Promise.all([
      first.request("authorizations/revoke", { accessToken }),
      ...ids.map((id) => first.pay(id, accessToken)),
    ]);
    assertSuccess(revoked);
    const settled = await Promise.all(
      paid.map(async (answer, index) => {
        if (resultOf(answer) !== "PAYMENT_IN_PROCESS") return answer;
        return eventually(
          15_000,
          () => first.pay(ids[index] ?? "", accessToken),
          (again) => resultOf(again) !== "PAYMENT_IN_PROCESS",
        );
      }),
    );
    for (const answer of settled) {
      assert.ok(["SUCCESS", "AUTHORIZATION_NOT_EXIST"].includes(resultOf(answer)), answer.text);
      assert.equal(linesOf(answer).includes("paid"), resultOf(answer) === "SUCCESS");
    }
    assert.equal(resultOf(await first.pay(`race-${round}-after`, accessToken)), "AUTHORIZATION_NOT_EXIST");
  }
});

test("a concurrent revoke and refresh leave no valid token", async () => {
  for (const round of [1, 2, 3]) {
    const { accessToken, refreshToken } = await first.obtainTokens(`ends-${round}`);
    const [revoked, refreshed] = await Promise.all([
      first.request("authorizations/revoke", { accessToken }),
      first.refresh(refreshToken),
    ]);
    assertSuccess(revoked);
    const newer = refreshed.json["accessToken"] ?? accessToken;
    const { json } = await first.request("authorizations/query", { accessToken: newer });
    assert.equal(json["tokenStatusType"], "REVOKED", JSON.stringify(json));
    assert.equal(resultOf(await first.refresh(refreshToken)), "INVALID_REFRESH_TOKEN");
  }
});

function referenceOf(authState: string): unknown {
  const opened = provider
    .effects()
    .find(({ authorization }) => (authorization as { authState?: string })?.authState === authState);
  return opened?.["reference"];
}

async function countOf(where: string): Promise<{ readonly count: number; readonly seconds: number }> {
  const [row] = await asSuperuser<{ count: number; seconds: number }>(
    `select count(*)::int as count, max(extract(epoch from expires_at - created_at))::int as seconds
     from payments where ${where}`,
    [],
    database.superuserUrl,
  );
  assert(row);
  return row;
}
