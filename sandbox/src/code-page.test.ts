import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startWallet, submitWithCode } from "./testing/test-wallet.ts";

const wallet = await startWallet();

async function look(query = ""): Promise<{ readonly html: string; readonly code: string }> {
  const html = await (await fetch(`${wallet.ready.walletUrl}/codes${query}`)).text();
  return { html, code: /<p class="code">(\d{24})<\/p>/.exec(html)?.[1] ?? "" };
}

test("a buyer is shown a code that pays at once, and a new one at every look", async () => {
  const { html, code } = await look();
  assert.match(html, /It pays at once\. Good for one payment, until \d\d:\d\d:\d\d UTC\./);
  assert.equal((await submitWithCode(wallet, code)).order["state"], "PAID");
  const next = await look("?kind=pays");
  assert.notEqual(next.code, code);
  assert.equal((await submitWithCode(wallet, next.code)).order["state"], "PAID");
});

for (const [kind, state, resultCode] of [
  ["asks", "OPEN", undefined],
  ["not-enough-money", "DECLINED", "USER_BALANCE_NOT_ENOUGH"],
] as const) {
  test(`a buyer can press for a code after which an order is ${state}`, async () => {
    const { html, code } = await look(`?kind=${kind}`);
    assert.ok(html.includes(`value="${kind}"`));
    const { order } = await submitWithCode(wallet, code);
    assert.equal(order["state"], state);
    assert.equal(order["resultCode"], resultCode);
  });
}

test("the page is kept by no browser, and runs nothing", async () => {
  const response = await fetch(`${wallet.ready.walletUrl}/codes`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
});

test("a code is shown to who reads the page, and for a kind that there is", async () => {
  const journal = (): string => readFileSync(join(wallet.folder, "effects.jsonl"), "utf8");
  const before = journal();
  for (const [method, query, status] of [
    ["HEAD", "", 405],
    ["POST", "", 405],
    ["GET", "?kind=constructor", 400],
    ["GET", "?kind=free", 400],
  ] as const)
    assert.equal((await fetch(`${wallet.ready.walletUrl}/codes${query}`, { method })).status, status);
  assert.equal(journal(), before);
});
