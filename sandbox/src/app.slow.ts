import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium, type BrowserContextOptions, type Page } from "playwright-core";
import { encodeQR } from "qr";
import { decodeQR } from "qr/decode.js";
import { digitsInBars, pixelsOf } from "./testing/pictures.ts";
import {
  call,
  control,
  newFolder,
  newOrder,
  startWallet,
  submitWithCode,
  pageOf,
} from "./testing/test-wallet.ts";

const wallet = await startWallet(newFolder(), "--list-orders");
const { walletUrl } = wallet.ready;
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
after(() => browser.close());

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3 };

interface ShownPage {
  readonly page: Page;
  /** Requests to other origins, and all errors that the browser logged. */
  readonly complaints: readonly string[];
}

interface PageOptions extends BrowserContextOptions {
  /** Whether the test controls the browser's clock. */
  readonly ownsTime?: boolean;
}

async function show(path: string, { ownsTime = false, ...options }: PageOptions = {}): Promise<ShownPage> {
  await Promise.all(browser.contexts().map((before) => before.close()));
  const page = await (await browser.newContext({ ...phone, ...options })).newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(walletUrl) && !/^(?:data|blob):/.test(url)) complaints.push(url);
  });
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  if (ownsTime) await page.clock.install();
  await page.goto(walletUrl + path);
  return { page, complaints };
}

async function shownCode(page: Page): Promise<string> {
  return (await page.locator(".digits data").getAttribute("value")) ?? "";
}

async function orderPath(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return new URL(pageOf((await call(wallet, "submit", newOrder(more))).order)).pathname;
}

test("the countdown ring runs out, and then the page shows another code, which pays", async () => {
  const { page, complaints } = await show("/codes", { ownsTime: true });
  const first = await shownCode(page);
  await page.clock.runFor(30_000);
  assert.match((await page.locator(".remaining").textContent()) ?? "", /^(?:29|30) s$/);
  const offset = Number(await page.locator(".ring .left").getAttribute("stroke-dashoffset"));
  assert.ok(offset > 29 && offset < 32, `half of the ring is gone: ${offset}`);
  assert.equal(await shownCode(page), first);
  await page.clock.runFor(31_000);
  await page.locator(`.digits data:not([value="${first}"])`).waitFor({ timeout: 5_000 });
  assert.equal((await submitWithCode(wallet, await shownCode(page))).order["state"], "PAID");
  assert.deepEqual(complaints, []);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`a scanner and a camera read the digits from a ${colorScheme} screen`, async () => {
    const { page } = await show("/codes", { colorScheme });
    const code = await shownCode(page);
    assert.match(code, /^\d{24}$/);
    assert.equal(decodeQR(await pixelsOf(page, ".qr")), code);
    assert.equal(digitsInBars(await pixelsOf(page, ".bars")), code);
  });
}

test("a code that a point of sale has charged is replaced by the receipt", async () => {
  const { page, complaints } = await show("/codes");
  await submitWithCode(wallet, await shownCode(page));
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 5_000 });
  assert.equal(await page.locator(".amount").textContent(), "€4.50");
  assert.deepEqual(complaints, []);
});

test("an order that needs approval opens over the code, and is approved there", async () => {
  const { page, complaints } = await show("/codes?kind=asks");
  const { fields } = await submitWithCode(wallet, await shownCode(page));
  const dialog = page.getByRole("dialog");
  await dialog.waitFor({ timeout: 5_000 });
  assert.match((await dialog.textContent()) ?? "", /Coffee Lab.*€4\.50/s);
  await dialog.getByRole("button", { name: "Approve" }).click();
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 5_000 });
  assert.equal((await call(wallet, "inquire", { reference: fields.reference })).order["state"], "PAID");
  assert.deepEqual(complaints, []);
});

test("such an order opens on the home page, too; postponed it stays on the list, and declined elsewhere it disappears", async () => {
  const { page } = await show("/");
  const { json } = await control(wallet, "POST payment-codes", { asks: true });
  const { fields, order } = await submitWithCode(wallet, String(json.paymentCode), { merchantName: "Kiosk" });
  const dialog = page.getByRole("dialog");
  await dialog.waitFor({ timeout: 5_000 });
  await dialog.getByRole("button", { name: "Later" }).click();
  await dialog.waitFor({ state: "hidden" });
  const entry = page.locator(`main a[href="${new URL(pageOf(order)).pathname}"]`);
  await entry.waitFor({ timeout: 5_000 });
  await page.reload();
  await dialog.waitFor({ timeout: 5_000 });
  await control(wallet, `POST payments/${fields.paymentId}/decline`);
  await dialog.waitFor({ state: "hidden", timeout: 5_000 });
  await page.locator("main", { hasText: "declined" }).waitFor({ timeout: 5_000 });
});

test("the order's page updates itself when a slow bank approves", async () => {
  const { page } = await show(await orderPath());
  await page.getByLabel("A slow bank pays after, in seconds").fill("1");
  await page.getByRole("button", { name: "Pay later" }).click();
  await page.locator("h1", { hasText: "still deciding" }).waitFor();
  await page.locator("h1", { hasText: "Paid" }).waitFor({ timeout: 5_000 });
});

