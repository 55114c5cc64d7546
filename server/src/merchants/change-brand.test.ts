import assert from "node:assert/strict";
import { test } from "node:test";
import { checkoutUrlOf } from "../../test/shop/test-checkout.ts";
import { insertTestPayment } from "../../test/shop/test-payment.ts";
import { call, newMerchant, pathOf, startTestGateway } from "../../test/start/test-gateway.ts";
import { contrastMin, contrastWithWhite, logoBytesMax, detectLogoType } from "./brand.ts";

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database, "Coffee Lab");
const path = pathOf("sandbox", "tollgate/changeBrand");
const change = async (request: object): Promise<Record<string, unknown> & { readonly code: unknown }> => {
  const { json } = await call(gateway.url, merchant, { path, body: JSON.stringify(request) });
  const { result, ...rest } = json;
  return { code: result["resultCode"], ...rest };
};
const png = Buffer.concat([Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), Buffer.alloc(64)]);

async function pageUrl(): Promise<string> {
  const { paymentId } = await insertTestPayment(gateway.database, merchant.clientId, { status: "SUCCESS" });
  return checkoutUrlOf(gateway, merchant.clientId, paymentId);
}

test("a brand is on the page: colour, logo and help address; other parts stay", async () => {
  const url = await pageUrl();
  assert.doesNotMatch(await (await fetch(url)).text(), /class="logo"|colour-/);
  const brand = { colour: "#0B6B3E", supportUrl: "https://shop.example/help" };
  assert.deepEqual(await change(brand), { code: "SUCCESS", ...brand, colour: "#0b6b3e" });
  const whole = { code: "SUCCESS", ...brand, colour: "#0b6b3e", logoType: "image/png" };
  assert.deepEqual(await change({ logo: png.toString("base64") }), whole);
  assert.deepEqual(await change({}), whole);

  const page = await (await fetch(url)).text();
  assert.match(page, /href="https:\/\/shop\.example\/help"/);
  const [, logo = ""] = /class="logo" src="([^"]+)"/.exec(page) ?? [];
  const picture = await fetch(new URL(logo, url));
  assert.equal(picture.headers.get("content-type"), "image/png");
  assert.deepEqual(Buffer.from(await picture.arrayBuffer()), png);
  const [, sheet = ""] = /href="(colour-[^"]+)"/.exec(page) ?? [];
  assert.match(await (await fetch(new URL(sheet, url))).text(), /--button: #0b6b3e/);
  assert.equal((await fetch(new URL("colour-red.css", url))).status, 404);

  assert.deepEqual(await change({ remove: ["LOGO", "COLOUR"] }), {
    code: "SUCCESS",
    supportUrl: brand.supportUrl,
  });
  assert.equal((await fetch(new URL(logo, url))).status, 404);
});

test("another merchant's pages do not change", async () => {
  await change({ colour: "#0b6b3e" });
  const otherMerchant = await newMerchant(gateway.database, "Tea Lab");
  const { paymentId } = await insertTestPayment(gateway.database, otherMerchant.clientId, {
    status: "SUCCESS",
  });
  const url = await checkoutUrlOf(gateway, otherMerchant.clientId, paymentId);
  assert.doesNotMatch(await (await fetch(url)).text(), /colour-/);
});

test("a brand that would harm buyers is refused, and nothing changes", async () => {
  const before = await change({});
  for (const wrong of [
    { colour: "#ffd54a" },
    { colour: "red" },
    { supportUrl: "javascript:alert(1)" },
    { logo: Buffer.from("<svg onload=alert(1)>").toString("base64") },
    { logo: Buffer.concat([png, Buffer.alloc(logoBytesMax)]).toString("base64") },
  ])
    assert.equal((await change(wrong)).code, "PARAM_ILLEGAL", JSON.stringify(wrong).slice(0, 60));
  assert.deepEqual(await change({}), before);
});

test("the contrast is calculated as in WCAG", () => {
  assert.equal(contrastWithWhite("#000000"), 21);
  assert.equal(contrastWithWhite("#ffffff"), 1);
  // The lightest grey with sufficient contrast to white.
  assert.ok(contrastWithWhite("#767676") >= contrastMin);
  assert.ok(contrastWithWhite("#777777") < contrastMin);
});

test("the format of a picture follows from its bytes", () => {
  assert.equal(detectLogoType(png), "image/png");
  assert.equal(detectLogoType(Buffer.from("ffd8ffe0", "hex")), "image/jpeg");
  assert.equal(detectLogoType(Buffer.from("RIFF\0\0\0\0WEBP", "latin1")), "image/webp");
  assert.equal(detectLogoType(Buffer.from("GIF89a")), undefined);
});
