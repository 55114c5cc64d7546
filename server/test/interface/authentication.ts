import assert from "node:assert/strict";
import { constants, sign, type SignPrivateKeyInput, verify } from "node:crypto";
import { operations } from "../../src/catalog/operations.ts";
import { requestPayment, actAtProvider, declineOnline, payOnline } from "./payment-actions.ts";
import { inBothEnvironments, provenElsewhere, checked, type Statement } from "./statement.ts";
import {
  assertResult,
  callAs,
  inquire,
  inquireWithHeaders,
  sendTo,
  unknownClientId,
  type PayingEnvironment,
  type TestEnvironment,
  type TestEnvironments,
} from "./test-environments.ts";
import { isResponseSigned, pathOf, signedHeaders, type ReceivedAnswer } from "../start/test-gateway.ts";
import { isWebhookSigned, type ReceivedNotification } from "../start/test-shop.ts";

/** Part 5 of docs/interface.md: authentication. */
export const authenticationStatements: readonly Statement[] = [
  checked("5.1", "every request has to carry a signature", inBothEnvironments(checkSignatureRequired)),
  checked("5.2", "every response carries a signature", inBothEnvironments(checkResponsesSigned)),
  checked("5.3", "every notification carries a signature", ({ sandbox }) => checkWebhooksSigned(sandbox)),
  checked("5.4", "the signature is SHA-256 with RSA", inBothEnvironments(checkOnlySha256WithRsa)),
  checked("5.5", "identity information goes in request headers", inBothEnvironments(checkIdentityHeader)),
  checked("5.6", "signature information goes in request headers", inBothEnvironments(checkSignatureHeader)),
  checked("5.7", "the header client-id is a string", inBothEnvironments(checkClientIdIsText)),
  checked(
    "5.8",
    "the header client-id is the merchant's client ID",
    inBothEnvironments(checkClientIdOfMerchant),
  ),
  checked("5.9", "the header Request-Time is the time of the request", inBothEnvironments(checkRequestTime)),
  checked(
    "5.10",
    "it may be milliseconds since the Unix epoch",
    inBothEnvironments(checkMillisecondsAccepted),
  ),
  checked("5.11", "it may be ISO 8601 with an offset", inBothEnvironments(checkIsoTimesAccepted)),
  checked("5.12", "it has one of these two forms", inBothEnvironments(checkOtherTimesRejected)),
  checked("5.13", "both forms are in use", inBothEnvironments(checkBothTimeFormats)),
  checked(
    "5.14",
    "Signature is algorithm=…,keyVersion=…,signature=…",
    inBothEnvironments(checkSignatureFormat),
  ),
  checked("5.15", "algorithm is RSA256", inBothEnvironments(checkAlgorithm)),
  checked("5.16", "keyVersion is an integer", inBothEnvironments(checkKeyVersionInteger)),
  checked("5.17", "keyVersion is the version of the key pair in use", checkKeyVersionSelectsKey),
  checked("5.18", "signature is the signature value", inBothEnvironments(checkSignatureValue)),
  checked(
    "5.19",
    "the caller validates the signature on responses",
    inBothEnvironments(checkResponsesCanBeValidated),
  ),
  checked("5.20", "the caller validates the signature on notifications", ({ sandbox }) =>
    checkWebhooksCanBeValidated(sandbox),
  ),
  checked("5.21", "the merchant has its client ID before it calls", ({ live }) =>
    checkClientIdRequiredFirst(live),
  ),
  provenElsewhere(
    "5.22",
    "a client ID is obtained in the merchant portal",
    "../../../portal/test/first-payment.slow.ts",
  ),
];

async function checkSignatureRequired(side: TestEnvironment): Promise<void> {
  for (const operation of operations) {
    const sent = { path: pathOf(side.environment, operation.path), body: "{}" };
    const signed = signedHeaders(side.merchant, sent);
    const unsigned = { ...signed, signature: undefined };
    assertResult(await sendTo(side, { ...sent, headers: unsigned }), "PARAM_ILLEGAL");
    // The signature is over a body with one space less.
    const changed = { ...sent, body: "{ }", headers: signed };
    assertResult(await sendTo(side, changed), "INVALID_SIGNATURE");
  }
}

async function checkResponsesSigned({ answers, merchant }: TestEnvironment): Promise<void> {
  for (const { code, answer, path, method } of answers) {
    assertResult(answer, code);
    assert.ok(isResponseSigned(answer, path, merchant.gatewayPublicKey, method), code);
  }
}

