import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { wrap } from "./wrapping.ts";
import { rewrapUnder, unwrapUnder, wrappingKeysOf, wrapUnder } from "./wrapping-keys.ts";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const [onlyOld, both, onlyNew] = [
  wrappingKeysOf(oldKey),
  wrappingKeysOf(newKey, oldKey),
  wrappingKeysOf(newKey),
];
const plain = Buffer.from("a private key");
const byOld = wrapUnder(onlyOld, plain, "here");
const byNew = wrapUnder(both, plain, "here");

test("during a rotation values of both wrapping keys can be decrypted, and the new key wraps", () => {
  assert.deepEqual(unwrapUnder(both, byOld, "here"), plain);
  assert.deepEqual(unwrapUnder(both, byNew, "here"), plain);
  assert.deepEqual(unwrapUnder(onlyNew, byNew, "here"), plain);
});

test("a re-wrapped value needs the new key, and the old value the old key", () => {
  const rewrapped = rewrapUnder(both, byOld, "here");
  assert.ok(rewrapped);
  assert.deepEqual(unwrapUnder(onlyNew, rewrapped, "here"), plain);
  assert.throws(() => unwrapUnder(onlyOld, rewrapped, "here"));
  assert.throws(() => unwrapUnder(onlyNew, byOld, "here"));
});

test("a value under the current key is not wrapped again", () => {
  assert.equal(rewrapUnder(both, byNew, "here"), undefined);
});

test("a value from before key ids can be decrypted with either key, and gets an id", () => {
  const withoutId = wrap(plain, oldKey, "here");
  for (const keys of [onlyOld, both]) assert.deepEqual(unwrapUnder(keys, withoutId, "here"), plain);
  const rewrapped = rewrapUnder(both, withoutId, "here");
  assert.ok(rewrapped);
  assert.deepEqual(unwrapUnder(onlyNew, rewrapped, "here"), plain);
});

test("a value that was copied to another place cannot be decrypted with any key", () => {
  for (const wrapped of [byOld, byNew]) assert.throws(() => unwrapUnder(both, wrapped, "elsewhere"));
});

test("the key id is not the key, nor a prefix of it", () => {
  assert.ok(!byOld.includes(oldKey.subarray(0, 8)));
  assert.deepEqual(byOld.subarray(0, 8), wrapUnder(onlyOld, plain, "elsewhere").subarray(0, 8));
  assert.notDeepEqual(byOld.subarray(0, 8), byNew.subarray(0, 8));
});
