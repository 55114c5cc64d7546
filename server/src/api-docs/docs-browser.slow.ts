import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium, type BrowserContextOptions, type Page } from "playwright-core";
import { operations } from "../catalog/operations.ts";
import { readSite } from "../http/pages/api-docs.ts";
import { addMerchant } from "../operators/merchants/merchant.ts";
import { serve } from "../processes/serve.ts";
import { readSettings } from "../settings/settings.ts";
import { results } from "../core/result.ts";
import { findFreePort } from "../postgres/temporary-postgres.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, inquiryPath, newMerchant, pathOf, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { languages } from "./call-samples.ts";
import { callPath, clientDefaults, sampleClientId } from "./site-facts.ts";
import { renderPage } from "./render-page.ts";
import { findLowContrastTexts, shownOperation, type ShownOperation } from "../../test/pages/page-scripts.ts";
import { runnableLanguages, runSample } from "../../test/pages/run-sample.ts";

// The browser closes before the gateway drains its connections, because a browser keeps idle connections open.
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
after(() => browser.close());

/** The sandbox's responses contain the gateway's address, so the gateway must know its port before it starts. */
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const { database, variables } = await prepareTestGateway("sandbox");
const serving = await serve(
  readSettings({ ...variables, TOLLGATE_PORT: String(port), TOLLGATE_PUBLIC_URL: url }),
);
after(() => serving.stop());

const payPage = `${url}/docs/payments/pay`;

