import assert from "node:assert/strict";
import { constants, sign, type SignPrivateKeyInput, verify } from "node:crypto";
import { operations } from "../../src/catalog/operations.ts";
import { askForPayment, atTheProvider, declinedOnline, paidOnline } from "./payments.ts";
import { inBoth, proven, shown, type Statement } from "./statements.ts";
import {
  assertResult,
  callAs,
  inquire,
  inquireWithHeaders,
  sendTo,
  unknownClientId,
  type PayingSide,
  type Side,
  type World,
} from "./world.ts";
import { answerIsSigned, pathOf, signedHeaders, type ReceivedAnswer } from "../start/test-gateway.ts";
import { notificationIsSigned, type ReceivedNotification } from "../start/test-shop.ts";

/** Part 5 of docs/interface.md: authentication. */
export const authenticationStatements: readonly Statement[] = [
  shown("5.1", "every request has to carry a signature", inBoth(demandsASignature)),
  shown("5.2", "every response carries a signature", inBoth(signsEveryAnswer)),
  shown("5.3", "every notification carries a signature", ({ sandbox }) => signsEveryNotification(sandbox)),
  shown("5.4", "the signature is SHA-256 with RSA", inBoth(takesSha256WithRsaOnly)),
  shown("5.5", "identity information goes in request headers", inBoth(identityIsAHeader)),
  shown("5.6", "signature information goes in request headers", inBoth(signatureIsAHeader)),
  shown("5.7", "the header client-id is a string", inBoth(clientIdIsText)),
  shown("5.8", "the header client-id is the merchant's client ID", inBoth(clientIdIsTheMerchants)),
  shown("5.9", "the header Request-Time is the time of the request", inBoth(timeIsOfTheRequest)),
  shown("5.10", "it may be milliseconds since the Unix epoch", inBoth(takesMilliseconds)),
  shown("5.11", "it may be ISO 8601 with an offset", inBoth(takesIsoTimes)),
  shown("5.12", "it has one of these two forms", inBoth(takesNoOtherTime)),
  shown("5.13", "both forms are in use", inBoth(takesBothTimes)),
  shown("5.14", "Signature is algorithm=…,keyVersion=…,signature=…", inBoth(signatureHasItsForm)),
  shown("5.15", "algorithm is RSA256", inBoth(algorithmIsRsa256)),
  shown("5.16", "keyVersion is an integer", inBoth(keyVersionIsAnInteger)),
  shown("5.17", "keyVersion is the version of the key pair in use", keyVersionNamesTheKey),
  shown("5.18", "signature is the signature value", inBoth(signatureIsTheValue)),
  shown("5.19", "the caller validates the signature on responses", inBoth(answersCanBeValidated)),
  shown("5.20", "the caller validates the signature on notifications", ({ sandbox }) =>
    notificationsCanBeValidated(sandbox),
  ),
  shown("5.21", "the merchant has its client ID before it calls", ({ live }) => clientIdComesFirst(live)),
  proven(
    "5.22",
    "a client ID is obtained in the merchant portal",
    "../../../portal/test/first-payment.slow.ts",
  ),
];

