import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { decodeQR } from "qr/decode.js";
import { qrTextBytesMax, qrCode } from "./qr-code.ts";

test("a wallet app reads the provider's text from the code", () => {
  const code = "https://wallet.example/pay/8KQ2?amount=1250&note=caf\u00E9 \u6C34 \u{1F375}";
  assert.equal(read(code), code);
});

test("any text of a provider can be read from the code", () => {
  const code = fc.string({ minLength: 1, maxLength: 200, unit: "grapheme" });
  fc.assert(
    fc.property(
      code.filter((text) => Buffer.byteLength(text) <= qrTextBytesMax),
      (text) => assert.equal(read(text), text),
    ),
    { numRuns: 25 },
  );
});

test("the longest code can be read, and a longer one is not drawn", () => {
  const longest = "x".repeat(qrTextBytesMax);
  assert.equal(read(longest), longest);
  assert.equal(qrCode(`${longest}x`, "QR code"), undefined);
  assert.equal(qrCode("\u6C34".repeat(qrTextBytesMax / 2), "QR code"), undefined);
});

test("the code has a quiet zone of four modules on all sides", () => {
  const { dark, size } = drawn("https://wallet.example/pay/8KQ2");
  const modules = [...dark].map((place) => [place % size, Math.floor(place / size)] as const);
  const across = modules.map(([x]) => x);
  const down = modules.map(([, y]) => y);
  const borders = [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
  assert.deepEqual(borders, [4, 4, size - 5, size - 5]);
});

test("the label is text", () => {
  assert.match(qrCode("a", '"><script>')?.markup ?? "", /aria-label="&quot;&gt;&lt;script&gt;"/);
});

interface Drawn {
  readonly size: number;
  readonly dark: ReadonlySet<number>;
}

/** Draws the markup's strokes as a browser would. */
function drawn(code: string): Drawn {
  const { markup } = qrCode(code, "QR code") ?? { markup: "" };
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(markup)?.[1]);
  const strokes = /stroke="#000" d="([^"]*)"/.exec(markup)?.[1] ?? "";
  const dark = new Set<number>();
  let x = 0;
  let y = 0;
  for (const [, command, first, second] of strokes.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
    if (command === "M") [x, y] = [Number(first), Math.floor(Number(second))];
    else if (command === "m") x += Number(first);
    else for (let end = x + Number(first); x < end; x += 1) dark.add(y * size + x);
  }
  return { size, dark };
}

function read(code: string): string {
  const scale = 4;
  const { size, dark } = drawn(code);
  const width = size * scale;
  const data = Array.from({ length: width * width }, (_, pixel) => {
    const x = Math.floor((pixel % width) / scale);
    const y = Math.floor(pixel / width / scale);
    const light = dark.has(y * size + x) ? 0 : 255;
    return [light, light, light];
  });
  return decodeQR({ width, height: width, data: Uint8Array.from(data.flat()) });
}