const folder = mkdtempSync(join(tmpdir(), "tollgate-reference-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Visit {
  readonly page: Page;
  /** Every address that the page requested. */
  readonly asked: readonly string[];
  /** Console messages, page errors and failed requests. */
  readonly complaints: readonly string[];
  readonly transferredBytes: () => Promise<number>;
}

async function visit(options: BrowserContextOptions = {}, address = `${url}/docs`): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  const sizes: Promise<number>[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("requestfinished", (request) => {
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  // A gateway on an overloaded machine rejects pages and scripts (load shedding), and a reader reloads.
  let isShed = false;
  page.on("response", (response) => (isShed ||= response.status() === 503 || response.status() === 429));
  for (let tries = 1; ; tries += 1) {
    const failure = await page.goto(address).then(
      () => undefined,
      (error: Error) => error,
    );
    if (failure === undefined && !isShed) break;
    if (tries === 5 || (failure && !failure.message.includes("ERR_HTTP_RESPONSE_CODE_FAILURE")))
      throw failure ?? new Error(`${address} was rejected five times.`);
    complaints.length = 0;
    isShed = false;
    await page.waitForTimeout(500);
  }
  const transferredBytes = async (): Promise<number> =>
    (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { page, asked, complaints, transferredBytes };
}

test("a page loads only from the gateway, and the browser reports no errors", async () => {
  const { page, asked, complaints, transferredBytes } = await visit({}, payPage);

  await page.locator(".tabs label", { hasText: "Python" }).first().click();
  await page.locator(".scene summary").first().click();
  await page.keyboard.press("/");
  await page.keyboard.type("refund");
  await page.locator(".found a").first().waitFor();

  for (const file of ["style.css", "script.js", "search.js"])
    assert.ok(asked.includes(`${url}/docs/${file}`));
  assert.deepEqual(
    asked.filter((address) => !address.startsWith(`${url}/`) && !address.startsWith("data:")),
    [],
  );
  assert.deepEqual(complaints, []);
  assert.ok((await transferredBytes()) < 80_000, `${await transferredBytes()} bytes`);
});

test("the page may load only its own style and script", async () => {
  const answer = await fetch(`${url}/docs`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.ok(
    policy.startsWith("default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"),
    policy,
  );
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  const etag = answer.headers.get("etag") ?? "";
  const revalidated = await fetch(`${url}/docs`, { headers: { "if-none-match": etag } });
  assert.equal(revalidated.status, 304);
});

test("every operation has a page, with its paths, its fields, its codes and each language", async () => {
  const { page } = await visit();
  const libraries = ["typescript", "java", "php", "python", "go"].map((language) => `${language}-library`);
  for (const { path, request, response, results: codes } of operations) {
    await page.goto(`${url}/docs/${path}`, { waitUntil: "domcontentloaded" });
    const shown = await page.evaluate<ShownOperation>(shownOperation);
    for (const environment of ["sandbox", "live"] as const)
      assert.ok(shown.text.includes(callPath(environment, path)), path);
    for (const { properties = {} } of [request, response] as { properties?: object }[])
      for (const name of Object.keys(properties)) assert.ok(shown.fields.includes(name), name);
    assert.deepEqual(shown.codes, codes);
    assert.deepEqual(shown.tabs, [...libraries, ...Object.keys(languages)]);
    assert.deepEqual(shown.current, [`${url}/docs/${path}`]);
  }
});

test("every result code is on its page once, with its status, its message and its advice", async () => {
  const { page } = await visit({}, `${url}/docs/results`);
  for (const [code, { status, message, advice }] of Object.entries(results)) {
    const cells = await page.locator(`[id="${code}"] > *`).allTextContents();
    assert.deepEqual(
      cells.map((cell) => cell.trim()),
      [code, status, message, advice],
    );
  }
});

test("the search opens with a slash and with Ctrl-K, and Enter opens the first result", async () => {
  const { page } = await visit({}, payPage);
  await openSearch(page, "/");
  await page.keyboard.type("inquiryRefund");
  // Search results appear while the user types. Enter opens the result that is selected at that moment.
  await page.locator('.found [aria-selected="true"] strong', { hasText: "inquiryRefund" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/docs/payments/inquiryRefund`);

  await openSearch(page, "Control+k");
  await page.keyboard.type("ORDER_NOT_EXIST");
  await page.locator('.found [aria-selected="true"] strong', { hasText: "ORDER_NOT_EXIST" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/docs/results#ORDER_NOT_EXIST`);

  await openSearch(page, "/");
  await page.keyboard.type("zebra crossing");
  await page.locator(".search-told", { hasText: "Nothing about" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog").isVisible(), false);
});

/** The page's script shows the search button after it listens to keys. A key that is pressed earlier is lost. */
async function openSearch(page: Page, key: string): Promise<void> {
  await page.locator(".search-button").waitFor();
  await page.keyboard.press(key);
  await page.locator("dialog[open]").waitFor();
}

test("the arrow keys select a result, and assistive technology gets the selection", async () => {
  const { page } = await visit();
  await page.locator(".search-button").click();
  await page.keyboard.type("token");
  await page.locator(".found li").nth(2).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator(".search-input").getAttribute("aria-activedescendant"), "found-2");
  const href = await page.locator("#found-2 a").getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL(href ?? "");
});

test("without JavaScript the start page lists every page and every code, and shows no search", async () => {
  const { page } = await visit({ javaScriptEnabled: false });
  const links = await page
    .locator("main a")
    .evaluateAll((all) => all.map((a) => (a as unknown as { href: string }).href));
  for (const { path } of operations) assert.ok(links.includes(`${url}/docs/${path}`), path);
  for (const code of Object.keys(results)) assert.ok(links.includes(`${url}/docs/results#${code}`), code);
  assert.equal(await page.locator(".search-button").count(), 0);
  assert.ok(await page.locator(".contents nav a[aria-current=page]").isVisible());
});

test("an older address of a code redirects to its row", async () => {
  const { page } = await visit({}, `${url}/docs#ORDER_NOT_EXIST`);
  await page.waitForURL(`${url}/docs/results#ORDER_NOT_EXIST`);
});

test("every page has a Markdown version, and llms.txt links to them", async () => {
  // On a busy machine the gateway sheds load and rejects some requests, so the test retries.
  const receivedWebhooks = await eventually(
    20_000,
    () => fetch(`${url}/llms.txt`),
    ({ ok }) => ok,
  );
  const list = await receivedWebhooks.text();
  const twins = [...list.matchAll(/\((http[^)]+\.md)\)/g)].map(([, address = ""]) => address);
  assert.ok(twins.length > operations.length, list);
  for (const address of twins) {
    const twin = await eventually(
      20_000,
      () => fetch(address),
      ({ ok }) => ok,
    );
    assert.equal(twin.headers.get("content-type"), "text/markdown; charset=utf-8");
    assert.match(await twin.text(), /^# /m);
  }
});

for (const path of ["/docs", "/docs/payments/pay", "/docs/results", "/docs/signing"]) {
  test(`no horizontal scrolling is needed on a phone of 320 pixels: ${path}`, async () => {
    const { page } = await visit({ viewport: { width: 320, height: 640 } }, url + path);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    await page.locator("summary", { hasText: "Contents" }).click();
    assert.ok(await page.locator(".contents nav a").first().isVisible());
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
    await page.locator(".search-button").click();
    await page.keyboard.type("refund");
    await page.locator(".found a").first().waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  });
}

test("the address in a rejection leads to the code on the page", async () => {
  const merchant = await newMerchant(database);
  const path = pathOf("sandbox", inquiryPath);
  const { json } = await call(url, merchant, { path, body: JSON.stringify({ paymentId: "1" }) });
  assert.equal(json.result["resultCode"], "ORDER_NOT_EXIST");

  const { page } = await visit({}, json.result["docUrl"]);

  const target = page.locator(":target");
  assert.match((await target.textContent()) ?? "", /ORDER_NOT_EXIST/);
  const { y = -1 } = (await target.boundingBox()) ?? {};
  assert.ok(y > 50 && y < 850, `the row is at ${y} of 900 pixels`);
});

for (const javaScriptEnabled of [true, false]) {
  test(`a language can be chosen ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
    const { page } = await visit({ javaScriptEnabled }, payPage);
    await page.locator(".scene summary").first().click();
    const blocks = page.locator(".tabs");
    const shown = async (index: number): Promise<string | null> =>
      blocks.nth(index).locator(".pane:visible").getAttribute("data-tab");
    assert.deepEqual([await shown(0), await shown(1)], ["typescript-library", "typescript-library"]);

    await blocks.nth(0).locator("label", { hasText: "Python" }).first().click();

    const expectedTab = javaScriptEnabled ? "python-library" : "typescript-library";
    assert.deepEqual([await shown(0), await shown(1)], ["python-library", expectedTab]);
    await page.reload();
    assert.equal(await shown(0), expectedTab);
  });
}

test("a click copies the visible code", async () => {
  const { page } = await visit({ permissions: ["clipboard-read", "clipboard-write"] }, payPage);
  const block = page.locator(".tabs").first();
  await block.locator("label", { hasText: "PHP" }).first().click();
  await block.locator("button", { hasText: "Copy" }).click();
  await block.locator("button", { hasText: "Copied" }).waitFor();
  assert.equal(
    await page.evaluate("navigator.clipboard.readText()"),
    await block.locator('[data-tab="php-library"] code').textContent(),
  );
});

test("keyboard users can skip the contents, and see the focus", async () => {
  const { page } = await visit();
  await page.keyboard.press("Tab");
  const skip = page.locator(":focus");
  assert.equal(await skip.textContent(), "Skip to the page");
  const { y = -1 } = (await skip.boundingBox()) ?? {};
  assert.ok(y >= 0, "the link is out of sight");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#main");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  assert.equal(outline, "solid");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`every text has a contrast of at least 4.5, in ${colorScheme}`, async () => {
    const { page } = await visit({ colorScheme });
    let checkedCount = 0;
    for (const path of [
      "/docs",
      "/docs/payments/pay",
      "/docs/results",
      "/docs/signing",
      "/docs/first-request",
    ]) {
      await page.goto(url + path);
      await page.keyboard.press("/");
      await page.keyboard.type("refund");
      await page.locator(".found a").first().waitFor();
      const [count, faint] = await page.evaluate<[number, string[]]>(findLowContrastTexts);
      checkedCount += count;
      assert.deepEqual(faint, [], path);
    }
    assert.ok(checkedCount > 1500, `looked at ${checkedCount} texts only`);
  });
}

/** The code of a block as a reader would copy it, with filled-in placeholders. */
async function fillIn(page: Page, block: string, values: Readonly<Record<string, string>>): Promise<string> {
  const code = (await page.locator(`${block} pre`).first().textContent()) ?? "";
  return Object.entries(values).reduce((text, [placeholder, value]) => {
    assert.ok(text.includes(placeholder), `${block} has no ${placeholder} to fill in`);
    return text.replaceAll(placeholder, value);
  }, code);
}

const firstStep = (number: number): string => `#steps > li:nth-child(${number})`;
const callIn = (language: string): string => `[data-operation] [data-tab="${language}"]`;
const success = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };

/** Follows the page's steps before the first request. Returns the page, and the values for its placeholders. */
async function prepare(): Promise<{ readonly page: Page; readonly known: Readonly<Record<string, string>> }> {
  const { page } = await visit({}, `${url}/docs/first-request`);
  await runSample("curl", (await page.locator(`${firstStep(1)} pre`).textContent()) ?? "", folder);
  const operator = { url: database.ownerUrl, environment: database.environment };
  const files = { publicKeyFile: join(folder, "public.pem"), proofFile: undefined };
  const { clientId, gatewayPublicKey } = await addMerchant(operator, "Coffee Lab", files);
  await writeFile(join(folder, "gateway.pem"), gatewayPublicKey);
  return { page, known: { [sampleClientId("sandbox")]: clientId } };
}

test("the first steps on the page lead to a successful request", async () => {
  const { page, known } = await prepare();
  const answer = await runSample("curl", await fillIn(page, firstStep(3), known), folder);
  const shown = await page.locator(`${firstStep(4)} pre`).textContent();
  assert.deepEqual(JSON.parse(answer), JSON.parse(shown ?? ""));
});

for (const language of runnableLanguages) {
  test(`the ${language} sample succeeds, and verifies the gateway's signature`, async () => {
    const { page, known } = await prepare();
    await page.goto(`${url}/docs/tollgate/inquiryOpenRecords`);
    const callSample = await fillIn(page, callIn(language), known);
    await page.goto(`${url}/docs/signing`);
    const verifySample = (await page.locator(`[data-tab="${language}"] pre`).textContent()) ?? "";
    const program = `${callSample.replace("curl -sS", "curl -sS -D headers.txt -o answer.json")}\n${verifySample}`;

    const answer = await runSample(language, callSample, folder);
    assert.deepEqual((JSON.parse(answer) as { readonly result: object }).result, success);

    await runSample(language, program, folder);
    await copyFile(join(folder, "public.pem"), join(folder, "gateway.pem"));
    await assert.rejects(runSample(language, program, folder));
  });
}

test("the limits of a new client are those on the page", async () => {
  const { clientId } = await newMerchant(database);
  const [client] = await asSuperuser(
    `select rate_per_second as "ratePerSecond", rate_burst as "rateBurst",
       time_tolerance_seconds as "timeToleranceSeconds" from clients where client_id = $1`,
    [clientId],
    database.superuserUrl,
  );
  assert.deepEqual(client, clientDefaults);
});

test("a live gateway's pages use the live paths, at its own address", () => {
  const site = readSite({ publicUrl: "https://pay.example", environment: "live" });
  const pageAt = (path: string): string =>
    renderPage(
      site,
      site.pages.find((page) => page.path === path)!,
    );
  const inquiry = pageAt("/docs/payments/inquiryPayment");
  assert.match(inquiry, /CALL_PATH=\/ams\/api\/v1\/payments\/inquiryPayment\n/);
  assert.match(inquiry, /BASE_URL=https:\/\/pay\.example\n/);
  assert.doesNotMatch(inquiry, /SANDBOX_YOUR_CLIENT_ID/);
  assert.match(pageAt("/docs/limits"), /256 KiB/);
});
