import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../testing/test-gateway.ts";
import { call, control, effects, newFolder, newOrder, startWallet } from "../testing/test-wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";

const folder = newFolder();
const gateway = await startGateway(join(folder, "wallet-public.pem"));
let wallet = await startWallet(folder);

function consent(name: string, more: object = {}): object {
  return {
    reference: `ref-${name}`,
    merchantId: "COFFEE",
    merchantName: "Coffee Lab",
    scopes: ["AGREEMENT_PAY"],
    authState: name,
    redirectUrl: "https://shop.example/linked",
    expiryTime: wireTime(Date.now() + 600_000),
    callbackUrl: gateway.url,
    ...more,
  };
}

const authorize = (name: string, more?: object) =>
  call(wallet, "authorizations/authorize", consent(name, more));
const inquire = (name: string) =>
  call(wallet, "authorizations/inquire-authorization", { reference: `ref-${name}` });
const exchange = (authCode: string, merchantId = "COFFEE") =>
  call(wallet, "authorizations/exchange-code", { authCode, merchantId });
const act = (name: string, action: string, body?: object) =>
  control(wallet, `POST authorizations/${name}/${action}`, body);

/** Creates a consent, agrees, and returns the code from the redirect. */
async function agreed(name: string, buyer?: object): Promise<string> {
  await authorize(name);
  const { json } = await act(name, "agree", buyer);
  return new URL(String(json.redirectUrl)).searchParams.get("authCode") ?? "";
}

async function openPage(name: string, more: object = {}) {
  const url = String((await authorize(name, more)).authorization["url"]);
  const press = (choice: string) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ choice }), redirect: "manual" });
  return { url, press, read: async () => (await fetch(url)).text() };
}

test("the buyer sees the merchant and the permissions, agrees, and is redirected with a code", async () => {
  const scopes = ["AGREEMENT_PAY", "USER_INFO"];
  const redirectUrl = "https://shop.example/linked?a=b#end";
  const { url, press, read } = await openPage("page", { merchantName: "Beans <&> Co", scopes, redirectUrl });
  const html = await read();
  assert.match(html, /<h1>Beans &lt;&amp;&gt; Co would like to<\/h1>/);
  assert.match(html, /Take payments without asking you each time/);
  assert.match(html, /See your name/);
  for (const row of [
    /Who pays.*You/,
    /How much.*No limit/,
    /Back to.*shop\.example/,
    /COFFEE/,
    /Answer until.* UTC/,
  ])
    assert.match(html, row);
  const policy = (await fetch(url)).headers.get("content-security-policy") ?? "";
  assert.match(policy, /form-action 'self' https:\/\/shop\.example;/);

  const pressed = await press("agree");
  assert.equal(pressed.status, 303);
  const { authorization } = await inquire("page");
  const authCode = String(authorization["authCode"]);
  assert.equal(
    pressed.headers.get("location"),
    `https://shop.example/linked?a=b&authCode=${authCode}&authState=page#end`,
  );
  assert.match(await read(), /<h1>Agreed<\/h1>/);
  // Only the merchant that sent the buyer gets the code. A later visitor of the page does not see it.
  assert.ok(!(await read()).includes(authCode));
  await press("cancel");
  assert.match(await read(), /<h1>Revoked<\/h1>/);
});

test("a buyer who declines, or whose time has expired, gives no consent", async () => {
  const declined = await openPage("declines");
  await declined.press("decline");
  assert.match(await declined.read(), /<h1>Declined<\/h1>/);
  await declined.press("agree");
  assert.equal((await inquire("declines")).authorization["state"], "DECLINED");

  const late = await openPage("late", { expiryTime: wireTime(Date.now() - 2_000) });
  assert.match(await late.read(), /<h1>Too late<\/h1>/);
  assert.equal((await late.press("agree")).headers.get("location"), new URL(late.url).pathname);
  assert.equal((await inquire("late")).authorization["state"], "OPEN");
  assert.equal((await late.press("dance")).status, 400);
  assert.equal((await fetch(`${wallet.ready.walletUrl}/authorize/nobody`)).status, 404);
});

