import assert from "node:assert/strict";
import { join } from "node:path";
import { after } from "node:test";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { assertAccessible } from "./accessible.ts";
import { cutOff } from "./cut-off.ts";
import { transitionsEnd } from "./look-scripts.ts";
import { faintTexts } from "./page-scripts.ts";
import { openGallery, type Gallery, type GalleryOptions } from "./pictures.ts";

/** A page that buyers or cashiers see, in one of its states. */
export interface Look {
  readonly name: string;
  /** For what differs by nothing but names between languages, fewer than the others have. */
  readonly languages?: readonly string[];
  /** Makes the state, and gives the address of its page. */
  open(language: string): Promise<string>;
  /** What has to be done on the page until it looks so. */
  act?(page: Page): Promise<unknown>;
  /** Undoes what `open` has done to others. */
  close?(): Promise<unknown>;
}

/** Phones, one of them also on its side, and a desk. */
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

/** Languages of checkout pages: Latin letters, a narrow script, and one from right to left. */
export const languagesLookedAt = ["en", "zh-Hans", "ar"] as const;

/** No clock of a page moves while it is looked at. */
export const shownAt = new Date("2026-11-17T10:00:00Z");

export async function launchBrowser(): Promise<Browser> {
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"];
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-sync", ...quiet],
  });
  after(() => browser.close());
  return browser;
}

export interface Visit extends BrowserContextOptions {
  /** Addresses that the page may ask, by their beginnings. */
  readonly mayAsk: readonly string[];
}

/** A page in a browser of its own. What it asks of others, and what the browser complains about, fails its look. */
export async function newVisit(browser: Browser, { mayAsk, ...options }: Visit): Promise<Page> {
  const context = await browser.newContext({ timezoneId: "UTC", ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  complaintsOf.set(page, complaints);
  page.on("request", (request) => {
    const url = request.url();
    const isOwn = mayAsk.some((start) => url.startsWith(start)) || /^(?:data|blob|about):/.test(url);
    if (!isOwn) complaints.push(`asked ${url}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // What the browser itself says of an answer such as 404, which the page of an error is.
    if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
  });
  return page;
}

const complaintsOf = new WeakMap<Page, string[]>();

/** Stops the page's clock, and all that counts or leaves by itself. Timers of another kind go on: axe needs them. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.setFixedTime(shownAt);
  // Behind the clock, which has timers of its own.
  await page.addInitScript("window.setInterval = () => 0");
}

/** How many pages were looked at, and what was found on them. */
export interface Tally {
  looks: number;
  texts: number;
}

export interface Looking {
  readonly gallery: Gallery;
  readonly tally: Tally;
}

export type PictureOptions = Pick<GalleryOptions, "masked" | "unpinned">;

/** Pictures are compared, or written, where the variable says so. */
export function startLooking(part: string, options: PictureOptions = {}): Looking {
  const folder = join(import.meta.dirname, "pictures", part);
  const gallery = openGallery({ folder, how: process.env["BUYER_PICTURES"], type: "png", ...options });
  return { gallery, tally: { looks: 0, texts: 0 } };
}

/** Looks at a page as it stands, at every size, by day and by night. */
export async function lookAtAll(
  page: Page,
  name: string,
  { gallery, tally }: Looking,
  at: readonly SizeName[] = sizeNames,
): Promise<void> {
  for (const size of at)
    for (const theme of themes) {
      const look = `${name}-${size}-${theme}`;
      await pose(page, size, theme);
      await gallery.take(page, look);
      tally.texts += await assertReadable(page, look);
      tally.looks += 1;
    }
}

/** As it looks there: colours that fade over have arrived. */
export async function pose(page: Page, size: SizeName, theme: Theme): Promise<void> {
  await page.setViewportSize(sizes[size]);
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate(transitionsEnd);
}

/** Nothing is cut off, no text is faint, axe finds nothing, and nobody else was asked. Gives the number of texts. */
async function assertReadable(page: Page, look: string): Promise<number> {
  assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${look} is too wide`);
  assert.deepEqual(await cutOff(page), [], `${look} is cut off`);
  const [texts, faint] = await page.evaluate<[number, string[]]>(faintTexts);
  assert.deepEqual(faint, [], `${look} is faint`);
  // Structure and names are the same in between, and each costs half a second.
  if (/-(?:320|1280)-/.test(look)) await assertAccessible(page, look);
  assert.deepEqual(complaintsOf.get(page), [], look);
  return texts;
}

export interface Loaded {
  readonly paintMs: number;
  readonly bytes: number;
}

/** What a first visit costs: the time until something is seen, and all bytes, as they are without compression. */
export async function measureLoad(browser: Browser, url: string): Promise<Loaded> {
  const context = await browser.newContext({ viewport: sizes["390"] });
  try {
    const page = await context.newPage();
    const bodies: Promise<number>[] = [];
    page.on("response", (response) => {
      // A stream has no end to wait for, and is empty but for what has changed.
      if (response.url().endsWith("/changes")) return;
      bodies.push(
        response.body().then(
          ({ length }) => length,
          () => 0,
        ),
      );
    });
    await page.goto(url);
    const paintMs = await paintOf(page);
    const bytes = (await Promise.all(bodies)).reduce((sum, length) => sum + length, 0);
    return { paintMs, bytes };
  } finally {
    await context.close();
  }
}

/** Asked from outside again and again: the page's policy lets nobody wait inside. */
async function paintOf(page: Page): Promise<number> {
  for (;;) {
    const paintMs = await page.evaluate<number | null>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null",
    );
    if (paintMs !== null) return paintMs;
    await page.waitForTimeout(20);
  }
}

/** A line for the report. */
export function loadInWords(loads: readonly Loaded[]): string {
  const paints = loads.map(({ paintMs }) => Math.round(paintMs)).toSorted((a, b) => a - b);
  const bytes = loads.map((each) => each.bytes);
  return (
    `${loads.length} first visits: first paint after ${paints[paints.length >> 1]} ms in the middle, ${paints.at(-1)} ms at most; ` +
    `${Math.min(...bytes).toLocaleString("en")} to ${Math.max(...bytes).toLocaleString("en")} bytes with style and script, uncompressed`
  );
}

export function tallyInWords({ looks, texts }: Tally): string {
  return `${looks.toLocaleString("en")} looks, ${texts.toLocaleString("en")} texts, 0 KB asked of others`;
}

/** Texts as other languages have them, half as long again: none is cut off at any size. */
export async function assertStretches(page: Page, name: string): Promise<void> {
  await page.evaluate(stretchTexts);
  for (const size of sizeNames) {
    await page.setViewportSize(sizes[size]);
    assert.deepEqual(await cutOff(page), [], `${name} at ${size}, with longer texts`);
    const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    assert.ok(!isWide, `${name} at ${size} is too wide with longer texts`);
  }
}

/** Names, sums and codes are nobody's translation. */
const stretchTexts = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const isOurs = !node.parentElement.closest("style, script, bdi, data, pre, code, option, svg");
    const words = node.data.trim();
    if (!isOurs || !/\\p{L}{2}/u.test(words)) continue;
    node.data = "[" + words.replaceAll(/[aeiou]/g, "$&\\u0301") + " " + "~".repeat(Math.ceil(words.length / 2)) + "]";
  }
})()`;
