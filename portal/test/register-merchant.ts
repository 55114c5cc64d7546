import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { Tollgate } from "../../clients/typescript/src/tollgate.ts";
import { newVisitor, registerWithPasskey, type TestPortal } from "./test-portal.ts";

export interface Shop {
  readonly page: Page;
  readonly client: Tollgate;
  readonly privateKey: string;
  /** The environment variables that the page shows, and the gateway's key from the downloaded file. */
  readonly settings: Readonly<Record<string, string>>;
  /** The bodies of all requests of the browser. */
  readonly sent: readonly string[];
  readonly consoleErrors: readonly string[];
}

/** `openShop` registers an organisation and sets up a system that can send API requests, using only the portal. */
export async function openShop(portal: TestPortal, organisation: string, email: string): Promise<Shop> {
  const visitor = await newVisitor(portal);
  const { page, consoleErrors } = visitor;
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.postData() ?? ""));
  await registerWithPasskey(portal, visitor, { name: "Ada Byron", email, organisation });
  await page.getByRole("button", { name: "Create a client id" }).click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByRole("heading", { name: "No key yet" }).waitFor();
  const file = await waitForDownload(page, () => page.getByRole("button", { name: "Create key" }).click());
  await page.getByText("Version 1 is registered").waitFor();
  const settings = await readSettings(page);
  assert.equal(file.suggestedFilename(), settings["TOLLGATE_PRIVATE_KEY_FILE"]);
  const gatewayKeyDownload = await waitForDownload(page, () =>
    page.getByRole("button", { name: "Save the gateway's public key" }).click(),
  );
  assert.equal(gatewayKeyDownload.suggestedFilename(), settings["TOLLGATE_GATEWAY_PUBLIC_KEY_FILE"]);
  const all = { ...settings, gatewayPublicKey: await readDownload(gatewayKeyDownload) };
  const privateKey = await readDownload(file);
  return { page, client: createClient(all, privateKey), privateKey, settings: all, sent, consoleErrors };
}

export async function waitForDownload(page: Page, click: () => Promise<void>): Promise<Download> {
  const saving = page.waitForEvent("download");
  await click();
  return saving;
}

export async function readDownload(file: Download): Promise<string> {
  return readFile(await file.path(), "utf8");
}

export async function readSettings(page: Page): Promise<Readonly<Record<string, string>>> {
  const text = await page.locator("pre", { hasText: "TOLLGATE_CLIENT_ID" }).innerText();
  return Object.fromEntries(text.split("\n").map((line) => line.split("=", 2) as [string, string]));
}

/** `createClient` creates a client that does not retry, so that each failure is visible. */
export function createClient(
  settings: Readonly<Record<string, string | undefined>>,
  privateKey: string,
): Tollgate {
  return new Tollgate({
    baseUrl: settings["TOLLGATE_BASE_URL"],
    clientId: settings["TOLLGATE_CLIENT_ID"],
    keyVersion: Number(settings["TOLLGATE_KEY_VERSION"]),
    gatewayPublicKeys: settings["gatewayPublicKey"],
    privateKey,
    maxRetries: 0,
  });
}

export async function pay(client: Tollgate, paymentRequestId: string): Promise<string> {
  const amount = { currency: "EUR", value: "1250" };
  const { paymentId } = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: {
      referenceOrderId: `ORD-${paymentRequestId}`,
      orderDescription: "Two coffees",
      orderAmount: amount,
    },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
  });
  assert.ok(paymentId);
  return paymentId;
}
