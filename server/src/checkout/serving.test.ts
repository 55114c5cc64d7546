import assert from "node:assert/strict";
import { test } from "node:test";
import { checkoutUrlOf } from "../../test/shop/test-checkout.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, startTestGateway } from "../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../test/shop/test-payment.ts";

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database, "Coffee Lab");
const link = "https://wallet.example/8KQ2";
const order = { acceptedAt: new Date(), nextAction: { type: "QR_CODE", code: "8KQ2", url: link } } as const;
const inAnHour = new Date(Date.now() + 3_600_000);

async function urlOf(given: Parameters<typeof insertTestPayment>[2]): Promise<string> {
  const { paymentId } = await insertTestPayment(gateway.database, merchant.clientId, given);
  return checkoutUrlOf(gateway, merchant.clientId, paymentId);
}

test("the holder of the link sees the payment, and no cache, frame, referrer or search engine gets it", async () => {
  const answer = await fetch(await urlOf({ status: "PROCESSING", order, expiresAt: inAnHour }));

  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /Coffee Lab/);
  const expected = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  };
  const headers = Object.fromEntries(Object.keys(expected).map((name) => [name, answer.headers.get(name)]));
  assert.deepEqual(headers, expected);
});

test("the page's poll returns only the payment's status", async () => {
  const url = await urlOf({ status: "PROCESSING", order, expiresAt: inAnHour });
  const answer = await fetch(`${url}/status`);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(await answer.json(), { status: "PROCESSING", sequence: 1, state: "waiting", action: 1 });

  const paid = await fetch(`${await urlOf({ status: "SUCCESS" })}/status`);
  assert.deepEqual(await paid.json(), { status: "SUCCESS", sequence: 1, state: "paid", action: 0 });
});

test("a forged link looks like one for an unknown payment", async () => {
  const url = await urlOf({ status: "SUCCESS" });
  const other = await newMerchant(gateway.database, "Tea Lab");
  const unknown = await checkoutUrlOf(gateway, merchant.clientId, "2".repeat(35));
  const foreign = await checkoutUrlOf(gateway, other.clientId, url.split(".").at(-2) ?? "");
  const lastIsA = url.endsWith("A");
  const pages = await Promise.all(
    [
      unknown,
      foreign,
      url.slice(0, -1) + (lastIsA ? "B" : "A"),
      url.slice(0, -1),
      `${url}.`,
      url.replace(merchant.clientId, other.clientId),
      `${gateway.url}/checkout/x`,
      `${gateway.url}/checkout/a.b.${"é".repeat(32)}`,
      `${gateway.url}/checkout/..%00.`,
    ].map(async (address) => {
      const [page, status] = await Promise.all([fetch(address), fetch(`${address}/status`)]);
      return [page.status, await page.text(), status.status, await status.text()];
    }),
  );
  for (const page of pages) assert.deepEqual(page, pages[0]);
  assert.deepEqual([pages[0]?.[0], pages[0]?.[2], pages[0]?.[3]], [404, 404, "{}"]);
});

test("everything that a buyer's browser loads is less than 60 kB, with the longest code", async () => {
  const code = "0aZ-".repeat(249);
  const page = await urlOf({
    status: "PROCESSING",
    order: { ...order, nextAction: { type: "QR_CODE", code, url: link } },
    expiresAt: inAnHour,
  });
  const sizes = await Promise.all(
    [page, `${gateway.url}/checkout/style.css`, `${gateway.url}/checkout/script.js`].map(async (url) => {
      const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
      assert.equal(answer.status, 200);
      return (await answer.arrayBuffer()).byteLength;
    }),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 60_000, `${sizes.join(" + ")} bytes`);
});

test("the style sheet is sent again only if it has changed", async () => {
  const url = `${gateway.url}/checkout/style.css`;
  const etag = (await fetch(url)).headers.get("etag") ?? "";
  assert.equal((await fetch(url, { headers: { "if-none-match": etag } })).status, 304);
  assert.equal((await fetch(url, { headers: { "if-none-match": 'W/"another"' } })).status, 200);
});

test("without its database the gateway asks the buyer to wait, and reveals nothing about the fault", async () => {
  const broken = await startTestGateway("sandbox");
  const { clientId } = await newMerchant(broken.database);
  const { paymentId } = await insertTestPayment(broken.database, clientId);
  const url = await checkoutUrlOf(broken, clientId, paymentId);
  assert.equal((await fetch(url)).status, 200);

  const name = new URL(broken.database.superuserUrl).pathname.slice(1);
  await asSuperuser(`alter database ${name} with allow_connections false`);
  await asSuperuser("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  const [page, status] = await Promise.all([fetch(url), fetch(`${url}/status`)]);

  assert.deepEqual([page.status, page.headers.get("retry-after")], [503, "5"]);
  assert.match(await page.text(), /One moment, please/);
  assert.deepEqual([status.status, await status.text()], [503, "{}"]);
});
