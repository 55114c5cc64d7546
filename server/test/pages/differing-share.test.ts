import assert from "node:assert/strict";
import { test } from "node:test";
import { PNG } from "pngjs";
import { differingShare } from "./differing-share.ts";
import { createPng } from "./one-colour-png.ts";

test("equal images differ in no pixel, and images of two colours in all", () => {
  assert.equal(differingShare(createPng(11, 107, 62), createPng(11, 107, 62)).share, 0);
  assert.equal(differingShare(createPng(11, 107, 62), createPng(200, 30, 30)).share, 1);
});

test("a button of another colour is found and shown in red", () => {
  const image = PNG.sync.read(createPng(255, 255, 255));
  for (let x = 0; x < 16; x += 1)
    for (let y = 0; y < 10; y += 1) image.data.set([11, 107, 62], (y * 80 + x) * 4);
  const { share, difference } = differingShare(createPng(255, 255, 255), PNG.sync.write(image));
  assert.equal(share, 0.05);
  assert.ok(difference);
  assert.deepEqual([...PNG.sync.read(difference).data.subarray(0, 3)], [255, 0, 0]);
});

test("for an image of another size the share is 1", () => {
  const larger = PNG.sync.write(new PNG({ width: 81, height: 40 }));
  assert.deepEqual(differingShare(createPng(0, 0, 0), larger), { share: 1 });
});
