import assert from "node:assert/strict";
import { constants, createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { test } from "node:test";
import {
  clientId,
  clientSecret,
  identify,
  signIn,
  startHostileIdentityProvider,
} from "../../test/hostile-identity-provider.ts";
import type { Identity } from "./id-token.ts";

const provider = await startHostileIdentityProvider();
const { issuer } = provider;
const asymmetric = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const weakPairs = [1024, 2040].map((modulusLength) => generateKeyPairSync("rsa", { modulusLength }));
const smallExponent = generateKeyPairSync("rsa", { modulusLength: 2048, publicExponent: 3 });
const seconds = Math.floor(Date.now() / 1000);
const { nonce } = signIn;
const claims = { iss: issuer, aud: clientId, sub: "ada", nonce, iat: seconds - 1, exp: seconds + 600 };
const eddsa = { alg: "EdDSA", kid: "k" };

function jwkOf(key: KeyObject, more: object = {}): object {
  return { ...key.export({ format: "jwk" }), kid: "k", ...more };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

interface Header {
  readonly alg: string;
  readonly [name: string]: unknown;
}

function signToken(payload: object, header: Header = eddsa, key = privateKey): string {
  return signText(`${encode(header)}.${encode(payload)}`, header.alg, key);
}

function signText(text: string, alg: string, key: KeyObject): string {
  const bits = Number(/\d{3}$/.exec(alg)?.[0] ?? 256);
  const isPss = alg.startsWith("PS");
  const options = {
    ...(isPss && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: bits / 8 }),
    // JWS encodes r and s concatenated (RFC 7518); X.509 uses DER.
    dsaEncoding: "ieee-p1363" as const,
  };
  const hash = key.asymmetricKeyType === "ed25519" ? null : `sha${bits}`;
  return `${text}.${sign(hash, Buffer.from(text), { key, ...options }).toString("base64url")}`;
}

function signWithHmac(payload: object, secret: string | Buffer): string {
  const text = `${encode({ alg: "HS256", kid: "k" })}.${encode(payload)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** `identityOf` signs in with a provider that publishes these keys and sends this token. */
function identityOf(token: string, keys: unknown = [jwkOf(publicKey)]): Promise<Identity | undefined> {
  provider.discovery = { id_token_signing_alg_values_supported: [...asymmetric, "HS256", "none"] };
  provider.keys = keys;
  provider.token = { id_token: token };
  return identify(provider.open());
}

test("an ID token is accepted only with the right signature, issuer, audience, nonce and time", async () => {
  assert.deepEqual(await identityOf(signToken(claims)), {
    subject: "ada",
    email: undefined,
    isEmailVerified: false,
    authenticatedAt: undefined,
  });
  const { iat: _, ...timeless } = claims;
  const { exp: __, ...endless } = claims;
  const { nonce: ___, ...nonceless } = claims;
  const evil = generateKeyPairSync("ed25519");
  const wrong = {
    "another issuer": signToken({ ...claims, iss: "https://evil.example" }),
    "the issuer with a slash": signToken({ ...claims, iss: `${issuer}/` }),
    "another audience": signToken({ ...claims, aud: "other" }),
    "for several, and not for us": signToken({ ...claims, aud: [clientId, "other"], azp: "other" }),
    "for several, without azp": signToken({ ...claims, aud: [clientId, "other"] }),
    "for us, requested by another client (azp)": signToken({ ...claims, azp: "other" }),
    "another nonce": signToken({ ...claims, nonce: "m" }),
    "no nonce": signToken(nonceless),
    expired: signToken({ ...claims, exp: seconds - 61 }),
    "exp is no number": signToken({ ...claims, exp: "9999999999" }),
    "no exp": signToken(endless),
    "not valid yet (nbf)": signToken({ ...claims, nbf: seconds + 300 }),
    "nbf is no number": signToken({ ...claims, nbf: "0" }),
    "issued in the future (iat)": signToken({ ...claims, iat: seconds + 300 }),
    "issued long ago (iat)": signToken({ ...claims, iat: seconds - 661 }),
    "no iat": signToken(timeless),
    "iat is no number": signToken({ ...claims, iat: "0" }),
    "no subject": signToken({ ...claims, sub: "" }),
    "a subject of 256 characters": signToken({ ...claims, sub: "a".repeat(256) }),
    "a subject that is no text": signToken({ ...claims, sub: 7 }),
    "another key": signToken(claims, eddsa, evil.privateKey),
    "an unknown key": signToken(claims, { ...eddsa, kid: "other" }),
    "a key in the header": signToken(claims, { alg: "EdDSA", jwk: jwkOf(evil.publicKey) }, evil.privateKey),
    "an address of keys in the header": signToken(
      claims,
      { alg: "EdDSA", jku: `${issuer}/keys` },
      evil.privateKey,
    ),
    "no algorithm": `${signToken(claims, { alg: "none" }).split(".").slice(0, 2).join(".")}.`,
    "no algorithm, and a signature": signToken(claims, { alg: "none" }),
    "no algorithm, in another spelling": signToken(claims, { alg: "None" }),
    "an algorithm that every object has": signToken(claims, { alg: "constructor" }),
    "HS256 with the client secret": signWithHmac(claims, clientSecret),
    "HS256 with the public key's bytes": signWithHmac(
      claims,
      publicKey.export({ type: "spki", format: "der" }),
    ),
    "one of RSA": signToken(claims, { ...eddsa, alg: "RS256" }),
    "something that we must understand": signToken(claims, { ...eddsa, crit: ["x"], x: 1 }),
    "another spelling of the signature": `${signToken(claims)}=`,
    "five parts": `${signToken(claims)}.x.y`,
    "two parts": signToken(claims).split(".").slice(0, 2).join("."),
    empty: "",
  };
  for (const [what, token] of Object.entries(wrong)) assert.equal(await identityOf(token), undefined, what);
});

test("nbf and iat may be one minute in the future (clock skew)", async () => {
  const ahead = Math.floor(Date.now() / 1000) + 59;
  const identity = await identityOf(signToken({ ...claims, nbf: ahead, iat: ahead, exp: ahead + 60 }));
  assert.equal(identity?.subject, "ada");
});

test("a public key is not accepted as an HS256 secret, in any encoding", async () => {
  const keys = [jwkOf(rsa.publicKey)];
  assert.ok(await identityOf(signToken(claims, { ...eddsa, alg: "RS256" }, rsa.privateKey), keys));
  const { n = "" } = rsa.publicKey.export({ format: "jwk" });
  const secrets = {
    PEM: rsa.publicKey.export({ type: "spki", format: "pem" }),
    DER: rsa.publicKey.export({ type: "spki", format: "der" }),
    "the modulus": Buffer.from(n, "base64url"),
    "the modulus as text": n,
  };
  const secretKey = { kty: "oct", kid: "k", k: Buffer.from(clientSecret).toString("base64url") };
  for (const [what, secret] of Object.entries(secrets))
    assert.equal(await identityOf(signWithHmac(claims, secret), keys), undefined, what);
  assert.equal(
    await identityOf(signWithHmac(claims, clientSecret), [secretKey]),
    undefined,
    "a published secret",
  );
});

/**
 * `isAccepted` returns true if a token signed by this key is accepted when the provider publishes the key with these
 * properties.
 */
async function isAccepted(alg: string, key: KeyObject, ...keys: readonly unknown[]): Promise<boolean> {
  return (await identityOf(signToken(claims, { ...eddsa, alg }, key), keys)) !== undefined;
}

const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const pairs = {
  RS: rsa,
  PS: rsa,
  ES256: p256,
  ES384: p384,
  ES512: generateKeyPairSync("ec", { namedCurve: "P-521" }),
  Ed: { privateKey, publicKey },
};

for (const alg of asymmetric)
  test(`an id token that is signed with ${alg} counts`, async () => {
    const pair = Object.entries(pairs).find(([prefix]) => alg.startsWith(prefix))?.[1] ?? rsa;
    assert.ok(await isAccepted(alg, pair.privateKey, jwkOf(pair.publicKey)));
    assert.ok(await isAccepted(alg, pair.privateKey, jwkOf(pair.publicKey, { use: "sig", alg })));
    assert.ok(await isAccepted(alg, pair.privateKey, jwkOf(pair.publicKey, { key_ops: ["verify"] })));
  });

test("the algorithm must be in the provider's discovery document, or be RS256", async () => {
  const keys = [jwkOf(p256.publicKey), jwkOf(rsa.publicKey)];
  const es256 = signToken(claims, { ...eddsa, alg: "ES256" }, p256.privateKey);
  const rs256 = signToken(claims, { ...eddsa, alg: "RS256" }, rsa.privateKey);
  const isAcceptedWith = async (token: string, named: readonly string[] | undefined): Promise<boolean> => {
    provider.discovery = { id_token_signing_alg_values_supported: named };
    provider.keys = keys;
    provider.token = { id_token: token };
    return (await identify(provider.open())) !== undefined;
  };
  assert.ok(await isAcceptedWith(es256, ["ES256"]));
  assert.equal(await isAcceptedWith(rs256, ["ES256"]), false);
  assert.ok(await isAcceptedWith(rs256, undefined));
  assert.equal(await isAcceptedWith(es256, undefined), false);
});

test("weak keys, other curves and keys for another purpose are rejected", async () => {
  for (const weak of weakPairs)
    for (const alg of ["RS256", "PS256"])
      assert.equal(await isAccepted(alg, weak.privateKey, jwkOf(weak.publicKey)), false, `weak ${alg}`);
  assert.equal(
    await isAccepted("RS256", smallExponent.privateKey, jwkOf(smallExponent.publicKey)),
    false,
    "exponent 3",
  );
  assert.equal(
    await isAccepted("RS256", smallExponent.privateKey, jwkOf(rsa.publicKey), jwkOf(smallExponent.publicKey)),
    false,
    "exponent 3 next to another key of this id",
  );
  assert.equal(await isAccepted("ES256", p384.privateKey, jwkOf(p384.publicKey)), false, "P-384 for ES256");
  const wrongPurposes = {
    encryption: { use: "enc" },
    "operations without verify": { key_ops: ["encrypt"] },
    "another algorithm": { alg: "RS512" },
  };
  for (const [what, more] of Object.entries(wrongPurposes))
    assert.equal(await isAccepted("RS256", rsa.privateKey, jwkOf(rsa.publicKey, more)), false, what);
});

test("an invalid key in the set does not affect the others", async () => {
  const broken = [
    { kty: "RSA", kid: "k" },
    { kty: "RSA", kid: "k", n: "AQ", e: "!" },
    { kty: "of the future", kid: "k" },
  ];
  assert.ok(await isAccepted("RS256", rsa.privateKey, ...broken, jwkOf(rsa.publicKey)));
  for (const key of broken) assert.equal(await isAccepted("RS256", rsa.privateKey, key), false);
  assert.equal(await isAccepted("RS256", rsa.privateKey, ...broken), false);
  const malformedKeySets: readonly unknown[] = ["none", [null], {}, null];
  const token = signToken(claims);
  for (const keys of malformedKeySets)
    assert.equal(await identityOf(token, keys), undefined, JSON.stringify(keys));
});

test("a token without a key id is accepted with the key that signed it", async () => {
  const others = [1, 2].map(() => jwkOf(generateKeyPairSync("ed25519").publicKey, { kid: "other" }));
  const token = signToken(claims, { alg: "EdDSA" });
  assert.ok(await identityOf(token, [...others, jwkOf(publicKey)]));
  assert.equal(await identityOf(token, others), undefined);
  const expired = signToken({ ...claims, exp: seconds - 61 }, { alg: "EdDSA" });
  assert.equal(await identityOf(expired, [...others, jwkOf(publicKey)]), undefined);
});

test("a duplicate claim is rejected, even if one of the two is valid", async () => {
  const [head = "", payload = ""] = signToken(claims).split(".");
  const text = Buffer.from(payload, "base64url").toString();
  const duplicates = [text.replace("{", '{"aud":"other",'), text.replace(/\}$/, ',"sub":"grace"}')];
  for (const twice of duplicates) {
    const unsigned = `${head}.${Buffer.from(twice).toString("base64url")}`;
    assert.equal(await identityOf(signText(unsigned, "EdDSA", privateKey)), undefined);
  }
});
