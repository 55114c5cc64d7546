import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { keyIdOf, readPublicKeys } from "./public-keys.ts";

const [first, second] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const pemOf = (key: KeyObject): string => String(key.export({ type: "spki", format: "pem" }));

test("a file can have several keys during a rotation, with or without key ids", () => {
  const text = `${keyIdOf(first.publicKey)}\n${pemOf(first.publicKey)}\n${pemOf(second.publicKey)}`;
  const keys = readPublicKeys(text);
  assert.deepEqual([...keys.keys()], [keyIdOf(first.publicKey), keyIdOf(second.publicKey)]);
  assert.ok(keys.get(keyIdOf(second.publicKey))?.equals(second.publicKey));
});

test("a file without valid public keys is rejected with a reason", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const own = String(first.privateKey.export({ type: "pkcs8", format: "pem" }));
  assert.throws(() => readPublicKeys(""), /no public key/);
  assert.throws(() => readPublicKeys('{ "keys": [] }'), /no public key/);
  assert.throws(() => readPublicKeys(pemOf(first.publicKey) + pemOf(rsa)), /Ed25519/);
  assert.throws(() => readPublicKeys(pemOf(first.publicKey) + own), /private key/);
});
