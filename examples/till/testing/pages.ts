import { chromium, type Page } from "playwright-core";
import { decodeQR } from "qr/decode.js";
import type { TillProcess } from "./test-installation.ts";

/** A browser for this file's tests, and actions of people in it. */
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});

export const closeBrowser = (): Promise<void> => browser.close();

/** Errors that pages logged. */
export const pageErrors: string[] = [];

interface PageAppearance {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

export async function newPage({ width = 1280, colorScheme = "light" }: PageAppearance = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => pageErrors.push(String(error)));
  page.on("console", (message) => {
    // Ignores the browser's own messages about a rejected request or a stopped process.
    const isOwn = !/Failed to load resource|net::ERR/.test(message.text());
    if (message.type() === "error" && isOwn) pageErrors.push(message.text());
  });
  return page;
}

export async function openTill(till: TillProcess, look: PageAppearance = {}): Promise<Page> {
  const page = await newPage(look);
  await page.goto(till.url);
  await page.locator("#sum", { hasText: "0.00" }).waitFor();
  return page;
}

export const readState = (page: Page): Promise<string | null> =>
  page.locator("#screen").getAttribute("data-state");
export const waitForTitle = (page: Page, title: string, withinMs = 20_000): Promise<void> =>
  page.locator("#title", { hasText: new RegExp(`^${title}$`) }).waitFor({ timeout: withinMs });

/** Types like a scanner: digits and Enter, wherever the focus is. */
export async function typeDigits(page: Page, digits: string): Promise<void> {
  await page.keyboard.type(digits);
  await page.keyboard.press("Enter");
}

export async function showCode(on: Page, value: string): Promise<string> {
  await typeDigits(on, value);
  await on.getByRole("button", { name: "Show a code" }).click();
  await waitForTitle(on, "Scan to pay");
  return readFromScreen(on, "#picture");
}

/** Returns the text that a camera reads from the code on the screen. */
export async function readFromScreen(page: Page, selector: string): Promise<string> {
  const picture = await page.locator(selector).screenshot();
  const decoderPage = await newPage();
  // The pixels are transferred as a text with one byte per pixel, because transferring a list of numbers takes seconds.
  const { width, height, greys } = await decoderPage.evaluate<{
    width: number;
    height: number;
    greys: string;
  }>(
    `(async () => {
      const image = new Image();
      image.src = "data:image/png;base64,${picture.toString("base64")}";
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      const pixels = data.filter((_, index) => index % 4 === 1);
      const greys = btoa(pixels.reduce((text, grey) => text + String.fromCharCode(grey), ""));
      return { width: image.width, height: image.height, greys };
    })()`,
  );
  await decoderPage.context().close();
  const data = Uint8Array.from([...Buffer.from(greys, "base64")].flatMap((grey) => [grey, grey, grey]));
  return decodeQR({ width, height, data });
}
