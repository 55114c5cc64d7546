import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { algorithmOf } from "./algorithm.ts";
import { readSignatureHeader, writeSignatureHeader } from "./signature-header.ts";
import { signedText } from "./signed-text.ts";
import { signatureProblem, providerSignatureProblem } from "./verify-signature.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const edwards = generateKeyPairSync("ed25519");
const otherEdwards = generateKeyPairSync("ed25519");
const parts = {
  method: "POST",
  path: "/provider/1.1/orders/inquire",
  clientId: "acme",
  time: "2026-11-15T09:30:00+00:00",
  body: Buffer.from('{"reference":"4f1c0a9be2"}'),
};
const text = signedText(parts);
const byRsa = sign("sha256", text, rsa.privateKey);
const byEdwards = sign(null, text, edwards.privateKey);

/** The registered key, the algorithm in the header, the signature, and the expected verdict. */
const verdicts: readonly (readonly [KeyObject, string, Buffer, string | undefined])[] = [
  [rsa.publicKey, "RSA256", byRsa, undefined],
  [edwards.publicKey, "Ed25519", byEdwards, undefined],
  // These rows test algorithm confusion: the registered key decides, and the header has to agree.
  [rsa.publicKey, "Ed25519", byRsa, "UNSUPPORTED_ALGORITHM"],
  [rsa.publicKey, "Ed25519", byEdwards, "UNSUPPORTED_ALGORITHM"],
  [edwards.publicKey, "RSA256", byEdwards, "UNSUPPORTED_ALGORITHM"],
  [edwards.publicKey, "RSA256", byRsa, "UNSUPPORTED_ALGORITHM"],
  [edwards.publicKey, "ed25519", byEdwards, "UNSUPPORTED_ALGORITHM"],
  [edwards.publicKey, "none", Buffer.from("-"), "UNSUPPORTED_ALGORITHM"],
  [rsa.publicKey, "RSA256", byEdwards, "MALFORMED_SIGNATURE"],
  [edwards.publicKey, "Ed25519", byRsa, "MALFORMED_SIGNATURE"],
  [edwards.publicKey, "Ed25519", byEdwards.subarray(1), "MALFORMED_SIGNATURE"],
  [edwards.publicKey, "Ed25519", Buffer.concat([byEdwards, Buffer.of(0)]), "MALFORMED_SIGNATURE"],
  [otherEdwards.publicKey, "Ed25519", byEdwards, "MISMATCH"],
  [edwards.publicKey, "Ed25519", Buffer.alloc(64), "MISMATCH"],
];
for (const [key, algorithm, signature, verdict] of verdicts) {
  const what = `${signature.length} bytes as ${algorithm} for a key of ${algorithmOf(key)}`;
  test(`a provider's signature of ${what} is ${verdict ?? "good"}`, async () => {
    const header = `algorithm=${algorithm},keyVersion=7,signature=${encodeURIComponent(signature.toString("base64"))}`;
    assert.equal(await providerSignatureProblem([header], [key], parts), verdict);
  });
}

test("during a provider's key rotation both keys are accepted, and a third one is not", async () => {
  const [before, next, otherKey] = ["before", "next", "otherKey"].map(() => generateKeyPairSync("ed25519"));
  assert.ok(before && next && otherKey);
  const byKey = (key: KeyObject): string =>
    writeSignatureHeader(1, sign(null, signedText(parts), key), "Ed25519");
  const keys = [before.publicKey, next.publicKey] as const;
  for (const { privateKey } of [before, next])
    assert.equal(await providerSignatureProblem([byKey(privateKey)], keys, parts), undefined);
  assert.equal(await providerSignatureProblem([byKey(otherKey.privateKey)], keys, parts), "MISMATCH");
  assert.equal(
    await providerSignatureProblem([byKey(next.privateKey)], [before.publicKey], parts),
    "MISMATCH",
  );
});

test("an Ed25519 signature is valid only for its own text", async () => {
  const header = writeSignatureHeader(1, byEdwards, "Ed25519");
  for (const other of [
    { method: "PUT" },
    { path: "/" },
    { clientId: "b" },
    { time: "1" },
    { body: Buffer.of() },
  ])
    assert.equal(
      await providerSignatureProblem([header], [edwards.publicKey], { ...parts, ...other }),
      "MISMATCH",
    );
});

test("a merchant cannot sign with Ed25519, whatever its key", () => {
  const header = writeSignatureHeader(1, byEdwards, "Ed25519");
  assert.equal(readSignatureHeader([header]), "UNSUPPORTED_ALGORITHM");
  const renamed = readSignatureHeader([writeSignatureHeader(1, byEdwards)]);
  assert.ok(typeof renamed !== "string");
  assert.equal(signatureProblem(renamed, new Map([[1, rsa.publicKey]]), parts), "MALFORMED_SIGNATURE");
});

test("the example on the page of the provider protocol is correct, byte for byte", async () => {
  const page = readFileSync(new URL("../../../docs/reference/provider-protocol.md", import.meta.url), "utf8");
  const [, seed = "", point = "", body = "", signature = ""] =
    /private key \| `(\w{64})`[\s\S]*public key \| `(\w{64})`[\s\S]*body \| `(\{.*?\})`[\s\S]*signature \| `([^`]+)`/.exec(
      page,
    ) ?? [];
  const privateKey = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(seed, "hex")]),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(privateKey);
  assert.equal(publicKey.export({ format: "der", type: "spki" }).subarray(12).toString("hex"), point);
  const example = { ...parts, body: Buffer.from(body) };
  for (const [name, value] of Object.entries({
    path: parts.path,
    clientId: parts.clientId,
    time: parts.time,
  }))
    assert.ok(page.includes(`\`${value}\``), name);
  assert.equal(writeSignatureHeader(1, sign(null, signedText(example), privateKey), "Ed25519"), signature);
  assert.equal(await providerSignatureProblem([signature], [publicKey], example), undefined);
});
