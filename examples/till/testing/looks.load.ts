import { after, test } from "node:test";
import type { Page } from "playwright-core";
import {
  assertStretches,
  launchBrowser,
  formatLoads,
  checkAllSizes,
  measureLoad,
  newVisit,
  startPageChecks,
  formatTally,
  type PageChecks,
} from "../../../server/test/pages/page-checks.ts";
import { startTestInstallation } from "./test-installation.ts";

/** Every page and state of the point of sale: `npm run evidence -- buyers`. It is in English only. */
const installation = await startTestInstallation();
after(() => installation.stop());
const browser = await launchBrowser();
// Pictures mask the code, because codes differ in each run. `browser.load.ts` reads codes from the screen.
const checks = startPageChecks("till", { masked: "img.code" });
// No screenshots of states in which the number of listed requests depends on timing.
const checksWithoutScreenshots: PageChecks = { ...checks, screenshots: { take: () => Promise.resolve() } };

const till = await installation.startTill({ payWithinSeconds: 180, pace: 1 });
const page = await visit();

async function visit(): Promise<Page> {
  const allowedPrefixes = [till.url, installation.tollgate.tillUrl, installation.tollgate.walletUrl];
  const newPage = await newVisit(browser, { allowedPrefixes });
  newPage.setDefaultTimeout(20_000);
  // Stops the timers of the page, because the countdown of a code would otherwise continue during the check.
  await newPage.addInitScript("window.setInterval = () => 0");
  return newPage;
}

const waitForTitle = (title: string, withinMs = 20_000): Promise<void> =>
  page.locator("#title", { hasText: new RegExp(`^${title}$`) }).waitFor({ timeout: withinMs });

/** Types like a scanner: digits and Enter, wherever the focus is. */
async function scan(digits: string): Promise<void> {
  await page.keyboard.type(digits);
  await page.keyboard.press("Enter");
}

async function chargeBuyer(value: string, terms: object, title: string): Promise<void> {
  await scan(value);
  await scan(await installation.createPaymentCode(terms));
  await waitForTitle(title);
}

const lastSale = page.locator("#sales li").first();

/** The steps on one screen, in this order: each state follows from the state before it. */
const steps: readonly (readonly [name: string, act: () => Promise<unknown>])[] = [
  ["idle", () => page.locator("#sum", { hasText: "0.00" }).waitFor()],
  ["amount", () => scan("450")],
  [
    "shows",
    async () => {
      await page.getByRole("button", { name: "Show a code" }).click();
      await waitForTitle("Scan to pay");
    },
  ],
  [
    "cancelled",
    async () => {
      await page.locator("#cancel").click();
      await waitForTitle("Cancelled");
    },
  ],
  ["paid", () => chargeBuyer("1250", {}, "Paid")],
  ["refund", () => lastSale.getByText("Refund this sale").click()],
  [
    "refunded",
    async () => {
      await lastSale.getByLabel("Amount").fill("4.50");
      await lastSale.getByRole("button", { name: "Refund", exact: true }).click();
      await lastSale.getByText("refunded").waitFor();
    },
  ],
  ["declined", () => chargeBuyer("780", { declines: "USER_BALANCE_NOT_ENOUGH" }, "Not paid")],
  ["problem", () => scan("ABC")],
  ["asks", () => chargeBuyer("390", { asks: true }, "Look at the phone")],
  [
    "checking",
    async () => {
      till.connection.cut();
      await waitForTitle("Checking", 30_000);
    },
  ],
  [
    "cancelling",
    async () => {
      await page.locator("#cancel").click();
      await waitForTitle("Cancelling");
    },
  ],
  ["unknown", () => waitForTitle("Unknown", 60_000)],
];

test("point of sale next to the provider: readable at every size", async () => {
  const side = await visit();
  await side.goto(`${installation.tollgate.tillUrl}/side`);
  await side.frameLocator('iframe[title="Till"]').locator("#sum", { hasText: "0.00" }).waitFor();
  await side.frameLocator('iframe[title="Wallet"]').getByText("No payment is waiting.").waitFor();
  await checkAllSizes(side, "side", checks, ["1280"]);
  // Some sizes have no screenshot, because the browser draws a frame below the screen only when it has time.
  await checkAllSizes(side, "side", checksWithoutScreenshots, ["320", "390", "844"]);
  await side.context().close();
});

for (const [name, run] of steps)
  test(`point of sale, ${name}: readable at every size`, async () => {
    if (name === "idle") await page.goto(till.url);
    await run();
    await checkAllSizes(page, name, checks);
  });

test("point of sale, requests: no text is cut off or too faint", async () => {
  await page.locator("#toggle-calls").click();
  await page.locator("#call-list summary").first().click();
  await checkAllSizes(page, "calls", checksWithoutScreenshots);
  await assertStretches(page, "the till");
  till.connection.repair();
});

const buyers: readonly (readonly [name: string, path: string, act?: () => Promise<unknown>])[] = [
  ["sticker", "/stickers/table-1"],
  ["entry", "/t/table-1"],
  [
    "entry-problem",
    "/t/table-1",
    async () => {
      await page.getByLabel("How much do you pay?").fill("nothing");
      await page.getByRole("button", { name: "Pay" }).click();
      await page.getByRole("alert").waitFor();
    },
  ],
  [
    "thanks",
    "/t/table-1",
    async () => {
      await page.getByLabel("How much do you pay?").fill("9.90");
      await page.getByRole("button", { name: "Pay" }).click();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByRole("link", { name: /^Back to/ }).click();
      await page.getByRole("heading", { name: "Thank you!" }).waitFor();
    },
  ],
  ["nothing", "/nothing-here"],
];

for (const [name, path, run] of buyers)
  test(`point of sale, ${name}: readable at every size`, async () => {
    await page.goto(till.url + path);
    await run?.();
    await checkAllSizes(page, name, checks);
    await assertStretches(page, name);
  });

test("point of sale: number of checks, and load of the pages", async (t) => {
  t.diagnostic(formatTally(checks.tally));
  const loads = [];
  for (const path of ["/", "/stickers/table-1", "/t/table-1", "/nothing-here"])
    loads.push(await measureLoad(browser, till.url + path));
  t.diagnostic(formatLoads(loads));
});
