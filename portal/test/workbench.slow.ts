import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as waitMs } from "node:timers/promises";
import { closeSettlement } from "../../server/src/settlement/close-settlement.workflow.ts";
import { setTerms } from "../../server/src/settlement/settlement-terms.workflow.ts";
import { dailyTerms, newSettlementFixture } from "../../server/test/examples/settlement-fixture.ts";
import { addConnector } from "../../server/src/operators/providers/connector-settings.ts";
import { eventually } from "../../server/test/start/test-process.ts";
import { startTestShop } from "../../server/test/start/test-shop.ts";
import { send } from "../../server/test/start/test-gateway.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { checkPageForEvidence } from "./check-page.ts";
import {
  newVisitor,
  registerWithPasskey,
  startGatewayFor,
  startTestPortal,
  type Visitor,
} from "./test-portal.ts";

const portal = await startTestPortal();
const gateway = await startGatewayFor(portal);
const { merchant } = gateway;
const person = { name: "Ada Byron", email: "ada@coffee.example", organisation: "Coffee Lab" };
let ada: Visitor;

before(async () => {
  ada = await newVisitor(portal, { permissions: ["clipboard-read", "clipboard-write"] });
  ada.page.setDefaultTimeout(20_000);
  await registerWithPasskey(portal, ada, person);
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select $1, 'sandbox', organisation_id, 'Shop', now() from organisations where name = $2`,
    [merchant.clientId, person.organisation],
  );
});

/**
 * `callWithWrongSignature` sends a request with a usual signature mistake: the signature covers a trailing line feed,
 * which `echo` adds and the request does not contain.
 */
async function callWithWrongSignature(body: string): Promise<void> {
  const path = "/ams/sandbox/api/v1/payments/pay";
  const time = String(Date.now());
  const text = `POST ${path}\n${merchant.clientId}.${time}.${body}\n`;
  const signature = encodeURIComponent(
    sign("sha256", Buffer.from(text), merchant.privateKey).toString("base64"),
  );
  await send(portal.gatewayUrl, {
    path,
    body,
    headers: {
      "client-id": merchant.clientId,
      "request-time": time,
      signature: `algorithm=RSA256,keyVersion=1,signature=${signature}`,
    },
  });
}

test("API requests appear live, and one with an invalid signature shows its diagnosis as unauthenticated", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/calls`);
  await page.getByRole("heading", { name: "No API requests in the last 24 hours" }).waitFor();
  await callPayments(portal.gatewayUrl, merchant, "pay", payRequest("order-1"));
  await callWithWrongSignature(JSON.stringify(payRequest("order-2")));
  const refused = page.getByRole("link", { name: /INVALID_SIGNATURE unauthenticated/ });
  await refused.waitFor();
  await page.getByRole("link", { name: /PAYMENT_IN_PROCESS/ }).waitFor();
  assert.match(await page.getByRole("listitem").first().innerText(), /INVALID_SIGNATURE/);
  await refused.click();
  await page.getByText("the body with a line feed at its end").first().waitFor();
  await page.getByText("the request may come from anyone").waitFor();
  await checkPageForEvidence(page, "call-unproven");
});

test("an API request is shown as curl and as code for each client library", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/calls`);
  await page.getByRole("link", { name: /PAYMENT_IN_PROCESS/ }).click();
  const language = page.getByLabel("Language");
  const expectedStarts = {
    curl: `BASE_URL=${portal.gatewayUrl}`,
    typescript: "client.payments.pay({",
    java: "PayRequest.builder()",
    php: "new PayRequest(",
    python: "PayRequest(",
    go: "tollgate.PayRequest{",
  };
  for (const [value, text] of Object.entries(expectedStarts)) {
    await language.selectOption(value);
    await page.locator("pre", { hasText: text }).waitFor();
    await page.locator("pre", { hasText: "order-1" }).last().waitFor();
  }
});

test("a developer finds the reason of an undelivered webhook, fixes the shop and resends it", async () => {
  const { page } = ada;
  const answers = [500];
  const acknowledgement = { result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" } };
  const shop = createServer((_, response) => {
    response.statusCode = answers.shift() ?? 200;
    const body = response.statusCode === 500 ? { error: "no such table: orders" } : acknowledgement;
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  after(() => shop.close());
  const { port } = shop.address() as AddressInfo;
  const paymentNotifyUrl = `http://127.0.0.1:${port}/told?key=hidden`;
  const request = payRequest("order-3", { paymentNotifyUrl });
  const { json } = await callPayments(portal.gatewayUrl, merchant, "pay", request);
  await gateway.provider.control(String(json["paymentId"]), "approve");

  await page.goto(`${portal.url}/sandbox/notifications`);
  const row = page.getByRole("listitem").filter({ hasText: `127.0.0.1:${port}` });
  await row.getByText("response 500").waitFor();
  await row.getByRole("link", { name: "Payment" }).click();
  await page.getByText("500, but 200 is expected").waitFor();
  await page.getByText("Response of your system").click();
  await page.getByText("no such table: orders").waitFor();
  await checkPageForEvidence(page, "notification-why");
  await page.locator("pre", { hasText: '"paymentRequestId":"order-3"' }).waitFor();
  await page.getByRole("button", { name: "Resend" }).click();
  await page.getByText("Attempt 2").waitFor();
  await page.getByText("Delivered").waitFor();
  assert.ok(!(await page.content()).includes("key=hidden"));
});

