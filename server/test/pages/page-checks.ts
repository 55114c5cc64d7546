import assert from "node:assert/strict";
import { after } from "node:test";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { assertAccessible } from "./assert-accessible.ts";
import { cutOffElements } from "./cut-off-elements.ts";
import { waitForTransitions } from "./page-stabilizers.ts";
import { findLowContrastTexts } from "./page-scripts.ts";
import { openScreenshots, type Screenshots, type ScreenshotOptions } from "./screenshots.ts";

/** A page for buyers or cashiers in one of its states. */
export interface PageState {
  readonly name: string;
  /** The languages to check; set for pages whose languages differ only in names, to check fewer than usual. */
  readonly languages?: readonly string[];
  /** Creates the state, and returns the address of its page. */
  open(language: string): Promise<string>;
  /** Actions on the page that lead to the state. */
  act?(page: Page): Promise<unknown>;
  /** Undoes effects of `open` on other pages. */
  close?(): Promise<unknown>;
}

/** Phones, one of them also in landscape, and a desktop. */
const sizes = {
  "320": { width: 320, height: 568 },
  "390": { width: 390, height: 844 },
  "844": { width: 844, height: 390 },
  "1280": { width: 1280, height: 800 },
} as const;

export type SizeName = keyof typeof sizes;
const sizeNames = Object.keys(sizes) as readonly SizeName[];
const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Languages of checkout pages: Latin letters, a dense script, and a right-to-left script. */
export const checkedLanguages = ["en", "zh-Hans", "ar"] as const;

/** The fixed time of a page's clock during a check. */
export const fixedTime = new Date("2026-11-17T10:00:00Z");

export async function launchBrowser(): Promise<Browser> {
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"];
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-sync", ...quiet],
  });
  after(() => browser.close());
  return browser;
}

export interface VisitOptions extends BrowserContextOptions {
  /** Address prefixes that the page may request. */
  readonly allowedPrefixes: readonly string[];
}

/**
 * `newVisit` opens a page in a new browser context. Requests to other addresses, and browser errors, fail the check.
 */
export async function newVisit(
  browser: Browser,
  { allowedPrefixes, ...options }: VisitOptions,
): Promise<Page> {
  const context = await browser.newContext({ timezoneId: "UTC", ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  errorsOf.set(page, errors);
  page.on("request", (request) => {
    const url = request.url();
    const isAllowed =
      allowedPrefixes.some((start) => url.startsWith(start)) || /^(?:data|blob|about):/.test(url);
    if (!isAllowed) errors.push(`asked ${url}`);
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // The browser's own message about a response such as 404 is ignored, because an error page has this status.
    if (!message.text().startsWith("Failed to load resource")) errors.push(message.text());
  });
  return page;
}

const errorsOf = new WeakMap<Page, string[]>();

/** Stops the page's clock, counters and automatic redirects. Other timers continue, because axe needs them. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.setFixedTime(fixedTime);
  // The script is added after the clock, because the clock installs its own timers.
  await page.addInitScript("window.setInterval = () => 0");
}

/** The numbers of checked pages and texts. */
export interface Tally {
  pages: number;
  texts: number;
}

export interface PageChecks {
  readonly screenshots: Screenshots;
  readonly tally: Tally;
}

export type PictureOptions = Omit<ScreenshotOptions, "part">;

export function startPageChecks(part: string, options: PictureOptions = {}): PageChecks {
  return { screenshots: openScreenshots({ part, ...options }), tally: { pages: 0, texts: 0 } };
}

/** Checks a page in its current state at every size, in light and dark theme. */
export async function checkAllSizes(
  page: Page,
  name: string,
  { screenshots, tally }: PageChecks,
  at: readonly SizeName[] = sizeNames,
): Promise<void> {
  for (const size of at)
    for (const theme of themes) {
      const checkName = `${name}-${size}-${theme}`;
      await setAppearance(page, size, theme);
      await screenshots.take(page, checkName);
      tally.texts += await assertReadable(page, checkName);
      tally.pages += 1;
    }
}

/** Sets size and theme, and waits for colour transitions. */
export async function setAppearance(page: Page, size: SizeName, theme: Theme): Promise<void> {
  await page.setViewportSize(sizes[size]);
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate(waitForTransitions);
}

/**
 * Asserts that no text is cut off or too faint, axe finds nothing, and no other address was requested. Returns the
 * number of texts.
 */
async function assertReadable(page: Page, checkName: string): Promise<number> {
  assert.ok(
    await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
    `${checkName} is too wide`,
  );
  assert.deepEqual(await cutOffElements(page), [], `${checkName} is cut off`);
  const [texts, lowContrast] = await page.evaluate<[number, string[]]>(findLowContrastTexts);
  assert.deepEqual(lowContrast, [], `${checkName} is faint`);
  // Axe checks only two sizes, because other sizes have the same structure and names, and each check takes half a
  // second.
  if (/-(?:320|1280)-/.test(checkName)) await assertAccessible(page, checkName);
  assert.deepEqual(errorsOf.get(page), [], checkName);
  return texts;
}

export interface PageLoad {
  readonly paintMs: number;
  readonly bytes: number;
}

/** Load of a first visit: the time to first paint, and all bytes without compression. */
export async function measureLoad(browser: Browser, url: string): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: sizes["390"] });
  try {
    const page = await context.newPage();
    const bodies: Promise<number>[] = [];
    page.on("response", (response) => {
      // A stream has no end to wait for, and sends only changes.
      if (response.url().endsWith("/changes")) return;
      bodies.push(
        response.body().then(
          ({ length }) => length,
          () => 0,
        ),
      );
    });
    await page.goto(url);
    const paintMs = await firstPaintMs(page);
    const bytes = (await Promise.all(bodies)).reduce((sum, length) => sum + length, 0);
    return { paintMs, bytes };
  } finally {
    await context.close();
  }
}