/** Checks the signature of webhooks about a paid, a failed and a pending payment. */
async function checkWebhooksSigned(side: PayingEnvironment): Promise<void> {
  const pending = await requestPayment(side);
  await actAtProvider(side, pending.paymentId, "pend");
  for (const { paymentId } of [pending, await payOnline(side), await declineOnline(side)]) {
    const [webhook] = await side.shop.waitForWebhooks(paymentId, 1);
    assert.match(webhook?.headers["signature"] ?? "", /^algorithm=RSA256,keyVersion=\d+,signature=[\w%]+$/);
    assert.ok(webhook && isWebhookSigned(webhook, side.merchant.gatewayPublicKey));
  }
}

async function checkOnlySha256WithRsa(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const { privateKey: key, gatewayPublicKey } = side.merchant;
  const withHash = (hash: string, privateKey: SignPrivateKeyInput) =>
    inquireSigned(side, request, (text) => sign(hash, text, privateKey));
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  assertResult(await withHash("sha512", { key: pem(key) }), "INVALID_SIGNATURE");
  assertResult(await withHash("sha256", { key: pem(key), padding }), "INVALID_SIGNATURE");

  const answer = await withHash("sha256", { key: pem(key) });
  assertResult(answer, "SUCCESS");
  const { text, value } = signedPartsOf(side, answer);
  assert.equal(gatewayPublicKey.asymmetricKeyType, "rsa");
  assert.ok(verify("sha256", text, gatewayPublicKey, value));
}

async function checkIdentityHeader(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  assertResult(await inquire(side, request), "SUCCESS");
  const inTheBody = { ...request, "client-id": side.merchant.clientId, clientId: side.merchant.clientId };
  const answer = await inquireWithHeaders(side, inTheBody, () => ({ "client-id": undefined }));
  assertResult(answer, "PARAM_ILLEGAL");
}

async function checkSignatureHeader(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const sent = { path: side.path, body: JSON.stringify(request) };
  const { signature = "", ...others } = signedHeaders(side.merchant, sent);
  assertResult(await sendTo(side, { ...sent, headers: { ...others, signature } }), "SUCCESS");
  const path = `${side.path}?signature=${encodeURIComponent(signature)}`;
  assertResult(await sendTo(side, { ...sent, path, headers: others }), "PARAM_ILLEGAL");
}

async function checkClientIdIsText(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  assert.match(side.merchant.clientId, /^[A-Z_]*[0-9A-Z]{16}$/);
  assertResult(await inquire(side, request), "SUCCESS");
  for (const clientId of ["", "two words", "{}", "A".repeat(65)]) {
    assertResult(await inquire(side, request, { by: { ...side.merchant, clientId } }), "PARAM_ILLEGAL");
  }
}

async function checkClientIdOfMerchant(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const { merchant, otherMerchant } = side;
  assertResult(await inquire(side, request), "SUCCESS");
  const impostor = { ...otherMerchant, clientId: merchant.clientId };
  assertResult(await inquire(side, request, { by: impostor }), "INVALID_SIGNATURE");
  const invented = { ...merchant, clientId: unknownClientId };
  assertResult(await inquire(side, request, { by: invented }), "UNKNOWN_CLIENT");
}

const hourMs = 3_600_000;

async function checkRequestTime(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const at = (ms: number) => inquire(side, request, { time: String(ms) });
  assertResult(await at(Date.now()), "SUCCESS");
  assertResult(await at(Date.now() - hourMs), "PARAM_ILLEGAL");
  assertResult(await at(Date.now() + hourMs), "PARAM_ILLEGAL");
  const another = await inquireWithHeaders(side, request, () => ({ "request-time": String(Date.now() + 1) }));
  assertResult(another, "INVALID_SIGNATURE");
}

async function checkMillisecondsAccepted(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const time = String(Date.now());
  assert.match(time, /^\d{13}$/);
  assertResult(await inquire(side, request, { time }), "SUCCESS");
}

async function checkIsoTimesAccepted(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  for (const [offset, hours] of [
    ["+00:00", 0],
    ["+08:00", 8],
    ["-05:00", -5],
  ] as const) {
    assertResult(await inquire(side, request, { time: isoTime(offset, hours) }), "SUCCESS");
  }
  // Singapore's local time with the UTC offset zero is eight hours ahead, so the gateway must reject it.
  assertResult(await inquire(side, request, { time: isoTime("+00:00", 8) }), "PARAM_ILLEGAL");
}

