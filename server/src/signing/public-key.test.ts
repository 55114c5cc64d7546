import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { test } from "node:test";
import {
  exportDer,
  isKeyProblem,
  possessionText,
  verifyPossession,
  publicKeyFromDer,
  readPublicKey,
  readProviderKey,
} from "./public-key.ts";
import { signatureProblem } from "./verify-signature.ts";
import { signedText } from "./signed-text.ts";

/** Builds a public key with this number of bits. The key has no private half; the rules check only the public one. */
function rsaKey(bits: number, exponent = 65_537): KeyObject {
  const modulus = randomBytes(Math.ceil(bits / 8));
  modulus[0] = ((modulus[0] ?? 0) & (0xff >> (8 - (bits % 8 || 8)))) | (1 << ((bits - 1) % 8));
  modulus[modulus.length - 1] = (modulus.at(-1) ?? 0) | 1;
  const e = Buffer.from(exponent.toString(16).padStart(6, "0"), "hex");
  const n = modulus.toString("base64url");
  return createPublicKey({ key: { kty: "RSA", n, e: e.toString("base64url") }, format: "jwk" });
}

function pemOf(key: KeyObject): string {
  return key.export({ format: "pem", type: "spki" }).toString();
}

const key = rsaKey(2048);
const pem = pemOf(key);
const bare = exportDer(key).toString("base64");
const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ellipticPair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

for (const [what, text] of [
  ["as PEM", pem],
  ["as PEM with Windows line ends", pem.replaceAll("\n", "\r\n")],
  ["as PEM whose line ends were written out by a settings file", pem.replaceAll("\n", "\\n")],
  ["the same, from Windows", pem.replaceAll("\n", "\\r\\n")],
  ["as PEM on one line", pem.replaceAll("\n", "")],
  ["as PEM, indented, behind a byte order mark", `\uFEFF${pem.replaceAll("\n", "\n    ")}`],
  ["as bare base64", bare],
  ["as bare base64 in lines", bare.replaceAll(/(.{64})/g, "$1\n")],
] as const) {
  test(`a public key is accepted ${what}`, () => {
    const read = readPublicKey(text);
    assert.ok(!isKeyProblem(read), JSON.stringify(read));
    assert.deepEqual(exportDer(read), exportDer(key));
  });
}

for (const bits of [2048, 2050, 3072, 4096]) {
  test(`a key of ${bits} bits is taken`, () => assert.ok(!isKeyProblem(readPublicKey(pemOf(rsaKey(bits))))));
}

const notSpki = /^This is not a public key in SubjectPublicKeyInfo form\.$/;
const wrongPem = /^The key must be one SubjectPublicKeyInfo: a PEM that says BEGIN PUBLIC KEY, once\.$/;
const privateSent = /^This is a private key\. Keep it; send the public key that belongs to it\.$/;
const notBase64 = /^The key is not base64\.$/;
const somethingBehind = /^There is more data after the key, or it is not DER\.$/;
const pkcs1 = pair.publicKey.export({ format: "der", type: "pkcs1" });
const pkcs8 = pair.privateKey.export({ format: "der", type: "pkcs8" });
const elliptic = ellipticPair.publicKey;
const edwards = generateKeyPairSync("ed25519").publicKey;
const pss = generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).publicKey;