async function demandsASignature(side: Side): Promise<void> {
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

async function signsEveryAnswer({ answers, merchant }: Side): Promise<void> {
  for (const { code, answer, path, method } of answers) {
    assertResult(answer, code);
    assert.ok(answerIsSigned(answer, path, merchant.gatewayPublicKey, method), code);
  }
}

/** Checks the signature of webhooks about a paid, a failed and a pending payment. */
async function signsEveryNotification(side: PayingSide): Promise<void> {
  const pending = await askForPayment(side);
  await atTheProvider(side, pending.paymentId, "pend");
  for (const { paymentId } of [pending, await paidOnline(side), await declinedOnline(side)]) {
    const [told] = await side.shop.waitForWebhooks(paymentId, 1);
    assert.match(told?.headers["signature"] ?? "", /^algorithm=RSA256,keyVersion=\d+,signature=[\w%]+$/);
    assert.ok(told && notificationIsSigned(told, side.merchant.gatewayPublicKey));
  }
}

async function takesSha256WithRsaOnly(side: Side): Promise<void> {
  const request = side.paid;
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

async function identityIsAHeader(side: Side): Promise<void> {
  const request = side.paid;
  assertResult(await inquire(side, request), "SUCCESS");
  const inTheBody = { ...request, "client-id": side.merchant.clientId, clientId: side.merchant.clientId };
  const answer = await inquireWithHeaders(side, inTheBody, () => ({ "client-id": undefined }));
  assertResult(answer, "PARAM_ILLEGAL");
}

async function signatureIsAHeader(side: Side): Promise<void> {
  const request = side.paid;
  const sent = { path: side.path, body: JSON.stringify(request) };
  const { signature = "", ...others } = signedHeaders(side.merchant, sent);
  assertResult(await sendTo(side, { ...sent, headers: { ...others, signature } }), "SUCCESS");
  const path = `${side.path}?signature=${encodeURIComponent(signature)}`;
  assertResult(await sendTo(side, { ...sent, path, headers: others }), "PARAM_ILLEGAL");
}

async function clientIdIsText(side: Side): Promise<void> {
  const request = side.paid;
  assert.match(side.merchant.clientId, /^[A-Z_]*[0-9A-Z]{16}$/);
  assertResult(await inquire(side, request), "SUCCESS");
  for (const clientId of ["", "two words", "{}", "A".repeat(65)]) {
    assertResult(await inquire(side, request, { by: { ...side.merchant, clientId } }), "PARAM_ILLEGAL");
  }
}

async function clientIdIsTheMerchants(side: Side): Promise<void> {
  const request = side.paid;
  const { merchant, other } = side;
  assertResult(await inquire(side, request), "SUCCESS");
  const impostor = { ...other, clientId: merchant.clientId };
  assertResult(await inquire(side, request, { by: impostor }), "INVALID_SIGNATURE");
  const invented = { ...merchant, clientId: unknownClientId };
  assertResult(await inquire(side, request, { by: invented }), "UNKNOWN_CLIENT");
}

const hourMs = 3_600_000;

async function timeIsOfTheRequest(side: Side): Promise<void> {
  const request = side.paid;
  const at = (ms: number) => inquire(side, request, { time: String(ms) });
  assertResult(await at(Date.now()), "SUCCESS");
  assertResult(await at(Date.now() - hourMs), "PARAM_ILLEGAL");
  assertResult(await at(Date.now() + hourMs), "PARAM_ILLEGAL");
  const another = await inquireWithHeaders(side, request, () => ({ "request-time": String(Date.now() + 1) }));
  assertResult(another, "INVALID_SIGNATURE");
}

async function takesMilliseconds(side: Side): Promise<void> {
  const request = side.paid;
  const time = String(Date.now());
  assert.match(time, /^\d{13}$/);
  assertResult(await inquire(side, request, { time }), "SUCCESS");
}

async function takesIsoTimes(side: Side): Promise<void> {
  const request = side.paid;
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

async function takesNoOtherTime(side: Side): Promise<void> {
  const request = side.paid;
  const now = new Date();
  const seconds = String(Math.floor(now.getTime() / 1000));
  const local = now.toISOString().slice(0, 19);
  for (const time of [seconds, local, `${local} +00:00`, now.toUTCString(), "now", `${now.getTime()}.5`]) {
    const answer = await inquire(side, request, { time });
    assertResult(answer, "PARAM_ILLEGAL");
    assert.match(answer.json.result["resultMessage"] ?? "", /milliseconds since 1970, or ISO 8601/);
  }
}

async function takesBothTimes(side: Side): Promise<void> {
  const request = side.paid;
  const inMilliseconds = await inquire(side, request, { time: String(Date.now()) });
  const inIso = await inquire(side, request, { time: isoTime("+00:00", 0) });
  assertResult(inMilliseconds, "SUCCESS");
  assert.equal(inIso.text, inMilliseconds.text);
}

async function signatureHasItsForm(side: Side): Promise<void> {
  const request = side.paid;
  const withSignature = (change: (value: string) => string) =>
    inquireWithHeaders(side, request, ({ signature = "" }) => ({ signature: change(signature) }));
  const answer = await withSignature((header) => {
    assert.match(header, /^algorithm=RSA256,keyVersion=1,signature=[\w%]+$/);
    return header;
  });
  assertResult(answer, "SUCCESS");
  assert.match(answer.headers["signature"] ?? "", /^algorithm=RSA256,keyVersion=\d+,signature=[\w%]+$/);
  for (const change of otherForms) assertResult(await withSignature(change), "PARAM_ILLEGAL");
}

const otherForms: readonly ((header: string) => string)[] = [
  (header) => header.replace(/^.*signature=/, ""),
  (header) => header.replaceAll(",", " "),
  (header) => header.replace(/^algorithm=RSA256,/, ""),
  (header) => header.replace(/,signature=.*$/, ""),
  (header) => `${header},${header}`,
];

async function algorithmIsRsa256(side: Side): Promise<void> {
  const request = side.paid;
  const answer = await inquire(side, request);
  assert.match(answer.headers["signature"] ?? "", /^algorithm=RSA256,/);
  for (const other of ["RSA512", "HS256", "none", ""]) {
    const refused = await inquireWithHeaders(side, request, ({ signature = "" }) => ({
      signature: signature.replace("RSA256", other),
    }));
    assertResult(refused, "PARAM_ILLEGAL");
  }
}

async function keyVersionIsAnInteger(side: Side): Promise<void> {
  const request = side.paid;
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
async function keyVersionNamesTheKey({ sandbox, secondKey }: World): Promise<void> {
  const { other } = sandbox;
  const { version, privateKey } = secondKey;
  assert.notEqual(version, other.keyVersion);
  const signedBy = (by: typeof other, keyVersion: number) =>
    inquire(sandbox, { paymentId: "1" }, { by, keyVersion });
  const withSecond = { ...other, privateKey };
  assertResult(await signedBy(other, other.keyVersion), "ORDER_NOT_EXIST");
  assertResult(await signedBy(withSecond, version), "ORDER_NOT_EXIST");
  assertResult(await signedBy(other, version), "INVALID_SIGNATURE");
  assertResult(await signedBy(withSecond, other.keyVersion), "INVALID_SIGNATURE");
  assertResult(await signedBy(other, version + 1), "KEY_NOT_FOUND");
}

async function signatureIsTheValue(side: Side): Promise<void> {
  const request = side.paid;
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
async function answersCanBeValidated(side: Side): Promise<void> {
  const { gatewayPublicKey, privateKey } = side.merchant;
  const answer = await inquire(side, side.paid);
  const isValid = (changed: ReceivedAnswer, path = side.path, key = gatewayPublicKey) =>
    answerIsSigned(changed, path, key);
  assert.ok(isValid(answer));
  assert.ok(!isValid({ ...answer, text: answer.text.replace("SUCCESS", "PENDING") }));
  const { headers } = answer;
  const later = { ...headers, "response-time": "2099-01-01T00:00:00+00:00" };
  assert.ok(!isValid({ ...answer, headers: later }));
  assert.ok(!isValid({ ...answer, headers: { ...headers, "client-id": side.other.clientId } }));
  assert.ok(!isValid(answer, `${side.path}X`));
  assert.ok(!isValid(answer, side.path, privateKey));
}

/** Checks that a merchant can validate webhooks: no part can be forged or changed in transit. */
async function notificationsCanBeValidated(side: PayingSide): Promise<void> {
  const { gatewayPublicKey, privateKey } = side.merchant;
  const { paymentId } = await declinedOnline(side);
  const [told] = await side.shop.waitForWebhooks(paymentId, 1);
  assert.ok(told);
  assert.equal(told.headers["client-id"], side.merchant.clientId);
  assert.ok(Math.abs(Date.parse(told.headers["request-time"] ?? "") - Date.now()) < 60_000);
  const isValid = (changed: Partial<ReceivedNotification>, key = gatewayPublicKey) =>
    notificationIsSigned({ ...told, ...changed }, key);
  assert.ok(isValid({}));
  assert.ok(!isValid({ text: told.text.replace('"resultStatus":"F"', '"resultStatus":"S"') }));
  assert.ok(!isValid({ path: told.path.replace("shop=1", "shop=2") }));
  const later = { ...told.headers, "request-time": "2099-01-01T00:00:00+00:00" };
  assert.ok(!isValid({ headers: later }));
  assert.ok(!isValid({ headers: { ...told.headers, "client-id": side.other.clientId } }));
  assert.ok(!isValid({}, privateKey));
}

async function clientIdComesFirst(side: Side): Promise<void> {
  const { path, newcomer } = side;
  const sent = { path, body: JSON.stringify({ paymentId: "1" }) };
  const beforeRegistration = { ...newcomer, clientId: unknownClientId };
  assertResult(await callAs(side, beforeRegistration, sent), "UNKNOWN_CLIENT");
  assertResult(await callAs(side, newcomer, sent), "ORDER_NOT_EXIST");
}

/** Sends an inquiry whose signature value another function creates from the text to sign. */
function inquireSigned(
  side: Side,
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
  side: Side,
  answer: ReceivedAnswer,
): { readonly text: Buffer; readonly value: Buffer } {
  const { signature = "", "response-time": time, "client-id": clientId } = answer.headers;
  const encoded = signature.replace(/^.*,signature=/, "");
  return {
    text: Buffer.from(`POST ${side.path}\n${clientId}.${time}.${answer.text}`),
    value: Buffer.from(decodeURIComponent(encoded), "base64"),
  };
}

function pem(key: World["secondKey"]["privateKey"]): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString();
}

/** The local time `hours` east of UTC, with the given offset appended. */
function isoTime(offset: string, hours: number): string {
  return new Date(Date.now() + hours * hourMs).toISOString().slice(0, 19) + offset;
}