async function checkOtherTimesRejected(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const now = new Date();
  const seconds = String(Math.floor(now.getTime() / 1000));
  const local = now.toISOString().slice(0, 19);
  for (const time of [seconds, local, `${local} +00:00`, now.toUTCString(), "now", `${now.getTime()}.5`]) {
    const answer = await inquire(side, request, { time });
    assertResult(answer, "PARAM_ILLEGAL");
    assert.match(answer.json.result["resultMessage"] ?? "", /milliseconds since 1970, or ISO 8601/);
  }
}

async function checkBothTimeFormats(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const inMilliseconds = await inquire(side, request, { time: String(Date.now()) });
  const inIso = await inquire(side, request, { time: isoTime("+00:00", 0) });
  assertResult(inMilliseconds, "SUCCESS");
  assert.equal(inIso.text, inMilliseconds.text);
}

async function checkSignatureFormat(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const withSignature = (change: (value: string) => string) =>
    inquireWithHeaders(side, request, ({ signature = "" }) => ({ signature: change(signature) }));
  const answer = await withSignature((header) => {
    assert.match(header, /^algorithm=RSA256,keyVersion=1,signature=[\w%]+$/);
    return header;
  });
  assertResult(answer, "SUCCESS");
  assert.match(answer.headers["signature"] ?? "", /^algorithm=RSA256,keyVersion=\d+,signature=[\w%]+$/);
  for (const change of invalidForms) assertResult(await withSignature(change), "PARAM_ILLEGAL");
}

const invalidForms: readonly ((header: string) => string)[] = [
  (header) => header.replace(/^.*signature=/, ""),
  (header) => header.replaceAll(",", " "),
  (header) => header.replace(/^algorithm=RSA256,/, ""),
  (header) => header.replace(/,signature=.*$/, ""),
  (header) => `${header},${header}`,
];

async function checkAlgorithm(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const answer = await inquire(side, request);
  assert.match(answer.headers["signature"] ?? "", /^algorithm=RSA256,/);
  for (const other of ["RSA512", "HS256", "none", ""]) {
    const refused = await inquireWithHeaders(side, request, ({ signature = "" }) => ({
      signature: signature.replace("RSA256", other),
    }));
    assertResult(refused, "PARAM_ILLEGAL");
  }
}

async function checkKeyVersionInteger(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const answer = await inquire(side, request);
  assertResult(answer, "SUCCESS");
  assert.match(answer.headers["signature"] ?? "", /,keyVersion=[1-9]\d*,/);
  for (const other of ["one", "1.5", "-1", "0x1", ""]) {
    const refused = await inquireWithHeaders(side, request, ({ signature = "" }) => ({
      signature: signature.replace("keyVersion=1", `keyVersion=${other}`),
    }));
    assertResult(refused, "PARAM_ILLEGAL");
  }
}

/** Checks that the key version in a request selects one of the merchant's two keys. */
async function checkKeyVersionSelectsKey({ sandbox, secondKey }: TestEnvironments): Promise<void> {
  const { otherMerchant } = sandbox;
  const { version, privateKey } = secondKey;
  assert.notEqual(version, otherMerchant.keyVersion);
  const signedBy = (by: typeof otherMerchant, keyVersion: number) =>
    inquire(sandbox, { paymentId: "1" }, { by, keyVersion });
  const withSecond = { ...otherMerchant, privateKey };
  assertResult(await signedBy(otherMerchant, otherMerchant.keyVersion), "ORDER_NOT_EXIST");
  assertResult(await signedBy(withSecond, version), "ORDER_NOT_EXIST");
  assertResult(await signedBy(otherMerchant, version), "INVALID_SIGNATURE");
  assertResult(await signedBy(withSecond, otherMerchant.keyVersion), "INVALID_SIGNATURE");
  assertResult(await signedBy(otherMerchant, version + 1), "KEY_NOT_FOUND");
}

async function checkSignatureValue(side: TestEnvironment): Promise<void> {
  const request = side.paidPayment;
  const { privateKey } = side.merchant;
  const value = (text: Buffer) => sign("sha256", text, privateKey);
  const answer = await inquireSigned(side, request, value);
  assertResult(answer, "SUCCESS");
  assert.equal(signedPartsOf(side, answer).value.length, 256);
  const oneBitOff = await inquireSigned(side, request, (text) => {
    const bytes = value(text);
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    return bytes;
  });
  assertResult(oneBitOff, "INVALID_SIGNATURE");
  assertResult(await inquireSigned(side, request, () => Buffer.alloc(256)), "INVALID_SIGNATURE");
}

