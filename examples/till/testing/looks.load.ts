import { after, test } from "node:test";
import type { Page } from "playwright-core";
import {
  assertStretches,
  launchBrowser,
  loadInWords,
  lookAtAll,
  measureLoad,
  newVisit,
  startLooking,
  tallyInWords,
  type Looking,
} from "../../../server/test/pages/looks.ts";
import { startWorld } from "./world.ts";

/** Every page and state of the till, as reviewed: `npm run evidence -- buyers`. It speaks English alone. */
const world = await startWorld();
after(() => world.stop());
const browser = await launchBrowser();
// Codes are different each time, and are read from the screen in `browser.load.ts`.
const looking = startLooking("till", { masked: "img.code" });
// How many calls there are by then is a matter of milliseconds.
const withoutPictures: Looking = { ...looking, gallery: { take: () => Promise.resolve() } };

const till = await world.startTill({ payWithinSeconds: 180, pace: 1 });
const page = await visit();

async function visit(): Promise<Page> {
  const mayAsk = [till.url, world.ready.tillUrl, world.ready.walletUrl];
  const opened = await newVisit(browser, { mayAsk });
  opened.setDefaultTimeout(20_000);
  // What is left of a code's time would go on running while it is looked at.
  await opened.addInitScript("window.setInterval = () => 0");
  return opened;
}

const says = (title: string, withinMs = 20_000): Promise<void> =>
  page.locator("#title", { hasText: new RegExp(`^${title}$`) }).waitFor({ timeout: withinMs });

/** As a scanner does: digits and Enter, to whatever has the focus. */
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

/** In this order, on one screen: each state comes of the one before. */
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
  ["refund", () => lastSale.getByText("Give back").click()],
  [
    "refunded",
    async () => {
      await lastSale.getByLabel("Amount").fill("4.50");
      await lastSale.getByRole("button", { name: "Refund" }).click();
      await lastSale.getByText("given back").waitFor();
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

test("till side by side with the wallet: as reviewed", async () => {
  const side = await visit();
  await side.goto(`${world.ready.tillUrl}/side`);
  await side.frameLocator('iframe[title="Till"]').locator("#sum", { hasText: "0.00" }).waitFor();
  await side.frameLocator('iframe[title="Wallet"]').getByText("Nothing waits for you.").waitFor();
  await lookAtAll(side, "side", looking, ["1280"]);
  // A frame below the screen is drawn when the browser finds the time.
  await lookAtAll(side, "side", withoutPictures, ["320", "390", "844"]);
  await side.context().close();
});

for (const [name, act] of steps)
  test(`till ${name}: as reviewed`, async () => {
    if (name === "idle") await page.goto(till.url);
    await act();
    await lookAtAll(page, name, looking);
  });

test("till calls: nothing is cut off or faint", async () => {
  await page.locator("#toggle-calls").click();
  await page.locator("#call-list summary").first().click();
  await lookAtAll(page, "calls", withoutPictures);
  await assertStretches(page, "the till");
  till.line.mend();
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
  test(`till ${name}: as reviewed`, async () => {
    await page.goto(till.url + path);
    await act?.();
    await lookAtAll(page, name, looking);
    await assertStretches(page, name);
  });

test("till: how much was looked at, and what it takes until it is there", async (t) => {
  t.diagnostic(tallyInWords(looking.tally));
  const loads = [];
  for (const path of ["/", "/stickers/table-1", "/t/table-1", "/nothing-here"])
    loads.push(await measureLoad(browser, till.url + path));
  t.diagnostic(loadInWords(loads));
});