test("a consent is created once for each reference, and rejected with other content", async () => {
  const first = await authorize("once");
  assert.deepEqual(await authorize("once", { expiryTime: wireTime(Date.now() + 60_000) }), first);
  const { result } = await authorize("once", { scopes: ["USER_INFO"] });
  assert.equal(result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.equal((await inquire("never")).result["resultCode"], "AUTHORIZATION_NOT_EXIST");
});

test("a code gives one agreement of one merchant, and a repeated exchange returns the same agreement", async () => {
  const authCode = await agreed("code");
  assert.equal((await exchange(authCode, "TEA")).result["resultCode"], "INVALID_AUTHCODE");
  assert.equal((await exchange("no-such-code")).result["resultCode"], "INVALID_AUTHCODE");
  const first = await exchange(authCode);
  assert.equal(first.authorization["state"], "ACTIVE");
  assert.equal(first.agreement["userLoginId"], "b***r@sandbox.example");
  assert.deepEqual(await exchange(authCode), first);
  await act("code", "cancel");
  assert.equal((await exchange(authCode)).result["resultCode"], "INVALID_AUTHCODE");
});

test("an agreement pays at once, or with the outcome that its buyer has set, until it ends", async () => {
  const pay = async (agreementToken: unknown) =>
    (await call(wallet, "submit", newOrder({ agreementToken }))).order;
  const token = async (name: string, buyer?: object) =>
    (await exchange(await agreed(name, buyer))).agreement["agreementToken"];
  const plain = await token("plain");
  assert.equal((await pay(plain))["state"], "PAID");
  assert.equal((await pay(await token("asks", { asks: true })))["state"], "OPEN");
  assert.equal((await pay(await token("poor", { declines: "RISK_REJECT" })))["resultCode"], "RISK_REJECT");
  assert.equal((await pay("no-such-token"))["resultCode"], "INVALID_ACCESS_TOKEN");

  const revoke = () => call(wallet, "authorizations/revoke", { reference: "ref-plain" });
  assert.equal((await revoke()).authorization["state"], "REVOKED");
  assert.equal((await revoke()).authorization["state"], "REVOKED");
  assert.equal((await pay(plain))["resultCode"], "AUTHORIZATION_NOT_EXIST");
  const order = newOrder({ agreementToken: plain });
  await call(wallet, "submit", order);
  const other = await call(wallet, "submit", { ...order, agreementToken: "another" });
  assert.equal(other.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
});

test("the gateway gets callbacks about the buyer's changes, with the code, and none about its own", async () => {
  const authCode = await agreed("told");
  await exchange(authCode);
  await act("told", "cancel", { reason: "Too dear." });
  const receivedCallbacks = () => gateway.received.filter(({ reference }) => reference === "ref-told");
  while (receivedCallbacks().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(receivedCallbacks().every(({ isSigned }) => isSigned));
  assert.deepEqual(
    receivedCallbacks().map(({ authorization }) => [authorization?.["state"], authorization?.["authCode"]]),
    [
      ["AGREED", authCode],
      ["CANCELED", undefined],
    ],
  );
  assert.equal(receivedCallbacks()[1]?.authorization?.["reason"], "Too dear.");
});

test("control reports impossible actions", async () => {
  await authorize("odd");
  assert.equal((await act("odd", "cancel")).status, 409);
  assert.equal((await act("odd", "agree", { asks: "yes" })).status, 400);
  assert.equal((await act("odd", "agree", { declines: "no" })).status, 400);
  assert.equal((await act("odd", "agree", { reason: "" })).status, 400);
  assert.equal((await act("ref-odd", "decline")).status, 200);
});

for (const field of [
  "reference",
  "merchantId",
  "scopes",
  "authState",
  "redirectUrl",
  "expiryTime",
  "callbackUrl",
]) {
  test(`a consent without a valid ${field} is rejected with the field's name`, async () => {
    const { result } = await authorize(`no-${field}`, { [field]: "" });
    assert.equal(result["resultMessage"], `${field} is missing or malformed.`);
  });
}

test("neither codes nor tokens are in the journal, and both stay the same over a restart", async () => {
  const authCode = await agreed("kept");
  const { agreement } = await exchange(authCode);
  await wallet.end("SIGKILL");
  const text = JSON.stringify(effects(wallet));
  assert.ok(!text.includes(authCode) && !text.includes(String(agreement["agreementToken"])));
  wallet = await startWallet(folder);
  assert.deepEqual((await exchange(authCode)).agreement, agreement);
  const order = newOrder({ agreementToken: agreement["agreementToken"] });
  assert.equal((await call(wallet, "submit", order)).order["state"], "PAID");
});