/**
 * `firstPaintMs` polls the page from outside, because the page's content security policy does not allow a waiting script
 * inside.
 */
async function firstPaintMs(page: Page): Promise<number> {
  for (;;) {
    const paintMs = await page.evaluate<number | null>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null",
    );
    if (paintMs !== null) return paintMs;
    await page.waitForTimeout(20);
  }
}

/** One line for the report. */
export function formatLoads(loads: readonly PageLoad[]): string {
  const paints = loads.map(({ paintMs }) => Math.round(paintMs)).toSorted((a, b) => a - b);
  const bytes = loads.map((each) => each.bytes);
  return (
    `${loads.length} first visits: first paint after ${paints[paints.length >> 1]} ms in the middle, ${paints.at(-1)} ms at most; ` +
    `${Math.min(...bytes).toLocaleString("en")} to ${Math.max(...bytes).toLocaleString("en")} bytes with style and script, uncompressed`
  );
}

export function formatTally({ pages, texts }: Tally): string {
  return `${pages.toLocaleString("en")} looks, ${texts.toLocaleString("en")} texts, 0 KB asked of others`;
}

/** Makes texts half as long again, as in other languages: none is cut off at any size. */
export async function assertStretches(page: Page, name: string): Promise<void> {
  await page.evaluate(stretchTexts);
  for (const size of sizeNames) {
    await page.setViewportSize(sizes[size]);
    assert.deepEqual(await cutOffElements(page), [], `${name} at ${size}, with longer texts`);
    const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    assert.ok(!isWide, `${name} at ${size} is too wide with longer texts`);
  }
}

/** A script that stretches the texts of a page, except names, amounts and codes, which are not translated. */
const stretchTexts = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const isOurs = !node.parentElement.closest("style, script, bdi, data, pre, code, option, svg");
    const words = node.data.trim();
    if (!isOurs || !/\\p{L}{2}/u.test(words)) continue;
    node.data = "[" + words.replaceAll(/[aeiou]/g, "$&\\u0301") + " " + "~".repeat(Math.ceil(words.length / 2)) + "]";
  }
})()`;