test("webhooks to a paused endpoint wait, and are sent when it is resumed", async () => {
  const { page } = ada;
  const shop = await startTestShop();
  await page.goto(`${portal.url}/sandbox/notifications`);
  await page.getByText("Set an endpoint").click();
  await page.getByRole("textbox", { name: "Address" }).fill(shop.notifyUrl);
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByRole("button", { name: /^Pause webhooks to/ }).click();
  await page.getByText("paused", { exact: true }).waitFor();
  await checkPageForEvidence(page, "notifications-paused");
  // The sender reads the paused endpoints once per second.
  await waitMs(2_000);

  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("No attempts yet.").waitFor();
  assert.equal(shop.all().length, 0);
  await page.goBack();
  await page.getByRole("button", { name: /^Resume webhooks to/ }).click();
  await page
    .getByRole("listitem")
    .filter({ hasText: "Delivered" })
    .filter({ hasText: new URL(shop.notifyUrl).origin })
    .waitFor();
  assert.match(shop.all()[0]?.text ?? "", /"paymentRequestId":"test-/);
});

test("an API request is signed with a non-extractable key in the browser, and the response is verified", async () => {
  const { page, consoleErrors } = ada;
  await page.goto(`${portal.url}/sandbox/try`);
  await page.getByRole("button", { name: "Create a key in this browser" }).click();
  await page.getByText("Key version 2 is stored in this browser.").waitFor();
  await page.getByLabel("Operation").selectOption("payments/inquiryPayment");
  await page.getByLabel("Body").fill('{"paymentRequestId":"order-1"}');
  await page.getByRole("button", { name: "Sign and send" }).click();
  await page.getByText("The signature is valid. Gateway key: 1.").waitFor();
  await page.locator("pre", { hasText: '"paymentStatus": "PROCESSING"' }).waitFor();
  await checkPageForEvidence(page, "call-tried");

  await page.getByRole("link", { name: "Show in API requests" }).click();
  await page.getByText("The signature is valid. Key version: 2.").waitFor();
  await page.getByRole("link", { name: "Open in the API explorer" }).click();
  await page.getByLabel("Body").filter({ hasText: "order-1" }).waitFor();
  await page.reload();
  await page.getByText("Key version 2 is stored in this browser.").waitFor();
  assert.deepEqual(await page.evaluate(exportStoredKeyScript), ["InvalidAccessError", false]);

  await page.getByRole("button", { name: "Delete and revoke the key" }).click();
  await page.getByRole("button", { name: "Create a key in this browser" }).waitFor();
  assert.deepEqual(consoleErrors, []);
});

/** The result when the page tries to read the stored private key. */
const exportStoredKeyScript = `new Promise((resolve) => {
  const opening = indexedDB.open("tollgate", 1);
  opening.onsuccess = () => {
    const all = opening.result.transaction("keys").objectStore("keys").getAll();
    all.onsuccess = async () => {
      const [{ privateKey }] = all.result;
      const outcome = await crypto.subtle.exportKey("pkcs8", privateKey).catch(({ name }) => name);
      resolve([outcome, privateKey.extractable]);
    };
  };
})`;

test("the test clock is advanced and due actions run; a fault is scheduled and cancelled", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/tools`);
  await page.getByText("same as real time").waitFor();
  await page.getByRole("button", { name: "Advance by 1 h" }).click();
  await page.getByText("ahead of real time").waitFor();
  await page.getByText("Query the payment, or close it if it has expired").first().waitFor();
  await checkPageForEvidence(page, "clock-moved");
  await page.getByRole("button", { name: "Schedule the fault" }).click();
  await page.getByText("Scheduled. The fault").waitFor();
  await page.getByRole("button", { name: "Cancel all faults" }).click();
  await page.getByText("are cancelled").waitFor();
  await page.getByLabel("Search").fill("USER_BALANCE_NOT_ENOUGH");
  await page.getByText("tollgate decline PAYMENT_ID --code USER_BALANCE_NOT_ENOUGH").waitFor();
});

test("a page whose requests are rejected shows the error instead of an empty list", async () => {
  const { page } = ada;
  const refusal = { refusal: "NOT_ALLOWED", message: "Your role does not allow this." };
  await page.route("**/accounts/token", (route) => route.fulfill({ status: 403, json: refusal }));
  const some = ["", "payments", "charts", "keys"];
  const others = ["refunds", "captures", "disputes", "balance", "authorizations", "stores", "notifications"];
  // CI tests some of the pages; a release tests all of them.
  for (const path of process.env["TOLLGATE_WHOLE"] === "1" ? [...some, ...others, "calls"] : some) {
    await page.goto(`${portal.url}/sandbox/${path}`);
    await page.getByRole("alert").getByText("Your role does not allow this.").first().waitFor();
    assert.equal(await page.locator(".empty").count(), 0, path);
  }
  await page.unroute("**/accounts/token");
});

test("an overview whose views are rejected shows no open steps", async () => {
  const { page } = ada;
  const result = { resultCode: "ACCESS_DENIED", resultStatus: "F", resultMessage: "Access is denied." };
  const headers = { "access-control-allow-origin": portal.url };
  await page.route("**/console/views/keys", (route) =>
    route.fulfill({ status: 200, headers, json: { result } }),
  );
  await page.goto(`${portal.url}/sandbox`);
  await page.getByRole("alert").getByText("Access is denied.").waitFor();
  assert.equal(await page.locator("ol.steps").count(), 0);
  await page.unroute("**/console/views/keys");
});

test("a negative balance and a negative settlement say that the amount is deducted from the next payouts", async () => {
  const { page } = ada;
  const { operator, postRefund } = newSettlementFixture(gateway.database);
  await setTerms(operator, merchant.clientId, "EUR", { ...dailyTerms, fromDay: "2026-01-01" });
  // More than the payment of the other tests has added to the balance.
  await postRefund(merchant.clientId, 5_000n, "2026-10-05T10:00:00Z");
  await closeSettlement(operator, { day: "2026-10-05" });
  await page.goto(`${portal.url}/sandbox/balance`);
  await page.getByText("Your balance is negative: you owe the operator this amount.").waitFor();
  await page.getByRole("link", { name: /Carried over/ }).click();
  await page.getByText("This batch is negative").waitFor();
});

test("the page of a payment by card shows the card and the issuer's code", async () => {
  const { page } = ada;
  const { provider, database } = gateway;
  await addConnector(database.ownerUrl, "sandbox", {
    name: "cards",
    url: provider.url,
    partnerId: "tollgate",
    publicKeyFile: provider.publicKeyFile,
    paymentMethodTypes: ["CARD"],
    simulator: true,
  });
  const request = payRequest("by-card", { paymentMethod: { paymentMethodType: "CARD" } });
  const { json } = await eventually(
    15_000,
    () => callPayments(portal.gatewayUrl, merchant, "pay", request),
    (answer) => answer.json.result["resultCode"] === "PAYMENT_IN_PROCESS",
  );
  const decision = { resultCode: "AUTHENTICATION_REQUIRED", card: "bank-asks" };
  const decline = (): Promise<{ readonly status: number }> =>
    provider.control(String(json["paymentId"]), "decline", decision);
  await eventually(30_000, decline, ({ status }) => status === 200);
  await page.goto(`${portal.url}/sandbox/payments/${String(json["paymentId"])}`);
  await page.getByText("MASTERCARD ···· 0079").waitFor();
  await page.getByText("2.2.0 · failed · no liability shift").waitFor();
  assert.match(await page.locator("dl.facts").innerText(), /Issuer's code\s+1A/);
  await checkPageForEvidence(page, "payment-by-card");
});
