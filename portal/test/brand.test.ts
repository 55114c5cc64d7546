import assert from "node:assert/strict";
import { test } from "node:test";
import { contrastWithWhite } from "../src/brand/contrast.ts";
import { logoTypeOf } from "../src/brand/logo.ts";
import { changesTo, colourFault, isSupportUrl, lookOf, type Look } from "../src/brand/brand-draft.ts";

test("contrast follows WCAG, with the same minimum as the gateway", () => {
  assert.equal(contrastWithWhite("#000000"), 21);
  assert.equal(contrastWithWhite("#ffffff"), 1);
  // The lightest grey with sufficient contrast on white.
  assert.equal(colourFault("#767676"), undefined);
  assert.equal(colourFault("#777777"), "faint");
  assert.equal(colourFault("#0B6B3E"), undefined);
  for (const wrong of ["red", "#fff", "#0b6b3", "0b6b3e", "#0b6b3g", "#0b6b3e0"])
    assert.equal(colourFault(wrong), "form", wrong);
  assert.equal(colourFault(""), undefined);
});

test("the image type is detected by the first bytes", () => {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  assert.equal(logoTypeOf(bytes("\u0089PNG\r\n\u001a\n rest")), "image/png");
  assert.equal(logoTypeOf(bytes("\u00ff\u00d8\u00ff\u00e0")), "image/jpeg");
  assert.equal(logoTypeOf(bytes("RIFF\0\0\0\0WEBPVP8 ")), "image/webp");
  for (const other of ["GIF89a", "<svg xmlns", "RIFF\0\0\0\0WAVE", ""])
    assert.equal(logoTypeOf(bytes(other)), undefined, other);
});

const png = { type: "image/png", content: "iVBORw0KGgo=" } as const;
const whole: Look = { colour: "#0b6b3e", supportUrl: "https://shop.example/help", logo: png };
const bare = lookOf({});

test("only changed values are sent, and an emptied value is removed", () => {
  const { colour, supportUrl } = whole;
  assert.deepEqual(lookOf({ colour, supportUrl, logo: png.content, logoType: png.type }), whole);
  assert.equal(changesTo(whole, whole), undefined);
  // The gateway stores colours in lower case.
  assert.equal(changesTo(whole, { ...whole, colour: "#0B6B3E" }), undefined);
  assert.deepEqual(changesTo(bare, whole), { colour, supportUrl, logo: png.content });
  assert.deepEqual(changesTo(whole, bare), { remove: ["COLOUR", "LOGO", "SUPPORT_URL"] });
  assert.deepEqual(changesTo(whole, { ...whole, colour: "#112233", logo: undefined }), {
    colour: "#112233",
    remove: ["LOGO"],
  });
});

test("the support link must be https; the sandbox also accepts http", () => {
  assert.ok(isSupportUrl("https://shop.example/help", "live"));
  assert.ok(isSupportUrl("", "live"));
  assert.ok(isSupportUrl("http://127.0.0.1:3000/help", "sandbox"));
  for (const wrong of [
    "http://shop.example",
    "javascript:alert(1)",
    "shop.example",
    "https://",
    "https://a.example/b c",
  ])
    assert.ok(!isSupportUrl(wrong, "live"), wrong);
});
