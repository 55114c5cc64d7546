import assert from "node:assert/strict";
import { test } from "node:test";
import { decideNewKey, liveKeysMax, type StoredMerchantKey } from "./merchant-key.ts";

const stored = (version: number, isRevoked = false): StoredMerchantKey => ({
  version,
  publicKey: Buffer.from(`key ${version}`),
  isRevoked,
});
const next = Buffer.from("next");

test("a new key gets the next version, also when the newest is revoked", () => {
  assert.deepEqual(decideNewKey([], next), { kind: "add", version: 1 });
  assert.deepEqual(decideNewKey([stored(0), stored(4, true)], next), { kind: "add", version: 5 });
});

test("a key that is there keeps its version, and one that was revoked never comes back", () => {
  const keys = [stored(1, true), stored(2)];
  assert.deepEqual(decideNewKey(keys, Buffer.from("key 2")), { kind: "there already", version: 2 });
  assert.deepEqual(decideNewKey(keys, Buffer.from("key 1")), { kind: "revoked before" });
});

test("there are only so many live keys, and revoked ones do not count", () => {
  const full = Array.from({ length: liveKeysMax }, (_, index) => stored(index + 1));
  assert.deepEqual(decideNewKey(full, next), { kind: "too many" });
  assert.deepEqual(decideNewKey(full, Buffer.from("key 3")), { kind: "there already", version: 3 });
  assert.deepEqual(decideNewKey([...full.slice(1), stored(11, true)], next), { kind: "add", version: 12 });
});
