import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import {
  isTokenProblem,
  lifetimeSecondsMax,
  readPersonToken,
  signPersonToken,
  type PersonToken,
} from "./person-token.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const otherKey = generateKeyPairSync("ed25519").privateKey;
const nowMs = Date.parse("2026-11-16T09:30:00Z");
const now = nowMs / 1000;
const options = { audience: "sandbox", keys: new Map([["2026-11", publicKey]]), nowMs };
const key = { kid: "2026-11", privateKey };

const token: PersonToken = {
  iss: "accounts",
  aud: "sandbox",
  sub: "per_1",
  organisation: "org_1",
  kind: "merchant",
  clientIds: ["SANDBOX_5Y1"],
  role: "owner",
  stepUpAt: now - 10,
  iat: now - 5,
  exp: now - 5 + lifetimeSecondsMax,
  jti: "n-1",
};

test("a token signed by accounts is read unchanged", () => {
  assert.deepEqual(readPersonToken(signPersonToken(token, key), options), token);
});

test("two keys are valid during a rotation", () => {
  const next = generateKeyPairSync("ed25519");
  const bothKeys = new Map([...options.keys, ["2026-12", next.publicKey]]);
  const text = signPersonToken(token, { kid: "2026-12", privateKey: next.privateKey });
  assert.equal(readPersonToken(text, options), "unknown key");
  assert.deepEqual(readPersonToken(text, { ...options, keys: bothKeys }), token);
  assert.deepEqual(readPersonToken(signPersonToken(token, key), { ...options, keys: bothKeys }), token);
});

const read = (changed: object): unknown =>
  readPersonToken(signPersonToken({ ...token, ...changed }, key), options);

test("a token is valid only for its minute and its environment", () => {
  assert.equal(read({ aud: "live" }), "other audience");
  assert.equal(read({ iat: now - 60, exp: now }), "expired");
  assert.equal(typeof read({ iat: now - 59, exp: now + 1 }), "object");
  assert.equal(read({ exp: now + 56 }), "too long-lived");
  assert.equal(read({ iat: now + 6, exp: now + 66 }), "too long-lived");
  assert.equal(typeof read({ iat: now + 5, exp: now + 65 }), "object");
});

test("a token with missing or invalid claims is malformed", () => {
  const invalidClaims: readonly object[] = [
    { sub: undefined },
    { sub: "" },
    { sub: "a person" },
    { jti: undefined },
    { jti: 7 },
    { role: "root" },
    { role: "staff-admin" },
    { kind: "staff" },
    { clientIds: "SANDBOX_5Y1" },
    { clientIds: [7] },
    { clientIds: Array.from({ length: 51 }, () => "SANDBOX_5Y1") },
    { iat: "now" },
    { exp: Number.MAX_VALUE },
    { stepUpAt: "just now" },
  ];
  for (const changed of invalidClaims) assert.equal(read(changed), "malformed", JSON.stringify(changed));
});

test("text that is not a token is malformed", () => {
  const good = signPersonToken(token, key);
  for (const text of ["", ".", "..", "a.b", "a.b.c", `${good}.x`, `${good}=`, ` ${good}`, "x".repeat(5_000)])
    assert.equal(readPersonToken(text, options), "malformed", text.slice(0, 20));
});

test("a token signed by another key is forged", () => {
  assert.equal(readPersonToken(signPersonToken(token, { ...key, privateKey: otherKey }), options), "forged");
});

test("a token with one changed character is forged, malformed or of an unknown key", () => {
  const good = signPersonToken(token, key);
  for (let at = 0; at < good.length; at += 1) {
    const other = good[at] === "A" ? "B" : "A";
    const changed = `${good.slice(0, at)}${other}${good.slice(at + 1)}`;
    assert.ok(isTokenProblem(readPersonToken(changed, options)), `character ${at}`);
  }
});

test("the token cannot choose its algorithm", () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const write = (header: object, signature: (signed: Buffer) => Buffer): string => {
    const signed = `${encode(header)}.${encode(token)}`;
    return `${signed}.${signature(Buffer.from(signed)).toString("base64url")}`;
  };
  const pem = publicKey.export({ format: "pem", type: "spki" });
  const kid = "2026-11";
  const forgedTokens: readonly string[] = [
    write({ alg: "none", kid }, () => Buffer.from("x")),
    write({ alg: "HS256", kid }, (signed) => createHmac("sha256", pem).update(signed).digest()),
    write({ alg: "EdDSA" }, (signed) => sign(null, signed, privateKey)),
    write({ alg: "EdDSA", kid, crit: ["b64"], b64: false }, (signed) => sign(null, signed, privateKey)),
  ];
  for (const text of forgedTokens) assert.equal(readPersonToken(text, options), "malformed");
  assert.equal(
    readPersonToken(
      write({ alg: "EdDSA", kid }, () => Buffer.alloc(64)),
      options,
    ),
    "forged",
  );
  assert.deepEqual(
    readPersonToken(
      write({ alg: "EdDSA", kid }, (signed) => sign(null, signed, privateKey)),
      options,
    ),
    token,
  );
});
