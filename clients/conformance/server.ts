import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { minorDigits } from "../../server/src/core/currency.ts";
import { isKeyProblem, readPublicKey } from "../../server/src/signing/public-key.ts";
import {
  decodeSignature,
  readSignatureHeader,
  writeSignatureHeader,
} from "../../server/src/signing/signature-header.ts";
import { signedText } from "../../server/src/signing/signed-text.ts";
import { signatureProblem, timeProblem } from "../../server/src/signing/verify-signature.ts";
import { currencies } from "../generator/currencies.ts";
import { findCase, describeDifference, reportCases } from "./report.ts";
import { keyload, findKeyPair, signCases, verifyCases, type VerifyCase } from "./vectors.ts";

/** Runs the cases of the same files with the gateway's own code for signatures, verification and keys. */
await reportCases("sign", signCases, (id) => {
  const each = findCase(signCases, id);
  const text = signedText({ ...each, body: Buffer.from(each.bodyBase64, "base64") });
  if (createHash("sha256").update(text).digest("hex") !== each.contentSha256)
    return "the signed text differs";
  const signature = sign("sha256", text, privateKey(each.key));
  return describeDifference(writeSignatureHeader(each.keyVersion, signature), each.header);
});

await reportCases("verify", verifyCases, (id) => {
  const each = findCase(verifyCases, id);
  return describeDifference(verifyCase(each), each.expect);
});

const serverCases = keyload.cases.filter((each) => each.forServer);
await reportCases("keyload", serverCases, (id) => {
  const { text, expect } = findCase(serverCases, id);
  const key = readPublicKey(text);
  if (isKeyProblem(key)) return expect === "OK" ? key.problem : undefined;
  const isValid = verify("sha256", Buffer.from(keyload.text), key, Buffer.from(keyload.signature, "base64"));
  return describeDifference(isValid ? "OK" : "another key", expect);
});

/** The libraries' table of currencies must be equal to the gateway's table. */
await reportCases("currencies", [{ id: "all" }], () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  const gatewayCurrencies = codes.flatMap((code) => {
    const digits = minorDigits(code);
    return digits === undefined ? [] : [{ code, digits }];
  });
  const libraryCurrencies = currencies.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return describeDifference(libraryCurrencies, gatewayCurrencies);
});

function verifyCase(each: VerifyCase): string {
  const headerValues = (name: string): string[] =>
    each.headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
  const header = readSignatureHeader(headerValues("signature"));
  if (typeof header === "string") return header;
  const [time] = headerValues(each.kind === "response" ? "response-time" : "request-time");
  if (time === undefined) return "MISSING_TIME";
  const [clientId = each.expectedClientId] = headerValues("client-id");
  if (clientId !== each.expectedClientId) return "CLIENT_MISMATCH";
  const publicKeys = new Map(
    Object.entries(each.publicKeys).map(([version, name]) => [Number(version), publicKey(name)]),
  );
  const body = Buffer.from(each.bodyBase64, "base64");
  const problem = signatureProblem(header, publicKeys, { ...each, clientId, time, body });
  if (problem) return problem;
  if (each.kind === "response") return "OK";
  const clockProblem = timeProblem(time, Date.parse(each.now), each.toleranceSeconds);
  if (clockProblem) return clockProblem;
  const replayKey = decodeSignature(header.signature)?.toString("base64") ?? "";
  return each.seen?.includes(replayKey) ? "REPLAYED" : "OK";
}

function privateKey(name: string): KeyObject {
  const der = Buffer.from(findKeyPair(name).privatePkcs8, "base64");
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

function publicKey(name: string): KeyObject {
  const der = Buffer.from(findKeyPair(name).publicSpki, "base64");
  return createPublicKey({ key: der, format: "der", type: "spki" });
}
