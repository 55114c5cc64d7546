import { after, test } from "node:test";
import type { Page } from "playwright-core";
import {
  assertStretches,
  launchBrowser,
  loadInWords,
  checkAllSizes,
  measureLoad,
  newVisit,
  startLooking,
  tallyInWords,
  type Looking,
} from "../../../server/test/pages/page-checks.ts";
import { startWorld } from "./world.ts";

/** Every page and state of the point of sale: `npm run evidence -- buyers`. It is in English only. */
const world = await startWorld();
after(() => world.stop());
const browser = await launchBrowser();
// Pictures mask the code, because codes differ in each run. `browser.load.ts` reads codes from the screen.
const looking = startLooking("till", { masked: "img.code" });
// No screenshots of states in which the number of listed requests depends on timing.
const withoutPictures: Looking = { ...looking, screenshots: { take: () => Promise.resolve() } };

const till = await world.startTill({ payWithinSeconds: 180, pace: 1 });
const page = await visit();

async function visit(): Promise<Page> {
  const mayAsk = [till.url, world.ready.tillUrl, world.ready.walletUrl];
  const opened = await newVisit(browser, { mayAsk });
  opened.setDefaultTimeout(20_000);
  // Stops the timers of the page, because the countdown of a code would otherwise continue during the check.
  await opened.addInitScript("window.setInterval = () => 0");
  return opened;
}

const says = (title: string, withinMs = 20_000): Promise<void> =>
  page.locator("#title", { hasText: new RegExp(`^${title}$`) }).waitFor({ timeout: withinMs });

/** Types like a scanner: digits and Enter, wherever the focus is. */
async function scan(digits: string): Promise<void> {
  await page.keyboard.type(digits);
  await page.keyboard.press("Enter");
}

async function sell(value: string, terms: object, title: string): Promise<void> {
  await scan(value);
  await scan(await world.codeOfBuyer(terms));
  await says(title);
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
      await says("Scan to pay");
    },
  ],
  [
    "cancelled",
    async () => {
      await page.locator("#cancel").click();
      await says("Cancelled");
    },
  ],
  ["paid", () => sell("1250", {}, "Paid")],
  ["refund", () => lastSale.getByText("Refund this sale").click()],
  [
    "refunded",
    async () => {
      await lastSale.getByLabel("Amount").fill("4.50");
      await lastSale.getByRole("button", { name: "Refund", exact: true }).click();
      await lastSale.getByText("refunded").waitFor();
    },
  ],
  ["declined", () => sell("780", { declines: "USER_BALANCE_NOT_ENOUGH" }, "Not paid")],
  ["problem", () => scan("ABC")],
  ["asks", () => sell("390", { asks: true }, "Look at the phone")],
  [
    "checking",
    async () => {
      till.line.cut();
      await says("Checking", 30_000);
    },
  ],
  [
    "cancelling",
    async () => {
      await page.locator("#cancel").click();
      await says("Cancelling");
    },
  ],
  ["unknown", () => says("Unknown", 60_000)],
];

test("point of sale next to the provider: readable at every size", async () => {
  const side = await visit();
  await side.goto(`${world.ready.tillUrl}/side`);
  await side.frameLocator('iframe[title="Till"]').locator("#sum", { hasText: "0.00" }).waitFor();
  await side.frameLocator('iframe[title="Wallet"]').getByText("No payment is waiting.").waitFor();
  await checkAllSizes(side, "side", looking, ["1280"]);
  // Some sizes have no screenshot, because the browser draws a frame below the screen only when it has time.
  await checkAllSizes(side, "side", withoutPictures, ["320", "390", "844"]);
  await side.context().close();
});

for (const [name, act] of steps)
  test(`point of sale, ${name}: readable at every size`, async () => {
    if (name === "idle") await page.goto(till.url);
    await act();
    await checkAllSizes(page, name, looking);
  });

test("point of sale, requests: no text is cut off or too faint", async () => {
  await page.locator("#toggle-calls").click();
  await page.locator("#call-list summary").first().click();
  await checkAllSizes(page, "calls", withoutPictures);
  await assertStretches(page, "the till");
  till.line.repair();
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

for (const [name, path, act] of buyers)
  test(`point of sale, ${name}: readable at every size`, async () => {
    await page.goto(till.url + path);
    await act?.();
    await checkAllSizes(page, name, looking);
    await assertStretches(page, name);
  });

test("point of sale: number of checks, and load of the pages", async (t) => {
  t.diagnostic(tallyInWords(looking.tally));
  const loads = [];
  for (const path of ["/", "/stickers/table-1", "/t/table-1", "/nothing-here"])
    loads.push(await measureLoad(browser, till.url + path));
  t.diagnostic(loadInWords(loads));
});
