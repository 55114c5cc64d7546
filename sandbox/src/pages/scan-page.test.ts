import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeQR } from "qr";
import { call, newFolder, newOrder, startWallet, pageOf } from "../testing/test-wallet.ts";

const wallet = await startWallet(newFolder(), "--list-orders");
const { walletUrl } = wallet.ready;

async function orderUrl(): Promise<string> {
  return pageOf((await call(wallet, "submit", newOrder())).order);
}

async function type(code: string) {
  const answer = await fetch(`${walletUrl}/scan`, {
    method: "POST",
    body: new URLSearchParams({ code }),
    redirect: "manual",
  });
  return { status: answer.status, location: answer.headers.get("location"), html: await answer.text() };
}

/** A synthetic photograph: the code in grey on a lighter grey, with a border. */
function pictureOf(text: string, scale = 5): { readonly width: number; readonly bytes: Uint8Array } {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 6 });
  const width = rows.length * scale;
  const bytes = Uint8Array.from({ length: width * width }, (_, at) => {
    const [x, y] = [Math.floor((at % width) / scale), Math.floor(at / width / scale)];
    return rows[y]?.[x] ? 60 : 210;
  });
  return { width, bytes };
}

async function show(width: number, bytes: Uint8Array) {
  const body = new Uint8Array(bytes);
  const answer = await fetch(`${walletUrl}/scan/picture?width=${width}`, { method: "POST", body });
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, string>> };
}

test("a typed order code opens its order, under whatever address it was shown", async () => {
  const url = await orderUrl();
  const { pathname } = new URL(url);
  for (const code of [url, ` ${url}\n`, `https://wallet.example/w${pathname}`]) {
    const { status, location } = await type(code);
    assert.deepEqual([status, location], [303, pathname], code);
  }
});

test("an order code is read from a picture", async () => {
  const url = await orderUrl();
  const { width, bytes } = pictureOf(url);
  const { status, json } = await show(width, bytes);
  assert.equal(status, 200);
  assert.deepEqual(json, { text: url, href: new URL(url).pathname });
});

test("a sticker opens the shop after the buyer has seen the address", async () => {
  const { status, html } = await type("https://shop.example/t/table-7?a=1&b=2");
  assert.equal(status, 200);
  assert.match(html, /This code opens shop\.example/);
  assert.ok(html.includes('href="https://shop.example/t/table-7?a=1&amp;b=2"'));
  const { width, bytes } = pictureOf("https://shop.example/t/table-7");
  assert.equal((await show(width, bytes)).json["href"], "https://shop.example/t/table-7");
});

for (const [code, problem] of [
  ["2810 0002 8312 9077 4512 0953", /a code that a buyer shows/],
  ["http://127.0.0.1/pay/nobody-knows-it", /no such order at this wallet/],
  ["javascript:alert(1)", /No order has this code/],
  ["", /No order has this code/],
] as const) {
  test(`the code "${code}" opens no page, and the reason is shown`, async () => {
    const { status, html } = await type(code);
    assert.equal(status, 404);
    assert.match(html, problem);
  });
}

test("a picture without a code, or without a size, is rejected", async () => {
  const white = new Uint8Array(200 * 200).fill(255);
  assert.equal((await show(200, white)).status, 404);
  for (const [width, length] of [
    [0, 100],
    [300, 1000],
    [1601, 1601],
    [1, 1_601],
    [Number.NaN, 100],
  ] as const)
    assert.equal((await show(width, new Uint8Array(length))).status, 400, `${width} of ${length}`);
  assert.equal((await show(1_600, new Uint8Array(1_600 * 1_600 + 1_600))).status, 400);
  assert.equal((await fetch(`${walletUrl}/scan/picture`)).status, 405);
});

test("codes that are shown on this machine are listed, and the page loads only resources of the wallet", async () => {
  const url = await orderUrl();
  const html = await (await fetch(`${walletUrl}/scan`)).text();
  assert.ok(html.includes(`href="${new URL(url).pathname}"`));
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg))"/g)].map(([, path = ""]) => path);
  assert.deepEqual(loaded, ["/icon.svg", "/style.css", "/script.js", "/scan.js"]);
  for (const path of loaded) {
    const { status, headers } = await fetch(walletUrl + path);
    assert.equal(status, 200);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  }
});
