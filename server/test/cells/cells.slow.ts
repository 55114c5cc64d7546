import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { bucketOf } from "../../src/core/bucket.ts";
import { withHome } from "../../src/cells/directory.ts";
import { call, inquiryPath, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { markAsMoved, newMerchantIn, setHome, startTestFleet, type TestCell } from "./test-fleet.ts";

const fleet = await startTestFleet();
const { cells } = fleet;
const [a, b, c] = cells;
const coffee = await newMerchantIn(a, "Coffee");
const path = pathOf("sandbox", inquiryPath);
const body = JSON.stringify({ paymentId: "20261117120000000000001000000000001" });
const notFound = "ORDER_NOT_EXIST";

async function inquireAt({ serve }: TestCell, merchant: TestMerchant): Promise<ReceivedAnswer> {
  return call(serve.url, merchant, { path, body });
}
const codeOf = ({ json }: ReceivedAnswer): string | undefined => json.result["resultCode"];

/**
 * `inquireUntil` repeats a request until the expected result code is returned, because processes cache home cells for a
 * second.
 */
async function inquireUntil(cell: TestCell, merchant: TestMerchant, code: string): Promise<ReceivedAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await inquireAt(cell, merchant);
    if (codeOf(answer) === code) return answer;
    assert.ok(tries < 50, `${cell.name} says ${codeOf(answer)}, and not ${code}`);
    await delay(100);
  }
}

test("a merchant is opened in a bucket of its cell", async () => {
  for (const cell of cells) {
    const { clientId } = await newMerchantIn(cell, "Flowers");
    assert.equal(fleet.directory().buckets[bucketOf(clientId)], cell.name);
  }
});

test("every cell answers for every merchant by its home, signed with the fleet's key", async () => {
  for (const cell of cells) {
    const answer = await inquireUntil(cell, coffee, notFound);
    assert.equal(answer.status, 200);
    assert.match(answer.headers["signature"] ?? "", /keyVersion=1,/);
  }
});

test("only the bucket's owner reports that a client does not exist, whichever cell receives the request", async () => {
  const unknownMerchant = { ...coffee, clientId: "SANDBOX_NOBODY" };
  assert.equal(fleet.directory().buckets[bucketOf(unknownMerchant.clientId)] !== undefined, true);
  for (const cell of cells) assert.equal(codeOf(await inquireAt(cell, unknownMerchant)), "UNKNOWN_CLIENT");
});

test("during a merchant's move, requests get an unknown outcome and may be retried in a second", async () => {
  const merchant = await newMerchantIn(a, "Books");
  await inquireUntil(a, merchant, notFound);
  await setHome(a, merchant.clientId, { state: "leaving", epoch: 1, cell: "b" });
  for (const cell of cells) {
    const answer = await inquireAt(cell, merchant);
    assert.equal(codeOf(answer), "UNKNOWN_EXCEPTION", cell.name);
    assert.equal(answer.json.result["resultStatus"], "U");
    assert.equal(answer.headers["retry-after"], "1");
  }
  await setHome(a, merchant.clientId, { state: "here", epoch: 1 });
  for (const cell of cells) await inquireUntil(cell, merchant, notFound);
});

test("a merchant that moved is served at its new home through any cell, before and after the directory changes", async () => {
  const merchant = await newMerchantIn(a, "Shoes");
  await markAsMoved(a, b, merchant);
  await inquireUntil(b, merchant, notFound);
  await inquireUntil(a, merchant, notFound);
  // The cell directory still names the first home. The request is forwarded to it, and cannot be forwarded a second
  // time.
  const forwarded = await inquireAt(c, merchant);
  assert.equal(codeOf(forwarded), "UNKNOWN_EXCEPTION");
  await fleet.publish((directory) => withHome(directory, merchant.clientId, { cell: "b", epoch: 1 }));
  for (const cell of cells) await inquireUntil(cell, merchant, notFound);
});

test("two cells that each consider the other one the home return a retryable error and do not forward in a loop", async () => {
  const merchant = await newMerchantIn(a, "Bread");
  await setHome(a, merchant.clientId, { state: "gone", epoch: 1, cell: "b" });
  await setHome(b, merchant.clientId, { state: "gone", epoch: 1, cell: "a" });
  for (const cell of cells) assert.equal(codeOf(await inquireAt(cell, merchant)), "UNKNOWN_EXCEPTION");
});

test("an unauthenticated client's claim that a request was forwarded is ignored", async () => {
  const headers = { "tollgate-forwarded": "b", "client-id": coffee.clientId };
  const answer = await call(b.serve.url, coffee, { path, body, headers });
  assert.equal(codeOf(answer), notFound);
});

test("checkout pages and callbacks are routed to the merchant's home, too", async () => {
  const payment = `20261117120000000${String(bucketOf(coffee.clientId)).padStart(4, "0")}01000000000001`;
  const page = await fetch(`${b.serve.url}/checkout/${coffee.clientId}.${payment}.${"x".repeat(32)}`);
  assert.equal(page.status, 404);
  const callback = await fetch(`${b.serve.url}/providers/none/callbacks/${coffee.clientId}/${payment}`, {
    method: "POST",
    body: "{}",
  });
  const { result } = (await callback.json()) as { readonly result: { readonly resultMessage: string } };
  assert.equal(result.resultMessage, "There is no such connector.");
  const samples = await fetch(`${b.serve.url}/checkout/style.css`);
  assert.equal(samples.status, 200);
  // The home cell is frozen to show that it was the home cell that responded before: now the page is unavailable (503).
  process.kill(a.serve.pid, "SIGSTOP");
  try {
    const frozen = await fetch(`${b.serve.url}/checkout/${coffee.clientId}.${payment}.${"x".repeat(32)}`);
    assert.equal(frozen.status, 503);
  } finally {
    process.kill(a.serve.pid, "SIGCONT");
  }
});

test("for a frozen home an error is returned within two seconds, and requests succeed when it runs again", async () => {
  await inquireUntil(b, coffee, notFound);
  process.kill(a.serve.pid, "SIGSTOP");
  try {
    for (let tries = 1; tries <= 3; tries += 1) {
      const sinceMs = performance.now();
      const answer = await inquireAt(b, coffee);
      assert.equal(codeOf(answer), "UNKNOWN_EXCEPTION");
      assert.ok(performance.now() - sinceMs < 5_000);
    }
  } finally {
    process.kill(a.serve.pid, "SIGCONT");
  }
  await inquireUntil(b, coffee, notFound);
});

test("no cell has logged a fault", () => {
  for (const { serve } of cells) assert.doesNotMatch(serve.stderr(), /"level":50/);
});