/**
 * Checks that a response has everything that its validation needs, and that no part of the response can be replaced.
 */
async function checkResponsesCanBeValidated(side: TestEnvironment): Promise<void> {
  const { gatewayPublicKey, privateKey } = side.merchant;
  const answer = await inquire(side, side.paidPayment);
  const isValid = (changed: ReceivedAnswer, path = side.path, key = gatewayPublicKey) =>
    isResponseSigned(changed, path, key);
  assert.ok(isValid(answer));
  assert.ok(!isValid({ ...answer, text: answer.text.replace("SUCCESS", "PENDING") }));
  const { headers } = answer;
  const later = { ...headers, "response-time": "2099-01-01T00:00:00+00:00" };
  assert.ok(!isValid({ ...answer, headers: later }));
  assert.ok(!isValid({ ...answer, headers: { ...headers, "client-id": side.otherMerchant.clientId } }));
  assert.ok(!isValid(answer, `${side.path}X`));
  assert.ok(!isValid(answer, side.path, privateKey));
}

/** Checks that a merchant can validate webhooks: no part can be forged or changed in transit. */
async function checkWebhooksCanBeValidated(side: PayingEnvironment): Promise<void> {
  const { gatewayPublicKey, privateKey } = side.merchant;
  const { paymentId } = await declineOnline(side);
  const [webhook] = await side.shop.waitForWebhooks(paymentId, 1);
  assert.ok(webhook);
  assert.equal(webhook.headers["client-id"], side.merchant.clientId);
  assert.ok(Math.abs(Date.parse(webhook.headers["request-time"] ?? "") - Date.now()) < 60_000);
  const isValid = (changed: Partial<ReceivedNotification>, key = gatewayPublicKey) =>
    isWebhookSigned({ ...webhook, ...changed }, key);
  assert.ok(isValid({}));
  assert.ok(!isValid({ text: webhook.text.replace('"resultStatus":"F"', '"resultStatus":"S"') }));
  assert.ok(!isValid({ path: webhook.path.replace("shop=1", "shop=2") }));
  const later = { ...webhook.headers, "request-time": "2099-01-01T00:00:00+00:00" };
  assert.ok(!isValid({ headers: later }));
  assert.ok(!isValid({ headers: { ...webhook.headers, "client-id": side.otherMerchant.clientId } }));
  assert.ok(!isValid({}, privateKey));
}

async function checkClientIdRequiredFirst(side: TestEnvironment): Promise<void> {
  const { path, newcomer } = side;
  const sent = { path, body: JSON.stringify({ paymentId: "1" }) };
  const beforeRegistration = { ...newcomer, clientId: unknownClientId };
  assertResult(await callAs(side, beforeRegistration, sent), "UNKNOWN_CLIENT");
  assertResult(await callAs(side, newcomer, sent), "ORDER_NOT_EXIST");
}

/** Sends an inquiry whose signature value another function creates from the text to sign. */
function inquireSigned(
  side: TestEnvironment,
  request: object,
  valueOf: (text: Buffer) => Buffer,
): Promise<ReceivedAnswer> {
  const body = JSON.stringify(request);
  return inquireWithHeaders(side, request, ({ "client-id": clientId, "request-time": time }) => {
    const value = valueOf(Buffer.from(`POST ${side.path}\n${clientId}.${time}.${body}`));
    const encoded = encodeURIComponent(value.toString("base64"));
    return { signature: `algorithm=RSA256,keyVersion=${side.merchant.keyVersion},signature=${encoded}` };
  });
}

/** The signed text of a response, and its signature value. */
function signedPartsOf(
  side: TestEnvironment,
  answer: ReceivedAnswer,
): { readonly text: Buffer; readonly value: Buffer } {
  const { signature = "", "response-time": time, "client-id": clientId } = answer.headers;
  const encoded = signature.replace(/^.*,signature=/, "");
  return {
    text: Buffer.from(`POST ${side.path}\n${clientId}.${time}.${answer.text}`),
    value: Buffer.from(decodeURIComponent(encoded), "base64"),
  };
}

function pem(key: TestEnvironments["secondKey"]["privateKey"]): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString();
}

/** The local time `hours` east of UTC, with the given offset appended. */
function isoTime(offset: string, hours: number): string {
  return new Date(Date.now() + hours * hourMs).toISOString().slice(0, 19) + offset;
}
