import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { chromium, type BrowserContextOptions, type Page } from "playwright-core";
import { call, newFolder, newOrder, startWallet, pageOf } from "./test-wallet.ts";

/** The card page in a real browser, and a shop to return to. */
const wallet = await startWallet(newFolder());
export const { cardUrl } = wallet.ready;
const shopServer = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<!doctype html><title>Shop</title><h1>Thanks</h1>");
});
await new Promise<void>((resolve) => shopServer.listen(0, "127.0.0.1", resolve));
export const shopUrl = `http://127.0.0.1:${(shopServer.address() as AddressInfo).port}/thanks`;
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
after(async () => {
  await browser.close();
  shopServer.close();
  shopServer.closeAllConnections();
});

interface ShownPage {
  readonly page: Page;
  readonly state: () => Promise<unknown>;
  /** Requests to other origins, and all errors that the browser logged. */
  readonly complaints: readonly string[];
}

/** Opens the page of a new order. */
export async function showOrder(
  more: Readonly<Record<string, unknown>> = {},
  options: BrowserContextOptions = {},
): Promise<ShownPage> {
  await Promise.all(browser.contexts().map((before) => before.close()));
  const fields = newOrder({ paymentMethodType: "CARD", redirectUrl: shopUrl, ...more });
  const { order } = await call(wallet, "submit", fields);
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${cardUrl}/`) && !url.startsWith(new URL(shopUrl).origin)) complaints.push(url);
  });
  page.on("console", (message) => {
    // The browser's log message for status 422.
    if (!/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(pageOf(order));
  const { reference } = fields;
  const state = async (): Promise<unknown> => (await call(wallet, "inquire", { reference })).order["state"];
  return { page, complaints, state };
}

export const hasTitle = (page: Page, text: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name: text, exact: true }).waitFor();
