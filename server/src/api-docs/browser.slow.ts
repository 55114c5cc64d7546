import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium, type BrowserContextOptions, type Page } from "playwright-core";
import { operations } from "../api/operations.ts";
import { addMerchant } from "../commands/merchant.ts";
import { serve } from "../commands/serve.ts";
import { readSettings } from "../commands/settings.ts";
import { results } from "../core/result.ts";
import { inquirePayment } from "../payments/inquire-payment.ts";
import { freePort } from "../postgres/throw-away.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, inquiryPath, newMerchant, pathOf, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { givenPayment } from "../../test/shop/test-payment.ts";
import { languages } from "./call-samples.ts";
import { callPath, clientDefaults, nameOf, sampleClientId } from "./facts.ts";
import { apiDocsPage } from "./page.ts";
import { runnableLanguages, runSample } from "../../test/pages/run-sample.ts";

// Closed before the gateway drains its connections: a browser keeps idle ones open.
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

/** The answers of the sandbox name the page's address, so the gateway has to know its port beforehand. */
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const { database, variables } = await prepareTestGateway("sandbox");
const serving = await serve(
  readSettings({ ...variables, TOLLGATE_PORT: String(port), TOLLGATE_PUBLIC_URL: url }),
);
after(() => serving.stop());

const folder = mkdtempSync(join(tmpdir(), "tollgate-reference-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Visit {
  readonly page: Page;
  /** Every address that the page asked for. */
  readonly asked: readonly string[];
  /** What the console, the page's errors and its failed requests said. */
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
  await page.goto(address);
  const transferredBytes = async (): Promise<number> =>
    (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { page, asked, complaints, transferredBytes };
}

test("the page asks nobody but the gateway, and the browser finds nothing to complain about", async () => {
  const { page, asked, complaints, transferredBytes } = await visit();

  await page.locator(`[data-operation="${inquiryPath}"] label`, { hasText: "Python" }).click();
  await page.locator(".more summary").first().click();

  assert.ok(asked.includes(`${url}/docs/style.css`) && asked.includes(`${url}/docs/script.js`));
  assert.deepEqual(
    asked.filter((address) => !address.startsWith(`${url}/`) && !address.startsWith("data:")),
    [],
  );
  assert.deepEqual(complaints, []);
  assert.ok((await transferredBytes()) < 80_000, `${await transferredBytes()} bytes`);
});

test("the page may load its own style and script, and nothing else", async () => {
  const answer = await fetch(`${url}/docs`);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.ok(
    policy.startsWith("default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:;"),
    policy,
  );
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(`${url}/docs`, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
});

test("every operation is on the page, with its paths, its fields and its codes", async () => {
  const { page } = await visit();
  for (const operation of operations) {
    const article = page.locator(`[data-operation="${operation.path}"]`);
    const text = (await article.textContent()) ?? "";
    for (const environment of ["sandbox", "live"] as const)
      assert.ok(text.includes(callPath(environment, operation.path)), operation.path);
    const names = await article.locator(".fields tbody th").allTextContents();
    for (const schema of [operation.request, operation.response] as { properties?: object }[])
      for (const name of Object.keys(schema.properties ?? {})) assert.ok(names.includes(name), name);
    for (const code of operation.results)
      assert.equal(await article.locator(`.own-results a[href="#${code}"]`).count(), 1, code);
    for (const language of Object.keys(languages))
      assert.equal(await article.locator(`[data-language="${language}"] code`).count(), 1, language);
    assert.ok(
      await page
        .locator("nav a", { hasText: nameOf(operation) })
        .first()
        .isVisible(),
    );
  }
  assert.equal(await page.locator("[data-operation]").count(), operations.length);
});

test("every result code is on the page once, with its status, its message and its advice", async () => {
  const { page } = await visit();
  for (const [code, { status, message, advice }] of Object.entries(results)) {
    const cells = await page.locator(`[id="${code}"] > *`).allTextContents();
    assert.deepEqual(
      cells.map((cell) => cell.trim()),
      [code, status, message, advice],
    );
  }
});

test("every link on the page leads to a place on the page, or to the OpenAPI document", async () => {
  const { page } = await visit();
  const links = await page.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
  const ids = await page.locator("[id]").evaluateAll((all) => all.map((element) => `#${element.id}`));
  assert.deepEqual(
    links.filter((link) => link !== "openapi.json" && !ids.includes(link)),
    [],
  );
  assert.equal(new Set(ids).size, ids.length, "an id stands twice");
  assert.equal((await fetch(`${url}/openapi.json`)).status, 200);
});

test("nothing has to be scrolled sideways on a telephone of 320 pixels", async () => {
  const { page } = await visit({ viewport: { width: 320, height: 640 } });
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  await page.locator("summary", { hasText: "Contents" }).click();
  assert.ok(await page.locator("nav a").first().isVisible());
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
});

test("the address in a refusal leads to the code on the page", async () => {
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
  test(`a language can be picked ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
    const { page } = await visit({ javaScriptEnabled });
    const blocks = page.locator(".tabs");
    const shown = async (index: number): Promise<string | null> =>
      blocks.nth(index).locator(".pane:visible").getAttribute("data-language");
    assert.deepEqual([await shown(0), await shown(1)], ["curl", "curl"]);

    await blocks.nth(0).locator("label", { hasText: "Python" }).click();

    assert.deepEqual([await shown(0), await shown(1)], ["python", javaScriptEnabled ? "python" : "curl"]);
    await page.reload();
    assert.equal(await shown(0), javaScriptEnabled ? "python" : "curl");
  });
}

test("a click copies the code that is shown", async () => {
  const { page } = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
  const block = page.locator(`[data-operation="${inquiryPath}"] .tabs`);
  await block.locator("label", { hasText: "PHP" }).click();
  await block.locator("button", { hasText: "Copy" }).click();
  await block.locator("button", { hasText: "Copied" }).waitFor();
  assert.equal(
    await page.evaluate("navigator.clipboard.readText()"),
    await block.locator('[data-language="php"] code').textContent(),
  );
});

test("whoever uses the keyboard can skip the contents, and sees where they are", async () => {
  const { page } = await visit();
  await page.keyboard.press("Tab");
  const skip = page.locator(":focus");
  assert.equal(await skip.textContent(), "Skip to the reference");
  const { y = -1 } = (await skip.boundingBox()) ?? {};
  assert.ok(y >= 0, "the link is out of sight");
  await page.keyboard.press("Enter");
  assert.equal(new URL(page.url()).hash, "#main");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  assert.equal(outline, "solid");
});

/** Runs in the page: each text whose contrast is below 4.5 (WCAG AA). */
const faintTexts = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => channels(color).slice(0, 3)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return (channels(color)[3] ?? 1) === 1 ? color : ground(element.parentElement);
  };
  const contrast = (element) => {
    const [dark, light] = [getComputedStyle(element).color, ground(element)].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const texts = [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  const faint = texts.filter((element) => contrast(element) < 4.5);
  return [texts.length, faint.map((element) => element.className + ": " + element.textContent.slice(0, 40))];
})()`;

for (const colorScheme of ["light", "dark"] as const) {
  test(`every text stands out from its ground by 4.5 or more, in ${colorScheme}`, async () => {
    const { page } = await visit({ colorScheme });
    const [count, faint] = await page.evaluate<[number, string[]]>(faintTexts);
    assert.ok(count > 500, `looked at ${count} texts only`);
    assert.deepEqual(faint, []);
  });
}

/** The code of a block as a reader would copy it, with the placeholders filled in. */
async function fillIn(page: Page, block: string, known: Readonly<Record<string, string>>): Promise<string> {
  const code = (await page.locator(`${block} pre`).textContent()) ?? "";
  const shownUrl = (await page.locator(".glance code").textContent()) ?? "";
  return Object.entries({ [shownUrl]: url, ...known }).reduce((text, [placeholder, value]) => {
    assert.ok(text.includes(placeholder), `${block} has no ${placeholder} to fill in`);
    return text.replaceAll(placeholder, value);
  }, code);
}

const firstStep = (number: number): string => `#start .steps > li:nth-child(${number})`;
const callIn = (language: string): string =>
  `[data-operation="${inquiryPath}"] [data-language="${language}"]`;
const success = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };

/** Follows the page's steps before the first call; returns the page, and the values for its placeholders. */
async function prepare(): Promise<{ readonly page: Page; readonly known: Readonly<Record<string, string>> }> {
  const { page } = await visit();
  await runSample("curl", (await page.locator(`${firstStep(1)} pre`).textContent()) ?? "", folder);
  const operator = { url: database.ownerUrl, environment: database.environment };
  const files = { publicKeyFile: join(folder, "public.pem"), proofFile: undefined };
  const { clientId, gatewayPublicKey } = await addMerchant(operator, "Coffee Lab", files);
  await writeFile(join(folder, "gateway.pem"), gatewayPublicKey);
  const { paymentId } = await givenPayment(database, clientId);
  const { paymentId: samplePaymentId } = inquirePayment.example.request;
  assert.ok(samplePaymentId);
  return { page, known: { [sampleClientId("sandbox")]: clientId, [samplePaymentId]: paymentId } };
}

test("whoever follows the first steps on the page gets a success", async () => {
  const { page, known } = await prepare();
  const answer = await runSample("curl", await fillIn(page, firstStep(3), known), folder);
  assert.deepEqual((JSON.parse(answer) as { readonly result: object }).result, success);
});

for (const language of runnableLanguages) {
  test(`the ${language} sample gets a success, and knows the gateway's answer from another's`, async () => {
    const { page, known } = await prepare();
    const calling = await fillIn(page, callIn(language), known);
    const verifying =
      (await page.locator(`#authentication [data-language="${language}"] pre`).textContent()) ?? "";
    const both = `${calling.replace("curl -sS", "curl -sS -D headers.txt -o answer.json")}\n${verifying}`;

    const answer = await runSample(language, calling, folder);
    assert.deepEqual((JSON.parse(answer) as { readonly result: object }).result, success);

    await runSample(language, both, folder);
    await copyFile(join(folder, "public.pem"), join(folder, "gateway.pem"));
    await assert.rejects(runSample(language, both, folder));
  });
}

test("the numbers of a new client are those on the page", async () => {
  const { clientId } = await newMerchant(database);
  const [client] = await asSuperuser(
    `select rate_per_second as "ratePerSecond", rate_burst as "rateBurst",
       time_tolerance_seconds as "timeToleranceSeconds" from clients where client_id = $1`,
    [clientId],
    database.superuserUrl,
  );
  assert.deepEqual(client, clientDefaults);
});

test("a live gateway's page calls the live paths, at its own address", () => {
  const limits = {
    bodyBytesMax: 262_144,
    headersMax: 64,
    headerBytesMax: 8_192,
    places: { least: 32, most: 128 },
    timeouts: { headersMs: 5_000, requestMs: 10_000, keepAliveMs: 72_000 },
    signedFailures: { ratePerSecond: 20 },
  };
  const page = apiDocsPage({ operations, baseUrl: "https://pay.example", environment: "live", limits });
  assert.match(page, /CALL_PATH=\/ams\/api\/v1\/payments\/inquiryPayment\n/);
  assert.match(page, /BASE_URL=https:\/\/pay\.example\n/);
  assert.doesNotMatch(page, /SANDBOX_YOUR_CLIENT_ID/);
  assert.match(page, /256 KiB/);
});
