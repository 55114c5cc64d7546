import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startWallet, submitWithCode, pageOf, pagePathOf } from "../testing/test-wallet.ts";

const wallet = await startWallet();

async function openCodePage(query = ""): Promise<{ readonly html: string; readonly code: string }> {
  const html = await (await fetch(`${wallet.ready.walletUrl}/codes${query}`)).text();
  return { html, code: /<data value="(\d{24})">/.exec(html)?.[1] ?? "" };
}

test("a buyer gets a code that pays at once, and a new one at every page view", async () => {
  const { html, code } = await openCodePage();
  assert.match(html, /It pays at once\. Valid for one payment, until \d\d:\d\d:\d\d UTC\./);
  assert.equal((await submitWithCode(wallet, code)).order["state"], "PAID");
  const next = await openCodePage("?kind=pays");
  assert.notEqual(next.code, code);
  assert.equal((await submitWithCode(wallet, next.code)).order["state"], "PAID");
});

for (const [kind, state, resultCode] of [
  ["asks", "OPEN", undefined],
  ["not-enough-money", "DECLINED", "USER_BALANCE_NOT_ENOUGH"],
] as const) {
  test(`a buyer can choose a code after which an order is ${state}`, async () => {
    const { html, code } = await openCodePage(`?kind=${kind}`);
    assert.ok(html.includes(`value="${kind}"`));
    const { order } = await submitWithCode(wallet, code);
    assert.equal(order["state"], state);
    assert.equal(order["resultCode"], resultCode);
  });
}

test("the digits are in groups of four for people, and the first 24 in a row for programs", async () => {
  const { html, code } = await openCodePage();
  assert.equal(/>((?:\d{4} ){5}\d{4})<\/data>/.exec(html)?.[1]?.replaceAll(" ", ""), code);
  assert.equal(/\d{24}/.exec(html)?.[0], code);
});

test("a code can have any decline reason of the protocol, and no other", async () => {
  const { html, code } = await openCodePage("?kind=declines&resultCode=RISK_REJECT");
  assert.match(html, /The wallet declines it with RISK_REJECT\./);
  assert.equal((await submitWithCode(wallet, code)).order["resultCode"], "RISK_REJECT");
  for (const resultCode of ["SUCCESS", "NO_SUCH_CODE", ""])
    assert.equal((await openCodePage(`?kind=declines&resultCode=${resultCode}`)).code, "");
});

test("a page learns that its code was used, and which page follows", async () => {
  const followed = async (query: string) => {
    const { html, code } = await openCodePage(query);
    const address = /data-news="([^"]+)"/.exec(html)?.[1] ?? "";
    const news = async () => (await fetch(wallet.ready.walletUrl + address)).json();
    return { code, news };
  };
  const paying = await followed("?kind=pays");
  assert.deepEqual(await paying.news(), {});
  const { order: paid } = await submitWithCode(wallet, paying.code);
  assert.deepEqual(await paying.news(), { goTo: pagePathOf(wallet, paid) });

  const requestPage = await followed("?kind=asks");
  const { order: open } = await submitWithCode(wallet, requestPage.code);
  const page = new URL(pageOf(open)).pathname;
  assert.deepEqual(await requestPage.news(), { asks: [page] });
  await fetch(wallet.ready.walletUrl + page, {
    method: "POST",
    body: new URLSearchParams({ choice: "approve" }),
  });
  assert.deepEqual(await requestPage.news(), { goTo: page });
});

test("browsers do not cache the page, and it loads nothing from other origins", async () => {
  const response = await fetch(`${wallet.ready.walletUrl}/codes`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
});

test("a code is shown only for GET and for a known kind", async () => {
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
