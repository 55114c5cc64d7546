import assert from "node:assert/strict";
import { test } from "node:test";
import { decideNewKey, liveKeysMax, type StoredMerchantKey } from "./merchant-key.ts";

const stored = (version: number, isRevoked = false): StoredMerchantKey => ({
  version,
  publicKey: Buffer.from(`key ${version}`),
  isRevoked,
});
const next = Buffer.from("next");

test("a new key gets the next version, also if the newest is revoked", () => {
  assert.deepEqual(decideNewKey([], next), { kind: "add", version: 1 });
  assert.deepEqual(decideNewKey([stored(0), stored(4, true)], next), { kind: "add", version: 5 });
});

test("an existing key keeps its version, and a revoked one cannot be added again", () => {
  const keys = [stored(1, true), stored(2)];
  assert.deepEqual(decideNewKey(keys, Buffer.from("key 2")), { kind: "there already", version: 2 });
  assert.deepEqual(decideNewKey(keys, Buffer.from("key 1")), { kind: "revoked before" });
});

test("the number of live keys is limited, and revoked ones do not count", () => {
  const full = Array.from({ length: liveKeysMax }, (_, index) => stored(index + 1));
  assert.deepEqual(decideNewKey(full, next), { kind: "too many" });
  assert.deepEqual(decideNewKey(full, Buffer.from("key 3")), { kind: "there already", version: 3 });
  assert.deepEqual(decideNewKey([...full.slice(1), stored(11, true)], next), { kind: "add", version: 12 });
});
