import assert from "node:assert/strict";
import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { readIdToken, type Expected, type KnownKey } from "./id-token.ts";

const issuer = "https://id.example";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const jwk = jwkOf(publicKey);
const now = new Date("2026-11-16T12:00:00Z");
const seconds = now.getTime() / 1000;
const expected: Expected = { issuer, clientId: "tollgate", nonce: "n", now };
const claims = { iss: issuer, aud: "tollgate", sub: "ada", nonce: "n", iat: seconds - 1, exp: seconds + 60 };

function jwkOf(key: KeyObject, more: object = {}): KnownKey {
  return { ...key.export({ format: "jwk" }), kid: "k", ...more };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signed(
  payload: object,
  header: object = { alg: "EdDSA", kid: "k" },
  key: KeyObject = privateKey,
): string {
  const text = `${encode(header)}.${encode(payload)}`;
  const hash = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

test("an id token counts with this signature, issuer, audience, nonce and time, and not otherwise", () => {
  assert.equal(readIdToken(signed(claims), [jwk], expected)?.subject, "ada");
  const { iat: _, ...timeless } = claims;
  const wrong = {
    "another issuer": signed({ ...claims, iss: "https://evil.example" }),
    "another audience": signed({ ...claims, aud: "other" }),
    "for several, and not for us": signed({ ...claims, aud: ["tollgate", "other"], azp: "other" }),
    "another nonce": signed({ ...claims, nonce: "m" }),
    expired: signed({ ...claims, exp: seconds - 61 }),
    "not valid yet (nbf)": signed({ ...claims, nbf: seconds + 61 }),
    "nbf is no number": signed({ ...claims, nbf: "0" }),
    "issued in the future (iat)": signed({ ...claims, iat: seconds + 61 }),
    "no iat": signed(timeless),
    "iat is no number": signed({ ...claims, iat: "0" }),
    "no subject": signed({ ...claims, sub: "" }),
    "another key": signed(claims, undefined, generateKeyPairSync("ed25519").privateKey),
    "an unknown key": signed(claims, { alg: "EdDSA", kid: "other" }),
    "no algorithm": `${signed(claims, { alg: "none" }).split(".").slice(0, 2).join(".")}.`,
    "a public key as a secret": signed(claims, { alg: "HS256", kid: "k" }),
    "one of RSA": signed(claims, { alg: "RS256", kid: "k" }),
    "something that we must understand": signed(claims, { alg: "EdDSA", kid: "k", crit: ["x"] }),
    "another spelling of the signature": `${signed(claims)}=`,
  };
  for (const [what, text] of Object.entries(wrong))
    assert.equal(readIdToken(text, [jwk], expected), undefined, what);
});

test("nbf and iat may be a minute ahead, for clock skew", () => {
  const ahead = signed({ ...claims, nbf: seconds + 59, iat: seconds + 59 });
  assert.equal(readIdToken(ahead, [jwk], expected)?.subject, "ada");
});

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const rs256 = { alg: "RS256", kid: "k" };

/** Whether a token that this key has signed counts, when the provider publishes the key like this. */
function counts(alg: string, key: KeyObject, ...keys: readonly KnownKey[]): boolean {
  return readIdToken(signed(claims, { alg, kid: "k" }, key), keys, expected) !== undefined;
}

test("RSA of 2048 bits, P-256 and Ed25519 count", () => {
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
  assert.ok(counts("RS256", rsa.privateKey, jwkOf(rsa.publicKey)));
  assert.ok(counts("ES256", p256.privateKey, jwkOf(p256.publicKey, { use: "sig", alg: "ES256" })));
  assert.ok(counts("EdDSA", privateKey, jwkOf(publicKey, { key_ops: ["verify"] })));
});

test("weak keys, other curves and keys for another purpose do not count", () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const small = generateKeyPairSync("rsa", { modulusLength: 2048, publicExponent: 3 });
  assert.equal(counts("RS256", weak.privateKey, jwkOf(weak.publicKey)), false, "RSA of 1024 bits");
  assert.equal(counts("RS256", small.privateKey, jwkOf(small.publicKey)), false, "exponent 3");
  assert.equal(counts("ES256", p384.privateKey, jwkOf(p384.publicKey)), false, "P-384 for ES256");
  const otherwise = {
    encryption: { use: "enc" },
    "operations without verify": { key_ops: ["encrypt"] },
    "another algorithm": { alg: "RS512" },
  };
  for (const [what, more] of Object.entries(otherwise))
    assert.equal(counts("RS256", rsa.privateKey, jwkOf(rsa.publicKey, more)), false, what);
});

test("a broken key in the set does not keep the others from counting", () => {
  const broken = [{ kty: "RSA", kid: "k" }, { kty: "RSA", kid: "k", n: "AQ", e: "!" }, null] as KnownKey[];
  assert.ok(counts("RS256", rsa.privateKey, ...broken, jwkOf(rsa.publicKey)));
  assert.equal(readIdToken(signed(claims, rs256, rsa.privateKey), broken, expected), undefined);
});

test("a duplicate claim is refused, whichever of the two fits", () => {
  const [head = "", payload = ""] = signed(claims).split(".");
  const twice = Buffer.from(payload, "base64url").toString().replace("{", '{"aud":"other",');
  const text = `${head}.${Buffer.from(twice).toString("base64url")}`;
  const token = `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
  assert.equal(readIdToken(token, [jwk], expected), undefined);
});

const waits = { todo: "Waits for openid-client: decision 0067 has three algorithms in a table of our own." };

for (const alg of ["PS256", "ES384", "ES512", "RS384", "RS512"])
  test(`an id token that is signed with ${alg} counts`, waits);

test("the algorithm is one that the provider's discovery document names", waits);