/** A PNG of a code, which the browser creates from the page of a code. */
async function pictureFile(text: string): Promise<Buffer> {
  const drawing = Buffer.from(encodeQR(text, "svg", { border: 4, scale: 6 })).toString("base64");
  const page = await (await browser.newContext()).newPage();
  await page.setContent(`<img width="300" src="data:image/svg+xml;base64,${drawing}">`);
  return page.locator("img").screenshot();
}

for (const [way, bring] of [
  [
    "chosen",
    async (page, file) =>
      page.locator("#picture").setInputFiles({ name: "code.png", mimeType: "image/png", buffer: file }),
  ],
  ["dropped", async (page, file) => page.evaluate(eventWithFile("drop", "dataTransfer", "DragEvent", file))],
  [
    "pasted",
    async (page, file) => page.evaluate(eventWithFile("paste", "clipboardData", "ClipboardEvent", file)),
  ],
] as const satisfies readonly (readonly [string, (page: Page, file: Buffer) => Promise<unknown>])[]) {
  test(`a picture of an order's code that is ${way} opens the order`, async () => {
    const path = await orderPath();
    const file = await pictureFile(walletUrl + path);
    const { page, complaints } = await show("/scan");
    await bring(page, file);
    await page.waitForURL(walletUrl + path, { timeout: 5_000 });
    await page.getByRole("button", { name: "Approve" }).waitFor();
    assert.deepEqual(complaints, []);
  });
}

function eventWithFile(name: string, field: string, kind: string, file: Buffer): string {
  return `(() => {
    const bytes = Uint8Array.from(atob("${file.toString("base64")}"), (c) => c.charCodeAt(0));
    const carried = new DataTransfer();
    carried.items.add(new File([bytes], "code.png", { type: "image/png" }));
    document.body.dispatchEvent(new ${kind}("${name}", { bubbles: true, cancelable: true, ${field}: carried }));
  })()`;
}

test("a camera that sees an order's code opens the order", async () => {
  const path = await orderPath();
  const film = join(newFolder(), "camera.y4m");
  writeFileSync(film, filmOf(walletUrl + path));
  const media = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];
  const seeing = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [...flags, ...media, `--use-file-for-fake-video-capture=${film}`],
  });
  try {
    const page = await (await seeing.newContext(phone)).newPage();
    await page.goto(`${walletUrl}/scan`);
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.waitForURL(walletUrl + path, { timeout: 15_000 });
  } finally {
    await seeing.close();
  }
});

/** Two frames of a code on a desk, in the video format that browsers accept as a fake camera. */
function filmOf(text: string): Buffer {
  const [width, height, scale] = [640, 480, 8];
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const [left, top] = [width - rows.length * scale, height - rows.length * scale].map((side) => side >> 1);
  const brightness = Buffer.alloc(width * height, 150);
  for (const [y, row] of rows.entries())
    for (const [x, isDark] of row.entries())
      for (let line = 0; line < scale; line += 1) {
        const at = ((top ?? 0) + y * scale + line) * width + (left ?? 0) + x * scale;
        brightness.fill(isDark ? 30 : 220, at, at + scale);
      }
  const frame = Buffer.concat([Buffer.from("FRAME\n"), brightness, Buffer.alloc((width * height) / 2, 128)]);
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420\n`), frame, frame]);
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function pages(): Promise<readonly string[]> {
  const [open, paid, long] = [
    newOrder(),
    newOrder({ redirectUrl: "https://shop.example/thanks" }),
    newOrder(),
  ];
  const paths: string[] = [];
  for (const [index, order] of [open, paid, { ...long, merchantName: "W".repeat(80) }].entries()) {
    const amount = index === 2 ? { currency: "IDR", value: "9999999999999999" } : order["amount"];
    const { order: opened } = await call(wallet, "submit", { ...order, amount });
    paths.push(new URL(pageOf(opened)).pathname);
  }
  await control(wallet, `POST payments/${paid.paymentId}/dispute-later`, { seconds: 0 });
  return ["/", "/codes", "/codes?kind=asks", "/scan", "/history", "/test", ...paths];
}

test("every page fits a narrow phone, in light and dark mode, and is accessible", async () => {
  for (const path of await pages())
    for (const colorScheme of ["light", "dark"] as const) {
      const viewport = { width: 320, height: 568 };
      const { page, complaints } = await show(path, { viewport, deviceScaleFactor: 1, colorScheme });
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320, path);
      await page.evaluate(axe);
      const violations = await page.evaluate<readonly string[]>(
        `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(" | "))))`,
      );
      assert.deepEqual(violations, [], `${path} in ${colorScheme}`);
      assert.deepEqual(complaints, [], path);
    }
});

test("without scripts every page can be read, and an order is approved", async () => {
  const path = await orderPath();
  const { page } = await show("/", { javaScriptEnabled: false });
  await page.locator(`main a[href="${path}"]`).click();
  await page.getByRole("button", { name: "Approve" }).click();
  assert.equal(await page.locator("h1").textContent(), "Paid");
  for (const [tab, title] of [
    ["Pay", "Show this code in the shop"],
    ["History", "History"],
    ["Test", "Test outcomes"],
    ["Home", "Spent so far"],
  ] as const) {
    await page.getByRole("navigation").getByRole("link", { name: tab }).click();
    assert.equal(await page.locator("h1").textContent(), title);
    assert.equal(await page.locator("nav a[aria-current]").textContent(), tab);
  }
});
