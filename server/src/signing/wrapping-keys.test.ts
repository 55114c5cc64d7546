import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { wrap } from "./wrapping.ts";
import {
  rewrapWithCurrentKey,
  unwrapWithAnyKey,
  createWrappingKeys,
  wrapWithCurrentKey,
} from "./wrapping-keys.ts";

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const [onlyOld, both, onlyNew] = [
  createWrappingKeys(oldKey),
  createWrappingKeys(newKey, oldKey),
  createWrappingKeys(newKey),
];
const plain = Buffer.from("a private key");
const byOld = wrapWithCurrentKey(onlyOld, plain, "here");
const byNew = wrapWithCurrentKey(both, plain, "here");

test("during a rotation values of both wrapping keys can be decrypted, and the new key wraps", () => {
  assert.deepEqual(unwrapWithAnyKey(both, byOld, "here"), plain);
  assert.deepEqual(unwrapWithAnyKey(both, byNew, "here"), plain);
  assert.deepEqual(unwrapWithAnyKey(onlyNew, byNew, "here"), plain);
});

test("a re-wrapped value needs the new key, and the old value the old key", () => {
  const rewrapped = rewrapWithCurrentKey(both, byOld, "here");
  assert.ok(rewrapped);
  assert.deepEqual(unwrapWithAnyKey(onlyNew, rewrapped, "here"), plain);
  assert.throws(() => unwrapWithAnyKey(onlyOld, rewrapped, "here"));
  assert.throws(() => unwrapWithAnyKey(onlyNew, byOld, "here"));
});

test("a value under the current key is not wrapped again", () => {
  assert.equal(rewrapWithCurrentKey(both, byNew, "here"), undefined);
});

test("a value from before key ids can be decrypted with either key, and gets an id", () => {
  const withoutId = wrap(plain, oldKey, "here");
  for (const keys of [onlyOld, both]) assert.deepEqual(unwrapWithAnyKey(keys, withoutId, "here"), plain);
  const rewrapped = rewrapWithCurrentKey(both, withoutId, "here");
  assert.ok(rewrapped);
  assert.deepEqual(unwrapWithAnyKey(onlyNew, rewrapped, "here"), plain);
});

test("a value that was copied to another place cannot be decrypted with any key", () => {
  for (const wrapped of [byOld, byNew]) assert.throws(() => unwrapWithAnyKey(both, wrapped, "elsewhere"));
});

test("the key id is not the key, nor a prefix of it", () => {
  assert.ok(!byOld.includes(oldKey.subarray(0, 8)));
  assert.deepEqual(byOld.subarray(0, 8), wrapWithCurrentKey(onlyOld, plain, "elsewhere").subarray(0, 8));
  assert.notDeepEqual(byOld.subarray(0, 8), byNew.subarray(0, 8));
});
