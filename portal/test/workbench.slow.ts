import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { before, test } from "node:test";
import { send } from "../../server/test/start/test-gateway.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import {
  newVisitor,
  registerWithPasskey,
  startGatewayOf,
  startTestPortal,
  type Visitor,
} from "./test-portal.ts";

const portal = await startTestPortal();
const gateway = await startGatewayOf(portal);
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

/** A call whose signature covers a line feed that is not sent, as `echo` leads to. */
async function callWithSlip(body: string): Promise<void> {
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

test("a call appears as it comes, and one whose signature does not hold says why, marked as unproven", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/calls`);
  await page.getByRole("heading", { name: "No calls in the last day" }).waitFor();
  await callPayments(portal.gatewayUrl, merchant, "pay", payRequest("order-1"));
  await callWithSlip(JSON.stringify(payRequest("order-2")));
  const refused = page.getByRole("link", { name: /INVALID_SIGNATURE unproven/ });
  await refused.waitFor();
  await page.getByRole("link", { name: /PAYMENT_IN_PROCESS/ }).waitFor();
  assert.match(await page.getByRole("listitem").first().innerText(), /INVALID_SIGNATURE/);
  await refused.click();
  await page.getByText("the body with a line feed at its end").first().waitFor();
  await page.getByText("anybody may have sent this in your name").waitFor();
});

test("a call is copied as curl and as the code of each library", async () => {
  const { page } = ada;
  await page.goto(`${portal.url}/sandbox/calls`);
  await page.getByRole("link", { name: /PAYMENT_IN_PROCESS/ }).click();
  const language = page.getByLabel("Language");
  const begins = {
    curl: `BASE_URL=${portal.gatewayUrl}`,
    typescript: "client.payments.pay({",
    java: "PayRequest.builder()",
    php: "new PayRequest(",
    python: "PayRequest(",
  };
  for (const [value, text] of Object.entries(begins)) {
    await language.selectOption(value);
    await page.locator("pre", { hasText: text }).waitFor();
    await page.locator("pre", { hasText: "order-1" }).last().waitFor();
  }
});
