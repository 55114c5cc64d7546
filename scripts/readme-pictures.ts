import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Browser, type Page } from "playwright-core";

/** Takes the README's pictures from a running `tollgate dev`: `node scripts/readme-pictures.ts`. Needs Chromium. */
const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/pictures");
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  await captureTerminal(browser);
  await capturePages(browser);
} finally {
  await browser.close();
}

interface Ready {
  readonly shopUrl: string;
  readonly portalUrl: string;
}

async function capturePages(from: Browser): Promise<void> {
  const { child, line } = await startDev(["--json"], (printed) => printed.startsWith("{"));
  try {
    const { shopUrl, portalUrl } = JSON.parse(line) as Ready;
    const page = await from.newPage({ viewport: { width: 900, height: 620 } });
    // Payments with different results, so that the portal's home page has content.
    for (const end of ["Approve", "Approve", "Decline"]) await buy(page, shopUrl, end);
    await openCheckout(page, shopUrl);
    await page.screenshot({ path: join(folder, "checkout.png") });
    const portal = await from.newPage({ viewport: { width: 1200, height: 780 } });
    await portal.goto(portalUrl);
    await portal.getByRole("link", { name: "Payments", exact: true }).first().click();
    await portal.getByText("Flat white").first().waitFor();
    await portal.screenshot({ path: join(folder, "portal.png") });
  } finally {
    await stop(child);
  }
}

async function openCheckout(page: Page, shopUrl: string): Promise<void> {
  await page.goto(shopUrl);
  await page.getByRole("button", { name: /^Buy/ }).first().click();
  await page.getByRole("link", { name: /^Pay with/ }).waitFor();
}

async function buy(page: Page, shopUrl: string, end: string): Promise<void> {
  await openCheckout(page, shopUrl);
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.getByRole("button", { name: end, exact: true }).click();
  await page.waitForLoadState();
}

/** `captureTerminal` takes the picture of a terminal that shows the start of `tollgate dev`. */
async function captureTerminal(from: Browser): Promise<void> {
  const { child, printed } = await startDev([], (line) => line.includes("operator"));
  try {
    const page = await from.newPage({ viewport: { width: 900, height: 345 } });
    // A link of `tollgate dev` contains a secret that signs in; a picture must not show it, even if expired.
    const text = ["$ npm run dev", ...printed].join("\n").replaceAll(/#\S+/g, "#…");
    const style = "margin:0;padding:24px;background:#16181d;color:#e6e6e6;font:15px/1.45 monospace";
    await page.setContent(
      `<body style="margin:0"><pre style="${style};height:345px;box-sizing:border-box"></pre></body>`,
    );
    await page.locator("pre").evaluate((pre, lines) => (pre.textContent = lines), text);
    await page.screenshot({ path: join(folder, "terminal.png") });
  } finally {
    await stop(child);
  }
}

interface StartedDev {
  readonly child: ChildProcess;
  /** The printed line for which the caller waited. */
  readonly line: string;
  readonly printed: readonly string[];
}

function startDev(options: readonly string[], isLast: (line: string) => boolean): Promise<StartedDev> {
  const child = spawn(process.execPath, ["scripts/dev.ts", ...options], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<StartedDev>();
  const printed: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    printed.push(line);
    if (isLast(line)) resolve({ child, line, printed });
  });
  child.once("exit", (code) => reject(new Error(`tollgate dev exited with status ${code}`)));
  return promise;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