for (const [what, text, problem] of [
  ["of 512 bits", pemOf(rsaKey(512)), /^The key has 512 bits; it must have 2048 to 4096\.$/],
  ["of 1024 bits", pemOf(rsaKey(1024)), /^The key has 1024 bits/],
  ["of 2047 bits", pemOf(rsaKey(2047)), /^The key has 2047 bits/],
  ["of 4097 bits", pemOf(rsaKey(4097)), /^The key has 4097 bits/],
  ["of 16384 bits", pemOf(rsaKey(16_384)), /^The key has 16384 bits/],
  ["with the exponent 3", pemOf(rsaKey(2048, 3)), /^The key's exponent is 3; it must be 65537\.$/],
  ["with an even exponent", pemOf(rsaKey(2048, 65_536)), /^The key's exponent is 65536/],
  ["on an elliptic curve", pemOf(elliptic), /^The key is ec; it must be RSA\.$/],
  ["of the Edwards kind", pemOf(edwards), /^The key is ed25519; it must be RSA\.$/],
  ["for another kind of RSA signature", pemOf(pss), /^The key is rsa-pss; it must be RSA\.$/],
  ["that is private", pair.privateKey.export({ format: "pem", type: "pkcs8" }), privateSent],
  [
    "that is private, in the older form",
    pair.privateKey.export({ format: "pem", type: "pkcs1" }),
    privateSent,
  ],
  ["that is private, as bare base64", pkcs8.toString("base64"), privateSent],
  [
    "that is private, as bare base64 of the older form",
    pair.privateKey.export({ format: "der", type: "pkcs1" }).toString("base64"),
    privateSent,
  ],
  [
    "that is private, on an elliptic curve",
    ellipticPair.privateKey.export({ format: "der", type: "sec1" }).toString("base64"),
    privateSent,
  ],
  ["in the older form", pair.publicKey.export({ format: "pem", type: "pkcs1" }), wrongPem],
  ["in the older form, as bare base64", pkcs1.toString("base64"), notSpki],
  ["inside a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", wrongPem],
  ["next to another one", pem + pemOf(rsaKey(2048)), wrongPem],
  ["next to another one, as bare base64", bare + bare, somethingBehind],
  [
    "with something behind it",
    Buffer.concat([exportDer(key), Buffer.from("!")]).toString("base64"),
    somethingBehind,
  ],
  ["with a letter around it", `Dear Tollgate, here is our key:\n${bare}\nRegards!`, notBase64],
  ["that is not there", "", notBase64],
  ["that is only its first line", "-----BEGIN PUBLIC KEY-----", notBase64],
  ["that is a word", "hello", notSpki],
  ["that was cut off", bare.slice(0, 200), notSpki],
] as const) {
  test(`a key ${what} is rejected with a sentence`, () => {
    const read = readPublicKey(text.toString());
    assert.ok(isKeyProblem(read), "It was taken.");
    assert.match(read.problem, problem);
    assert.doesNotMatch(read.problem, /MII/);
  });
}

test("a provider's key may also be Ed25519, but nothing else; its RSA key follows the usual rules", () => {
  for (const providerKey of [edwards, key]) {
    const read = readProviderKey(pemOf(providerKey));
    assert.ok(!isKeyProblem(read), JSON.stringify(read));
    assert.deepEqual(exportDer(read), exportDer(providerKey));
  }
  for (const [text, problem] of [
    [pemOf(elliptic), "The key is ec; it must be RSA or Ed25519."],
    [pemOf(generateKeyPairSync("ed448").publicKey), "The key is ed448; it must be RSA or Ed25519."],
    [pemOf(generateKeyPairSync("x25519").publicKey), "The key is x25519; it must be RSA or Ed25519."],
    [pemOf(rsaKey(1024)), "The key has 1024 bits; it must have 2048 to 4096."],
  ] as const)
    assert.deepEqual(readProviderKey(text), { problem });
});

test("a stored key that violates a newer rule is rejected as well", () => {
  assert.ok(!isKeyProblem(publicKeyFromDer(exportDer(key))));
  assert.ok(isKeyProblem(publicKeyFromDer(exportDer(rsaKey(1024)))));
  assert.ok(isKeyProblem(publicKeyFromDer(new Uint8Array())));
});

test("only the holder of the private key can prove possession, and only for the signed name", () => {
  const proof = sign("sha256", Buffer.from(possessionText("Coffee Lab")), pair.privateKey);
  assert.ok(verifyPossession(pair.publicKey, "Coffee Lab", proof));
  assert.ok(!verifyPossession(pair.publicKey, "Coffee Lap", proof));
  assert.ok(!verifyPossession(key, "Coffee Lab", proof));
  assert.ok(!verifyPossession(pair.publicKey, "Coffee Lab", proof.subarray(1)));
  assert.ok(!verifyPossession(pair.publicKey, "Coffee Lab", Buffer.alloc(0)));
});

test("a key whose bits do not fill its last byte verifies its signatures", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2050 });
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2050);
  const parts = { method: "POST", path: "/a", clientId: "A", time: "1", body: Buffer.from("{}") };
  const signature = sign("sha256", signedText(parts), privateKey).toString("base64");
  const keys = new Map([[1, publicKey]]);
  assert.equal(signatureProblem({ keyVersion: 1, signature }, keys, parts), undefined);
  assert.equal(signatureProblem({ keyVersion: 1, signature }, keys, { ...parts, time: "2" }), "MISMATCH");
});
