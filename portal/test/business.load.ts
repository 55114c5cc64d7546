import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { refundRequest } from "../../server/test/shop/test-refund.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { call, pathOf } from "../../server/test/start/test-gateway.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { eventually } from "../../server/test/start/test-process.ts";
import { checkPageForEvidence, checkPage } from "./check-page.ts";
import {
  newVisitor,
  registerWithPasskey,
  startGatewayFor,
  startTestPortal,
  type Visitor,
} from "./test-portal.ts";

/** Daily work of finance and support in a browser, against a complete gateway with the sandbox provider. */
const portal = await startTestPortal();
const gateway = await startGatewayFor(portal);
const person = { name: "Ada Byron", email: "ada@coffee.example", organisation: "Coffee Lab" };
let ada: Visitor;
let page: Page;

before(async () => {
  ada = await newVisitor(portal);
  ({ page } = ada);
  page.setDefaultTimeout(20_000);
  await registerWithPasskey(portal, ada, person);
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select $1, 'sandbox', organisation_id, 'Shop', now() from organisations where name = $2`,
    [gateway.merchant.clientId, person.organisation],
  );
});

async function pay(requestId: string, more: object = {}): Promise<string> {
  const request = payRequest(requestId, more);
  const { json } = await callPayments(portal.gatewayUrl, gateway.merchant, "pay", request);
  return String(json["paymentId"]);
}

async function paid(requestId: string, more: object = {}): Promise<string> {
  const paymentId = await pay(requestId, more);
  assert.equal((await gateway.provider.control(paymentId, "approve")).status, 200);
  return paymentId;
}

async function open(path: string): Promise<void> {
  // The window gets its full width, because `checkPage` leaves it narrow, which hides the menu.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${portal.url}/sandbox${path}`);
}

/**
 * `confirmAndClose` waits until a dialog closes, and re-authenticates if the page requests it. The page requests it
 * only if earlier tests did it more than five minutes ago. The button stays, disabled, while a click is processed.
 */
async function confirmAndClose(dialog: Locator): Promise<void> {
  const proof = page.getByRole("button", { name: "Confirm with a passkey" });
  for (let look = 0; look < 200 && (await dialog.isVisible()); look += 1) {
    if (await proof.isVisible()) await proof.click({ timeout: 1_000 }).catch(() => undefined);
    await page.waitForTimeout(100);
  }
  await dialog.waitFor({ state: "detached" });
}

