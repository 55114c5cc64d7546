import assert from "node:assert/strict";
import { test } from "node:test";
import { contrastWithWhite } from "../src/brand/contrast.ts";
import { detectLogoType } from "../src/brand/logo.ts";
import {
  findChanges,
  findColourFault,
  isSupportUrl,
  readAppearance,
  type BrandAppearance,
} from "../src/brand/brand-draft.ts";

test("contrast follows WCAG, with the same minimum as the gateway", () => {
  assert.equal(contrastWithWhite("#000000"), 21);
  assert.equal(contrastWithWhite("#ffffff"), 1);
  // The lightest grey with sufficient contrast on white.
  assert.equal(findColourFault("#767676"), undefined);
  assert.equal(findColourFault("#777777"), "faint");
  assert.equal(findColourFault("#0B6B3E"), undefined);
  for (const wrong of ["red", "#fff", "#0b6b3", "0b6b3e", "#0b6b3g", "#0b6b3e0"])
    assert.equal(findColourFault(wrong), "form", wrong);
  assert.equal(findColourFault(""), undefined);
});

test("the image type is detected by the first bytes", () => {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  assert.equal(detectLogoType(bytes("\u0089PNG\r\n\u001a\n rest")), "image/png");
  assert.equal(detectLogoType(bytes("\u00ff\u00d8\u00ff\u00e0")), "image/jpeg");
  assert.equal(detectLogoType(bytes("RIFF\0\0\0\0WEBPVP8 ")), "image/webp");
  for (const other of ["GIF89a", "<svg xmlns", "RIFF\0\0\0\0WAVE", ""])
    assert.equal(detectLogoType(bytes(other)), undefined, other);
});

const png = { type: "image/png", content: "iVBORw0KGgo=" } as const;
const completeBrand: BrandAppearance = {
  colour: "#0b6b3e",
  supportUrl: "https://shop.example/help",
  logo: png,
};
const bare = readAppearance({});

test("only changed values are sent, and an emptied value is removed", () => {
  const { colour, supportUrl } = completeBrand;
  assert.deepEqual(
    readAppearance({ colour, supportUrl, logo: png.content, logoType: png.type }),
    completeBrand,
  );
  assert.equal(findChanges(completeBrand, completeBrand), undefined);
  // The gateway stores colours in lower case.
  assert.equal(findChanges(completeBrand, { ...completeBrand, colour: "#0B6B3E" }), undefined);
  assert.deepEqual(findChanges(bare, completeBrand), { colour, supportUrl, logo: png.content });
  assert.deepEqual(findChanges(completeBrand, bare), { remove: ["COLOUR", "LOGO", "SUPPORT_URL"] });
  assert.deepEqual(findChanges(completeBrand, { ...completeBrand, colour: "#112233", logo: undefined }), {
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
