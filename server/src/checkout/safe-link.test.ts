import assert from "node:assert/strict";
import { test } from "node:test";
import { merchantLink, walletLink } from "./safe-link.ts";

const sandbox = { environment: "sandbox", linkSchemes: ["coffeelab"] };
const live = { environment: "live", linkSchemes: ["coffeelab"] };

test("links to a merchant may use https, a scheme that it registered, and in the sandbox http", () => {
  for (const rules of [sandbox, live]) {
    assert.deepEqual(merchantLink("HTTPS://SHOP.example/?a=1&b=2", rules), {
      url: "https://shop.example/?a=1&b=2",
      isWebPage: true,
    });
    assert.deepEqual(merchantLink("coffeelab://order/1", rules), {
      url: "coffeelab://order/1",
      isWebPage: false,
    });
  }
  assert.equal(merchantLink("http://127.0.0.1:3000/done", sandbox)?.isWebPage, true);
  assert.equal(merchantLink("http://127.0.0.1:3000/done", live), undefined);
});

test("links to a provider may use the scheme of its app", () => {
  assert.equal(walletLink("https://wallet.example/pay")?.isWebPage, true);
  assert.equal(walletLink("intent://pay#Intent;scheme=wallet;end")?.isWebPage, false);
});

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
  "ms-msdt:/id",
  "search-ms:query=x",
  "view-source:https://shop.example",
  "feed:javascript:alert(1)",
];

for (const address of notLinked) {
  test(`${JSON.stringify(address) ?? "no address"} is not linked`, () => {
    assert.equal(merchantLink(address, sandbox), undefined);
    assert.equal(walletLink(address), undefined);
  });
}

test("schemes that no merchant registered are not linked", () => {
  for (const address of ["intent://pay#Intent;end", "otherapp://x", "ftp://shop.example/", "tel:+49301234"])
    assert.equal(merchantLink(address, sandbox), undefined, address);
});
