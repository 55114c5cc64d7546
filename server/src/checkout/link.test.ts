import assert from "node:assert/strict";
import { test } from "node:test";
import { toLink } from "./link.ts";

const linked: readonly (readonly [address: string, url: string, isWebPage: boolean])[] = [
  ["https://shop.example/thanks?a=1&b=2", "https://shop.example/thanks?a=1&b=2", true],
  ["http://127.0.0.1:3000/done", "http://127.0.0.1:3000/done", true],
  ["HTTPS://SHOP.example/", "https://shop.example/", true],
  ["coffeelab://order/1", "coffeelab://order/1", false],
  ["intent://pay#Intent;scheme=wallet;end", "intent://pay#Intent;scheme=wallet;end", false],
];

for (const [address, url, isWebPage] of linked) {
  test(`${address} is linked, and ${isWebPage ? "may be followed" : "only followed by hand"}`, () =>
    assert.deepEqual(toLink(address), { url, isWebPage }));
}

const notLinked = [
  undefined,
  "",
  "/thanks",
  "//shop.example/thanks",
  "shop.example",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox",
  "blob:https://shop.example/1",
  "file:///etc/passwd",
  "about:blank",
];

for (const address of notLinked) {
  test(`${JSON.stringify(address) ?? "no address"} is not linked`, () =>
    assert.equal(toLink(address), undefined));
}
