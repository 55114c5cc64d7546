import assert from "node:assert/strict";
import { test } from "node:test";
import { givenMember } from "../../accounts/test/test-accounts.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import type { Page } from "playwright-core";
import { checkPage } from "./check-page.ts";
import { newVisitor, registerWithPasskey, startLiveGatewayFor, startTestPortal } from "./test-portal.ts";

const portal = await startTestPortal({
  isSecure: true,
  variables: { ACCOUNTS_APPROVAL_RULES: "live.ask" },
});
const { database } = await startLiveGatewayFor(portal);

const business = {
  "Legal name": "Coffee Lab GmbH",
  "Registration number": "HRB 12345",
  Address: "Kantstrasse 1\n10623 Berlin",
  Owner: "Ada Byron",
  Website: "https://coffee.example",
  "Products and services": "Roasted coffee, and courses about it",
};

const documents = {
  registration: {
    name: "register.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF-1.7 register"),
  },
  identity: {
    name: "passport.jpg",
    mimeType: "image/jpeg",
    buffer: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]),
  },
};

test("a merchant goes live: it submits details and documents, is rejected, corrects them, and creates its client in live", async () => {
  const ada = await newVisitor(portal);
  const { page } = ada;
  page.setDefaultTimeout(20_000);
  const person = { name: "Ada Byron", email: "ada@coffee.example", organisation: "Coffee Lab" };
  await registerWithPasskey(portal, ada, person);
  await page.goto(`${portal.url}/live`);
  await page.getByText("Missing:").waitFor();

  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  for (const [name, text] of Object.entries(business)) await field(name).fill(text);
  await page.getByLabel("Country").selectOption("DE");
  await page.getByRole("heading", { name: "Documents" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const send = (file: object): Promise<void> =>
    page.locator("input[type=file]").setInputFiles(file as (typeof documents)["identity"]);
  const large = { ...documents.identity, name: "large.jpg", buffer: Buffer.alloc(4 * 1024 ** 2 + 1) };
  await send(large);
  await page.getByRole("alert").getByText("large.jpg is larger than 4 MB").waitFor();
  await send({ ...documents.registration, buffer: Buffer.from("<!doctype html>") });
  await page.getByRole("alert").getByText("Send a PDF, a PNG or a JPEG").waitFor();
  for (const file of Object.values(documents)) {
    await send(file);
    await page.getByRole("button", { name: `Remove ${file.name}` }).waitFor();
  }
  await page.getByText("All required data is present.").waitFor();
  await checkPage(page, "go-live-complete");
  await page.getByRole("button", { name: "Request to go live" }).click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await requestApproval(page);
  await checkPage(page, "second-person", [390]);
  await page.getByRole("button", { name: "Complete the action" }).click();
  await page.getByText("No pending approvals").waitFor();
  await page.goto(`${portal.url}/live`);
  await page.getByText("The operator is reviewing your request").waitFor();
  assert.equal(await field("Website").count(), 0);
  await checkPage(page, "go-live-submitted");

  const operator = await givenMember(portal.accounts, { role: "staff-operator", steppedUpAgoMs: 0 });
  const { json } = await operator.browser.get("/accounts/merchants");
  const [waiting] = json["merchants"] as { organisationId: string }[];
  const { organisationId } = waiting ?? {};
  const decide = async (word: string, submission: number, reason: string): Promise<void> => {
    const decision = { organisationId, submission, reason };
    assert.equal((await operator.browser.post(`/accounts/merchants/${word}`, decision)).status, 200);
  };
  await decide("refuse", 1, "The passport cannot be read. Please send a sharper picture.");
  await page.reload();
  await page.getByText("The passport cannot be read.").waitFor();
  await page.getByRole("button", { name: "Remove passport.jpg" }).click();
  await page.getByText("the owner's passport or identity card").waitFor();
  await send(documents.identity);
  await page.getByRole("button", { name: "Request to go live" }).click();
  await requestApproval(page);
  await page.getByRole("button", { name: "Complete the action" }).click();
  await page.getByText("No pending approvals").waitFor();
  await decide("approve", 2, "Register checked, owner called.");

  await page.goto(`${portal.url}/live`);
  await page.getByRole("button", { name: "Create a client id" }).click();
  await page.getByRole("heading", { name: "No key yet" }).waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create key" }).click();
  const file = (await saving).suggestedFilename();
  await page.getByText("Version 1 is registered").waitFor();
  await page.getByText("Real buyers, real money.").waitFor();
  const rows = await asSuperuser<{ client_id: string; organisation: string }>(
    "select client_id, organisation from clients",
    [],
    database.superuserUrl,
  );
  assert.deepEqual(rows, [{ client_id: file.replace("-private-1.pem", ""), organisation: organisationId }]);
  assert.deepEqual(
    ada.consoleErrors.filter((text) => !/status of (?:403|415)/.test(text)),
    [],
  );
});

/**
 * `requestApproval` requests approval and approves as a second owner. This installation requires approval for going
 * live.
 */
async function requestApproval(page: Page): Promise<void> {
  await page.getByLabel("Reason for the request").fill("We open in December.");
  await page.getByRole("button", { name: "Request approval" }).click();
  await page.getByText("Everyone who can approve was notified by email.").waitFor();
  const [home] = await portal.accounts.sql<{ organisation_id: string }>(
    "select organisation_id from organisations where name = 'Coffee Lab'",
  );
  const { organisation_id: organisationId = "" } = home ?? {};
  const second = await givenMember(portal.accounts, { role: "owner", organisationId, steppedUpAgoMs: 0 });
  const { json } = await second.browser.get("/accounts/approvals");
  const [approval] = json["approvals"] as { approvalId: string }[];
  const { approvalId } = approval ?? {};
  assert.equal((await second.browser.post("/accounts/approvals/confirm", { approvalId })).status, 200);
  await page.getByRole("alert").getByRole("link", { name: "Approvals" }).click();
  await page.getByText("Approved.").waitFor();
}
