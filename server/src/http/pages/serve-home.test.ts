import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { prepareTestGateway } from "../../../test/start/test-gateway.ts";

const links = {
  TOLLGATE_PUBLIC_URL: "https://pay.example",
  TOLLGATE_WALLET_PAGE: "https://wallet.example/",
  TOLLGATE_SHOP_PAGE: "https://shop.example/?a=1&b=2",
  TOLLGATE_TILL_PAGE: "https://till.example/",
  TOLLGATE_PORTAL_PAGE: "https://portal.example/",
};

async function started(environment: "sandbox" | "live"): Promise<string> {
  const { variables } = await prepareTestGateway(environment);
  const serving = await serve(readSettings({ ...variables, ...links }));
  after(() => serving.stop());
  return serving.url;
}

const [sandbox, live] = [await started("sandbox"), await started("live")];
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function fetchPage(url: string, init: RequestInit = { headers: browser }): Promise<Response> {
  return fetch(url, init);
}

test("the home page of a sandbox shows what it is, links and first commands", async () => {
  const response = await fetchPage(`${sandbox}/`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  const page = await response.text();
  for (const address of [
    "https://pay.example/docs",
    "https://wallet.example/",
    "https://portal.example/",
    "https://till.example/",
    "https://shop.example/?a=1&amp;b=2",
  ])
    assert.ok(page.includes(`href="${address}"`), address);
  const commands = [...page.matchAll(/<pre><code>(.*?)<\/code>/gs)].map(
    ([, text = ""]) => text.replace("npx --no tollgate ", "").split(" ")[0],
  );
  assert.deepEqual(commands, ["pay", "listen", "refund", "clock"]);
});

test("/till redirects to the sandbox's point of sale; live has none", async () => {
  const redirect = await fetchPage(`${sandbox}/till`, { redirect: "manual" });
  assert.equal(redirect.status, 302);
  assert.equal(redirect.headers.get("location"), "https://till.example/");
  assert.equal((await fetchPage(`${live}/till`, { redirect: "manual" })).status, 404);
});

test("a program at the same address gets the usual response format", async () => {
  for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }]) {
    const response = await fetchPage(`${sandbox}/`, { headers });
    assert.equal(response.status, 404);
    assert.partialDeepStrictEqual(await response.json(), { result: { resultCode: "NO_INTERFACE_DEF" } });
  }
});

test("the home page of live says what it is, without instructions for testing", async () => {
  const response = await fetchPage(`${live}/`);
  assert.equal(response.status, 200);
  const page = await response.text();
  assert.match(page, /<h1>This is a payment gateway\.<\/h1>/);
  assert.doesNotMatch(page, /sandbox|npx|provider\.example|portal\.example|till\.example|shop\.example/);
  const program = await fetchPage(`${live}/`, { headers: {} });
  assert.equal(
    await program.text(),
    '{"message":"Route GET:/ not found","error":"Not Found","statusCode":404}',
  );
});

for (const [name, url] of Object.entries({ sandbox, live }))
  test(`a browser at the unknown path ${name} gets a page that does not repeat the path`, async () => {
    const response = await fetchPage(`${url}/hostile-<b>?secret=1`);
    assert.equal(response.status, 404);
    const page = await response.text();
    assert.match(page, /<h1>There is nothing here\.<\/h1>/);
    assert.doesNotMatch(page, /hostile|secret/);
    const posted = await fetchPage(`${url}/nothing-here`, { method: "POST", headers: browser });
    assert.equal(posted.status, 404);
    assert.match(posted.headers.get("content-type") ?? "", /^application\/json/);
  });

test("the page loads nothing, and has only its own style", async () => {
  const response = await fetchPage(`${sandbox}/`);
  const style = /<style>(.*?)<\/style>/s.exec(await response.text())?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.equal(
    response.headers.get("content-security-policy"),
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  assert.equal(response.headers.get("vary"), "accept");
});

test("an address with a script scheme is rejected at startup", () => {
  const settings = readSettings({ TOLLGATE_SHOP_PAGE: "javascript:alert(1)" });
  assert.throws(
    () => settings.homeLinks,
    /TOLLGATE_SHOP_PAGE must be the address of a page, http or https\./,
  );
});
