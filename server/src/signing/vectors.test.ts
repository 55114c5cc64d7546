import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, createHash, sign, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { diagnose } from "./signature-diagnosis.ts";
import { decodeSignature, readSignatureHeader, writeSignatureHeader } from "./signature-header.ts";
import { signedText } from "./signed-text.ts";
import { signatureProblem, timeProblem } from "./verify-signature.ts";

interface SignCase {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly clientId: string;
  readonly time: string;
  readonly key: string;
  readonly keyVersion: number;
  readonly bodyBase64: string;
  readonly contentSha256: string;
  readonly signature: string;
  readonly header: string;
}

interface VerifyCase {
  readonly id: string;
  readonly kind: "response" | "webhook";
  readonly method: string;
  readonly path: string;
  readonly expectedClientId: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bodyBase64: string;
  readonly publicKeys: Readonly<Record<string, string>>;
  readonly now: string;
  readonly toleranceSeconds: number;
  readonly seen?: readonly string[];
  readonly expect: string;
}

const keys = vectors<Record<string, { privatePkcs8: string; publicSpki: string }>>("keys.json");
const { cases: signCases } = vectors<{ cases: readonly SignCase[] }>("sign.json");
const { cases: verifyCases } = vectors<{ cases: readonly VerifyCase[] }>("verify.json");

test("all published vectors are tested", () => {
  assert.equal(signCases.length, 29);
  assert.equal(verifyCases.length, 41);
});

for (const c of signCases) {
  test(`signs as published: ${c.id}`, () => {
    const text = signedText({ ...c, body: Buffer.from(c.bodyBase64, "base64") });
    assert.equal(createHash("sha256").update(text).digest("hex"), c.contentSha256);
    const signature = sign("sha256", text, privateKey(c.key));
    assert.equal(signature.toString("base64"), c.signature);
    assert.equal(writeSignatureHeader(c.keyVersion, signature), c.header);
  });
}

test("the diagnosis finds no mistake in the published vectors, with any key length", () => {
  // The test omits bodies above the size limit of the diagnosis.
  const looked = signCases.filter(({ id }) => id !== "large-64k");
  for (const c of looked) {
    const sent = { ...c, body: Buffer.from(c.bodyBase64, "base64"), host: "" };
    const claimed = publicKey(c.key);
    const found = diagnose({ sent, signature: c.signature, claimedKey: claimed, otherKeys: [] });
    assert.equal(found?.message, "The signature holds.", c.id);
  }
});

for (const c of verifyCases) {
  test(`verifies as published: ${c.id} is ${c.expect}`, () => assert.equal(verdict(c), c.expect));
}

/**
 * The order of checks is part of the contract: presence, syntax, algorithm, key, base64, client, signature, time,
 * replay.
 */
function verdict(c: VerifyCase): string {
  const all = (name: string): string[] =>
    c.headers.filter(([n]) => n.toLowerCase() === name).map(([, value]) => value);
  const header = readSignatureHeader(all("signature"));
  if (typeof header === "string") return header;
  const [time] = all(c.kind === "response" ? "response-time" : "request-time");
  if (time === undefined) return "MISSING_TIME";
  const [clientId] = all("client-id");
  if (clientId !== undefined && clientId !== c.expectedClientId) return "CLIENT_MISMATCH";

  const publicKeys = new Map(
    Object.entries(c.publicKeys).map(([version, name]) => [Number(version), publicKey(name)]),
  );
  const body = Buffer.from(c.bodyBase64, "base64");
  const problem = signatureProblem(header, publicKeys, { ...c, clientId: c.expectedClientId, time, body });
  if (problem) return problem;
  if (c.kind === "response") return "OK";

  const late = timeProblem(time, Date.parse(c.now), c.toleranceSeconds);
  if (late) return late;
  return c.seen?.includes(decodeSignature(header.signature)?.toString("base64") ?? "") ? "REPLAYED" : "OK";
}

function vectors<T>(file: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../../clients/conformance/${file}`, import.meta.url), "utf8"),
  ) as T;
}

function privateKey(name: string): KeyObject {
  return createPrivateKey({
    key: Buffer.from(keys[name]!.privatePkcs8, "base64"),
    format: "der",
    type: "pkcs8",
  });
}

function publicKey(name: string): KeyObject {
  return createPublicKey({ key: Buffer.from(keys[name]!.publicSpki, "base64"), format: "der", type: "spki" });
}