test("a dispute is found by its deadline, answered with a document, and won", async () => {
  await open("/disputes");
  await page.getByRole("heading", { name: "No disputes yet" }).waitFor();
  await checkPageForEvidence(page, "no-disputes");
  const paymentId = await paid("disputed-1");
  await gateway.provider.control(paymentId, "dispute", { wantedEvidence: ["RECEIPT", "IDENTITY"] });

  const waiting = page.getByRole("region", { name: "Waiting for your answer" });
  const row = waiting.getByRole("link", { name: /EUR.12\.50.*Needs your answer/ });
  await row.getByText("days left").waitFor();
  await checkPage(page, "disputes", [390]);
  await row.click();
  await page.getByText("Chargeback.").waitFor();
  await checkPageForEvidence(page, "dispute");

  await page.getByRole("button", { name: "Submit evidence" }).click();
  const dialog = page.getByRole("dialog", { name: "Submit evidence for this dispute" });
  const saving = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download a draft document" }).click();
  const letterText = await readFile(await (await saving).path());
  assert.match(letterText.toString("latin1"), /^%PDF-1\.4[^]*Response to a dispute/);
  const document = { name: "proof.pdf", mimeType: "application/pdf", buffer: letterText };
  const chooser = page.locator("input[type=file]");
  await chooser.setInputFiles({ ...document, buffer: Buffer.alloc(750_001) });
  await dialog.getByText("Reduce its size").waitFor();
  await dialog.getByRole("button", { name: "Remove proof.pdf" }).click();
  await chooser.setInputFiles({ ...document, buffer: Buffer.from("no document at all") });
  await dialog.getByRole("button", { name: "Submit" }).click();
  await dialog.getByRole("alert").getByText("neither PDF, DOC, DOCX, ZIP nor JPG").waitFor();
  await dialog.getByRole("button", { name: "Remove proof.pdf" }).click();
  await chooser.setInputFiles([document, { ...document, name: "receipt.pdf" }]);
  await dialog.getByLabel("Type of receipt.pdf").selectOption("OTHER");
  await dialog.getByText("Wanted by the payment provider: 1 of 2").waitFor();
  await dialog.getByLabel("Note").fill("Delivered by courier.");
  await checkPageForEvidence(page, "dispute-defend");
  await dialog.getByRole("button", { name: "Submit" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Under review by the payment provider").waitFor();
  await page.getByText("The payment provider received your documents").waitFor();
  await page.getByRole("button", { name: "Download document 1.2" }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Submit evidence" }).isDisabled());
  await page.getByText("The dispute is already answered or closed.").first().waitFor();
  await checkPage(page, "dispute-defended", [1440]);
  const statement = "select reason, after from audit where act = 'payments/supplyDefenseDocument'";
  const [noted] = await asSuperuser<{ reason: string }>(statement, [], gateway.database.superuserUrl);
  assert.equal(noted?.reason, "Delivered by courier.");
  assert.ok(!JSON.stringify(noted).includes(letterText.toString("base64").slice(0, 40)));

  const keeping = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download document 1.1" }).click();
  assert.deepEqual(await readFile(await (await keeping).path()), letterText);
  assert.equal(await gateway.provider.dispute(paymentId, "judge-won"), 200);
  await page.getByText("Won: you keep the money").waitFor();
  await checkPageForEvidence(page, "dispute-won");
});

test("a dispute is accepted after re-authentication, and the buyer gets the money back", async () => {
  const paymentId = await paid("disputed-2");
  assert.equal((await gateway.provider.control(paymentId, "dispute")).status, 200);
  await open("/disputes?disputeStatus=CREATED");
  await page
    .getByRole("region", { name: "All disputes" })
    .getByRole("link", { name: /EUR.12\.50.*Needs your answer/ })
    .click();
  await page.getByRole("button", { name: "Accept the dispute" }).click();
  const dialog = page.getByRole("dialog", { name: "Accept this dispute" });
  await dialog.getByText("EUR 12.50 is returned to the buyer.").waitFor();
  await checkPage(page, "dispute-accept");
  await dialog.getByRole("button", { name: "Return EUR 12.50" }).click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Returned to the buyer").waitFor();
  await open("/disputes?disputeStatus=EXPIRED");
  await page.getByRole("heading", { name: "No record matches the filter" }).waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("link", { name: /Accepted/ }).waitFor();
});

const authorizationHold = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };

test("an authorized payment is captured in part, and the gateway returns the capturable amount", async () => {
  const paymentId = await paid("held-1", authorizationHold);
  await open(`/payments/${paymentId}`);
  await page.getByText("Capturable amount").waitFor();
  await page.getByRole("button", { name: "Capture" }).click();
  const dialog = page.getByRole("dialog", { name: "Capture this payment" });
  await dialog.getByText("EUR 12.50 is authorized.").waitFor();
  await dialog.getByLabel("Amount in EUR").fill("10");
  await checkPageForEvidence(page, "payment-capture");
  await dialog.getByRole("button", { name: "Capture EUR 10.00" }).click();
  await confirmAndClose(dialog);
  await assertFact("Capturable amount", "EUR 2.50");
  await assertFact("Refundable amount", "EUR 10.00");
  await page.getByRole("region", { name: "Captures, refunds and cancels" }).getByText("Completed").waitFor();
  // The cancel button is disabled and shows the reason.
  await page.getByText("captured or disputed").waitFor();
  assert.ok(await page.getByRole("button", { name: "Cancel" }).isDisabled());
  await page.getByRole("cell", { name: /^merchant payable/ }).waitFor();
  // The webhook `notifyCapture` is in the last event of the payment.
  await page.getByText("notifyCapture").waitFor();
  await page.getByText("release-hold").waitFor();
  await checkPage(page, "payment-captured", [390]);

  await page.getByRole("button", { name: "Refund" }).click();
  const refund = page.getByRole("dialog", { name: "Refund this payment" });
  await refund.getByText("Maximum EUR 10.00.").waitFor();
  await refund.getByLabel("Reason").fill("Cold coffee");
  await refund.getByRole("button", { name: "Refund EUR 10.00" }).click();
  await confirmAndClose(refund);
  await page.getByText("No refundable amount is left.").waitFor();
});

test("an unpaid payment is cancelled after the page explains the effect", async () => {
  const paymentId = await pay("never-paid");
  await open(`/payments/${paymentId}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this payment" });
  await dialog.getByText("The payment can then no longer be paid.").waitFor();
  await dialog.getByLabel("Reason").fill("The customer left.");
  await dialog.getByRole("button", { name: "Cancel the payment" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Cancelled", { exact: true }).first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel" }).count(), 0);
});

test("a payment links to its dispute, and its print version has no controls", async () => {
  await open("/payments/disputed-1");
  await page.getByRole("region", { name: "Disputes" }).getByRole("link", { name: /Won/ }).waitFor();
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("button").count(), 0);
  assert.ok(await page.getByText("EUR 12.50").first().isVisible());
  // Printed pages are white in both colour schemes.
  assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
  await page.emulateMedia({ media: "screen" });
});

test("the balance is shown with its movements, and each links to its payment or dispute", async () => {
  await open("/balance");
  const holding = page.getByRole("region", { name: "EUR" });
  // The balance contains a won dispute of 12.50, a lost dispute of 12.50, and a captured amount of 10.00, which was
  // refunded.
  await holding.getByText("EUR 12.50").first().waitFor();
  const movements = page.getByRole("region", { name: "Movements" });
  await movements.getByRole("link", { name: /-EUR.10\.00.*Refund/ }).waitFor();
  await checkPage(page, "balance", [390]);
  await movements
    .getByRole("link", { name: /Dispute lost/ })
    .first()
    .click();
  await page.getByText("You accepted the dispute.").waitFor();
  await page.goBack();
  await movements.getByRole("link", { name: /-EUR.10\.00.*Refund/ }).click();
  await assertFact("Your request id", "held-1");
});

test("refunds and captures link to their payment, and the filter is part of the URL", async () => {
  for (const [path, name] of [
    ["/refunds", "refundStatus"],
    ["/captures", "captureStatus"],
  ] as const) {
    await open(path);
    await page.getByLabel("Status").selectOption("Failed");
    await page.waitForURL(new RegExp(`${name}=FAIL`));
    await page.getByRole("heading", { name: "No record matches the filter" }).waitFor();
    await page.getByLabel("Status").selectOption("Completed");
    await page.getByRole("link", { name: /EUR.10\.00.*Completed/ }).waitFor();
    await checkPageForEvidence(page, path.slice(1));
    await page.getByRole("link", { name: /EUR.10\.00.*Completed/ }).click();
    await assertFact("Your request id", "held-1");
  }
});

test("saved consents and stores are shown with their status, and tokens are never shown", async () => {
  const { provider } = gateway;
  const consent = {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/linked",
    scopes: ["AGREEMENT_PAY"],
    authState: "buyer-77",
    env: { terminalType: "WEB" },
  };
  await requestOperation("authorizations/consult", consent);
  const { authCode } = await provider.authorization("buyer-77", "agree");
  const grant = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  const accessToken = String((await requestOperation("authorizations/applyToken", grant))["accessToken"]);
  assert.ok(accessToken.length > 20);
  await requestOperation("merchants/registration", {
    registrationRequestId: "store-1",
    productCodes: ["IN_STORE_PAYMENT"],
    merchantInfo: {
      referenceMerchantId: "coffee-lab",
      merchantDisplayName: "Coffee Lab",
      merchantMCC: "5814",
    },
    storeInfo: { referenceStoreId: "harbour", storeName: "Coffee Lab, Harbour", storeMCC: "5814" },
  });

  const answer = page.waitForResponse((each) => /views.authorizations$/.test(each.url()) && each.ok());
  await open("/authorizations");
  await page.getByRole("listitem").filter({ hasText: "buyer-77" }).getByText("Active").waitFor();
  const text = await (await answer).text();
  for (const secret of [accessToken, authCode]) assert.ok(!text.includes(secret));
  await checkPageForEvidence(page, "authorizations");
  await open("/stores");
  await page.getByRole("listitem").filter({ hasText: "Coffee Lab, Harbour" }).waitFor();
  await checkPageForEvidence(page, "stores");
});

test("a view is saved with its filter, and found in the menu and the command palette", async () => {
  await open("/disputes?disputeStatus=JUDGED");
  await page.getByRole("button", { name: "Save this view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save this view" });
  await dialog.getByLabel("Name").fill("Decided disputes");
  await dialog.getByRole("button", { name: "Save" }).click();
  const menu = page.getByRole("navigation", { name: "Your saved views" });
  await menu.getByRole("link", { name: /Decided disputes/ }).waitFor();
  await checkPageForEvidence(page, "saved-view");
  await open("/payments");
  await menu.getByRole("link", { name: /Decided disputes/ }).click();
  await page.waitForURL(/disputes\?disputeStatus=JUDGED/);
  await open("/stores");
  await page.getByRole("heading", { name: "Stores", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Go to a page, or type the id of a payment").fill("decided");
  const found = page.locator(".mantine-Spotlight-action", { hasText: "Decided disputes" });
  await found.waitFor();
  for (let tries = 0; tries < 3 && (await found.getAttribute("data-selected")) === null; tries += 1)
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/disputes\?disputeStatus=JUDGED/);
  await menu.getByRole("button", { name: "Delete Decided disputes" }).click();
  await menu.getByRole("link", { name: /Decided disputes/ }).waitFor({ state: "detached" });
});

/** `changeRecord` changes the gateway's database as a report of the provider does. */
const changeRecord = (statement: string, id: string): Promise<unknown> =>
  asSuperuser(statement, [id], gateway.database.superuserUrl);

test("a refund in progress shows since when, in the list and on its payment", async () => {
  const paymentId = await paid("slow-refund");
  await gateway.provider.fault({ kind: "refund-pending", match: { paymentId, verb: "refund" } });
  const refund = refundRequest("slow-refund-1", paymentId, "250");
  await eventuallyAccepted("refund", refund, "REFUND_IN_PROCESS");
  await open("/refunds?refundStatus=PROCESSING");
  await page.getByRole("link", { name: /EUR.2\.50.*In progress since/ }).waitFor();
  await checkPageForEvidence(page, "refund-in-progress");
  await open(`/payments/${paymentId}`);
  await page.getByText(/^In progress since /).waitFor();
  await checkPageForEvidence(page, "payment-refund-in-progress");
});

test("a refund that failed after it had succeeded shows both times, and can be made again", async () => {
  const paymentId = await paid("returned-refund");
  const refund = refundRequest("returned-refund-1", paymentId, "350");
  await eventuallyAccepted("refund", refund, "SUCCESS");
  const fail =
    "update refunds set status = 'FAIL', result_code = 'USER_STATUS_ABNORMAL', reversed_at = now()";
  await changeRecord(`${fail} where refund_request_id = $1`, "returned-refund-1");
  await changeRecord("update payments set refunded_minor = 0 where payment_id = $1", paymentId);
  await open("/refunds?refundStatus=FAIL");
  await page.getByText(/^Failed on .*, after it had succeeded on /).waitFor();
  await checkPageForEvidence(page, "refund-failed-later");
  await open(`/payments/${paymentId}`);
  await page.getByText(/^Failed on .*, after it had succeeded on /).waitFor();
  await assertFact("Refundable amount", "EUR 12.50");
  await page.getByText("failed after it had succeeded").waitFor();
  await checkPageForEvidence(page, "payment-refund-failed-later");
});

test("a cancel in progress shows since when", async () => {
  const paymentId = await paid("slow-cancel");
  await gateway.provider.fault({ kind: "refund-pending", match: { paymentId, verb: "refund" } });
  await eventuallyAccepted("cancel", { paymentId }, "UNKNOWN_EXCEPTION");
  await open(`/payments/${paymentId}`);
  await page.getByText(/^Cancel in progress since /).waitFor();
  await checkPageForEvidence(page, "payment-cancel-in-progress");
});

test("an authorization hold that expired at the provider early is explained", async () => {
  const paymentId = await paid("lapsed-hold", authorizationHold);
  await open(`/payments/${paymentId}`);
  await page.getByText("Capturable amount").waitFor();
  await changeRecord("update payments set released_at = now() where payment_id = $1", paymentId);
  await page.getByText(/^The authorization hold expired at the payment provider on /).waitFor();
  await page.getByText("The capture period has ended.").waitFor();
  assert.equal(await page.getByText("Capturable amount").count(), 0);
  await checkPageForEvidence(page, "payment-hold-lapsed");
});

/** Repeats a request until the buyer's approval has arrived at the gateway, and the result is this code. */
async function eventuallyAccepted(operation: string, request: object, resultCode: string): Promise<void> {
  await eventually(
    10_000,
    () => callPayments(portal.gatewayUrl, gateway.merchant, operation, request),
    ({ json }) => json.result["resultCode"] === resultCode,
  );
}

async function requestOperation(path: string, request: object): Promise<Readonly<Record<string, unknown>>> {
  const signedRequest = { path: pathOf("sandbox", path), body: JSON.stringify(request) };
  const { json, text } = await call(portal.gatewayUrl, gateway.merchant, signedRequest);
  assert.equal(json.result["resultCode"], "SUCCESS", text);
  return json;
}

/** `assertFact` waits until the page shows this value for a fact. */
async function assertFact(name: string, value: string): Promise<void> {
  await page.locator(".facts > div").filter({ hasText: name }).getByText(value).waitFor();
}

test("the support role answers disputes and cancels payments, and sees why it cannot do other actions", async () => {
  const paymentId = await paid("disputed-3");
  assert.equal((await gateway.provider.control(paymentId, "dispute")).status, 200);
  await portal.accounts.sql("update memberships set role = 'support'");
  await open("/disputes");
  await page
    .getByRole("link", { name: /Needs your answer/ })
    .first()
    .click();
  assert.ok(await page.getByRole("button", { name: "Submit evidence" }).isEnabled());
  assert.ok(await page.getByRole("button", { name: "Accept the dispute" }).isDisabled());
  await page.getByText("Your role does not have the permission for this action here.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Balance" }).count(), 0);
  await open("/balance");
  await page.getByRole("alert").getByText("Your role does not have this permission here.").waitFor();
});

test("the browser logs no errors", () => {
  // The server requests re-authentication with status 403, which the browser logs.
  const others = ada.consoleErrors.filter((text) => !text.includes("status of 403"));
  assert.deepEqual(others, []);
});
