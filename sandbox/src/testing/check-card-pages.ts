import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import { cardUrl, hasTitle, showOrder } from "./card-browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Accessibility violations on the page, and whether it is wider than the screen. */
async function findViolations(page: Page, pageName: string): Promise<readonly string[]> {
  await page.evaluate(axe);
  const violations = await page.evaluate<readonly string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(" | "))))`,
  );
  const isWide = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  return [...violations, ...(isWide ? ["wider than the screen"] : [])].map(
    (wrong) => `${pageName}: ${wrong}`,
  );
}

const longest = { merchantName: "W".repeat(80), amount: { currency: "IDR", value: "9999999999999999" } };

/** Checks every page with the longest possible texts, and the form also from right to left. */
export async function checkCardPages(browserOptions: BrowserContextOptions): Promise<void> {
  const { page, complaints } = await showOrder({ ...longest, capture: "MANUAL" }, browserOptions);
  const wrongs = [...(await findViolations(page, "form"))];
  await page.getByRole("button", { name: "Hold" }).click();
  await page.locator("#number-problem").waitFor();
  wrongs.push(...(await findViolations(page, "problems")));
  await page.evaluate("document.documentElement.dir = 'rtl'");
  wrongs.push(...(await findViolations(page, "right to left")));
  await page.locator('[href$="card=bank-asks"]').click();
  await page.getByRole("button", { name: "Hold" }).click();
  await hasTitle(page, "Your bank asks");
  wrongs.push(...(await findViolations(page, "bank")));
  await page.getByRole("button", { name: "Do nothing until the time expires" }).click();
  await hasTitle(page, "Not paid");
  wrongs.push(...(await findViolations(page, "end")));
  await page.goto(cardUrl);
  wrongs.push(...(await findViolations(page, "home")));
  assert.deepEqual(wrongs, []);
  assert.deepEqual(complaints, []);
}
