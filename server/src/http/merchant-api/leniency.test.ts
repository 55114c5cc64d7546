import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, test } from "node:test";
import { operations } from "../../catalog/operations.ts";
import type { Operation } from "../../contract/operation.ts";
import { Amount, Time } from "../../contract/schemas.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { bucketOf } from "../../core/bucket.ts";
import { inquirePayment } from "../../payments/inquire-payment.ts";
import { exportDer } from "../../signing/public-key.ts";
import { exchangeBytes, rawRequest, type HeaderLines } from "../../../test/http/raw-http.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  signedHeaders,
  type ReceivedAnswer,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";
import { bodyBytesMax } from "./admit.ts";

// A test operation with a field of every kind. It returns the values that it has parsed.
const echo = "tollgate/echo";
(operations as Operation[]).push({
  ...inquirePayment,
  path: echo,
  request: {
    type: "object",
    properties: {
      yes: { type: "boolean" },
      count: { type: "integer", minimum: -5 },
      list: { type: "array", items: { type: "integer" } },
      amount: Amount,
      time: Time,
    },
  },
  find: async (_call: unknown, request: object) => ({ understood: request }),
  answer: (record: object) => ({ code: "SUCCESS", ...record }),
} as never);

// Generating keys takes a while, so it happens before the server starts.
const oddKey = generateKeyPairSync("rsa", { modulusLength: 2050 });
const { database, variables } = await prepareTestGateway("sandbox");
const merchant = await newMerchant(database);
const { paymentId, paymentRequestId } = await insertTestPayment(database, merchant.clientId);
const { url, stop } = await serve(readSettings(variables));
after(stop);

const path = pathOf("sandbox", inquiryPath);
const echoPath = pathOf("sandbox", echo);
const body = JSON.stringify({ paymentId });

type Lines = Readonly<Record<string, string>>;

/** How a request differs from a usual one. */
interface Wire {
  /** The signed path. */
  readonly path?: string;
  /** The target that is sent instead of the signed path. */
  readonly target?: string;
  readonly body?: string | Buffer;
  readonly time?: string;
  readonly from?: TestMerchant;
  /** Header lines that replace or extend the usual ones. A list makes one line of each value. */
  readonly lines?: (usual: Lines) => Readonly<Record<string, string | readonly string[]>>;
}

const now = new Date();
const isoSeconds = now.toISOString().slice(0, 19);
const signatureIn = (lines: Lines): string => lines["signature"]?.split("signature=")[1] ?? "";
const rewriteSignature = (write: (value: string) => string) => ({
  lines: (usual: Lines) => ({ signature: write(signatureIn(usual)) }),
});
const typed = (...types: string[]) => ({ lines: () => ({ "content-type": types }) });

const understood: Readonly<Record<string, Wire>> = {
  "a target with scheme and host, of which the path is signed": { target: `https://gateway.example${path}` },
  "the same in capitals and with a port": { target: `HTTP://GATEWAY.EXAMPLE:443${path}` },
  "a doubled slash before the version, signed as it is sent": { path: path.replace("/v1/", "//v1/") },
  "a query, which is signed": { path: `${path}?from=till-7` },
  "the same media type twice": typed("application/json; charset=UTF-8", "application/json; charset=UTF-8"),
  "a media type without a charset": typed("application/json"),
  "a media type in capitals, with quotes and spaces": typed('Application/JSON ; charset="utf8"'),
  "no media type": typed(),
  "an empty agent token": { lines: () => ({ "agent-token": "" }) },
  "unknown headers": {
    lines: () => ({ "x-sdkversion": "2.2", "key-version": "1", accept: "text/plain" }),
  },
  "header names in capitals": {
    lines: (usual) => ({
      signature: [],
      "client-id": [],
      SIGNATURE: usual["signature"] ?? "",
      "Client-Id": usual["client-id"] ?? "",
    }),
  },
  "a time in milliseconds": { time: String(now.getTime()) },
  "a time with Z": { time: `${isoSeconds}Z` },
  "a time with an offset": { time: `${isoSeconds}+00:00` },
  "a time with an offset without a colon": { time: `${isoSeconds}+0000` },
  "a time with seven decimals": { time: `${isoSeconds}.1234567Z` },
  "a time in another zone": {
    time: `${new Date(now.getTime() + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
  },
  "percent escapes in lower case": rewriteSignature(
    (value) =>
      `algorithm=RSA256,keyVersion=1,signature=${value.replaceAll(/%../g, (hex) => hex.toLowerCase())}`,
  ),
  "base64 as it is": rewriteSignature(
    (value) => `algorithm=RSA256,keyVersion=1,signature=${decodeURIComponent(value)}`,
  ),
  "base64 for addresses": rewriteSignature(
    (value) =>
      `algorithm=RSA256,keyVersion=1,signature=${Buffer.from(decodeURIComponent(value), "base64").toString("base64url")}`,
  ),
  "spaces after the commas": rewriteSignature(
    (value) => `algorithm=RSA256, keyVersion=1, signature=${value}`,
  ),
  "another order, and names in capitals": rewriteSignature(
    (value) => `SIGNATURE=${value},KEYVERSION=1,ALGORITHM=RSA256`,
  ),
  "no key version, which is the first": rewriteSignature((value) => `algorithm=RSA256,signature=${value}`),
  "a field that is null": { body: `{"paymentId":null,"paymentRequestId":"${paymentRequestId}"}` },
  "unknown fields": {
    body: `{"paymentId":"${paymentId}","env":{"terminalType":["WEB"]},"paymentid":7}`,
  },
  "JSON with spaces, line feeds and escapes": {
    body: `{\r\n\t"payment\\u0049d" : "\\u003${paymentId[0]}${paymentId.slice(1)}", "a":"\\/" }\n`,
  },
  "a body in pieces of no stated length": {
    body: chunked(body),
    lines: (usual) => ({
      "content-length": [],
      "transfer-encoding": "chunked",
      signature: usual["signature"] ?? "",
    }),
  },
  "a body as long as may be": { body: body.padEnd(bodyBytesMax) },
  "32 levels": { body: `{"paymentId":"${paymentId}","x":${"[".repeat(31)}${"]".repeat(31)}}` },
};

for (const [name, wire] of Object.entries(understood)) {
  test(`understood: ${name}`, async () => {
    const answer = await sendWire(wire);
    assert.deepEqual(answer.json.result["resultCode"], "SUCCESS", answer.text);
    assert.equal(answer.json["paymentId"], paymentId);
    assert.ok(isResponseSigned(answer, wire.path ?? path, merchant.gatewayPublicKey));
  });
}

const normalForms: readonly (readonly [sent: string, understood: object])[] = [
  ['{"yes":true,"count":5,"list":[1,2]}', { yes: true, count: 5, list: [1, 2] }],
  ['{"yes":"true","count":"5","list":["1",2]}', { yes: true, count: 5, list: [1, 2] }],
  ['{"yes":"false","count":"-5","list":null}', { yes: false, count: -5 }],
  ['{"yes":null,"count":null,"other":"5"}', {}],
  // Times in the formats of toISOString(), java.time.Instant and PHP's DATE_ISO8601.
  ['{"time":"2026-11-15T09:30:00.123Z"}', { time: "2026-11-15T09:30:00+00:00" }],
  ['{"time":"2026-11-15T09:30:00Z"}', { time: "2026-11-15T09:30:00+00:00" }],
  ['{"time":"2026-11-15T17:30:00+0800"}', { time: "2026-11-15T17:30:00+08:00" }],
  ['{"time":"2026-11-15T17:30:00+08:00"}', { time: "2026-11-15T17:30:00+08:00" }],
  ['{"amount":{"currency":"EUR","value":"1","note":null}}', { amount: { currency: "EUR", value: "1" } }],
  [
    '{"amount":{"currency":"EUR","value":"9999999999999999"}}',
    { amount: { currency: "EUR", value: "9999999999999999" } },
  ],
];

for (const [sent, expected] of normalForms) {
  test(`${sent} means ${JSON.stringify(expected)}`, async () => {
    const { json } = await sendWire({ path: echoPath, body: sent });
    assert.deepEqual(json["understood"], expected);
  });
}

test("a key whose bit length is not a multiple of eight works", async () => {
  const { publicKey, privateKey } = oddKey;
  await asSuperuser(
    "insert into client_keys (bucket, client_id, version, public_key) values ($1, $2, 2, $3)",
    [bucketOf(merchant.clientId), merchant.clientId, exportDer(publicKey)],
    database.superuserUrl,
  );
  const answer = await sendWire({ from: { ...merchant, privateKey, keyVersion: 2 } });
  assert.equal(answer.json.result["resultCode"], "SUCCESS");
});

const twice = (name: string) => ({
  lines: (usual: Lines) => ({ [name]: [usual[name] ?? "", usual[name] ?? ""] }),
});
const padded = (value: string): string => decodeURIComponent(value);
const field = (json: string): Wire => ({ body: `{"paymentId":"${paymentId}",${json}}` });
const amount = (value: string): Wire => ({
  path: echoPath,
  body: `{"amount":{"currency":"EUR","value":${value}}}`,
});
const onPath = (odd: string): Wire => ({ path: odd });

const refused: Readonly<Record<string, readonly [code: string, wire: Wire]>> = {
  "two signatures": ["PARAM_ILLEGAL", twice("signature")],
  "two client ids": ["PARAM_ILLEGAL", twice("client-id")],
  "two times": ["PARAM_ILLEGAL", twice("request-time")],
  "two hosts": ["PARAM_ILLEGAL", twice("host")],
  "two lengths": ["HTTP 400", twice("content-length")],
  "two media types": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("application/json", "text/plain")],
  "another charset": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("application/json; charset=iso-8859-1")],
  "a form": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("application/x-www-form-urlencoded")],
  "a compressed body": ["MEDIA_TYPE_NOT_ACCEPTABLE", { lines: () => ({ "content-encoding": "gzip" }) }],
  "a client id of other letters": [
    "PARAM_ILLEGAL",
    { lines: () => ({ "client-id": `${merchant.clientId}é` }) },
  ],
  "a time in seconds": ["PARAM_ILLEGAL", { time: String(Math.floor(now.getTime() / 1000)) }],
  "a time without a zone": ["PARAM_ILLEGAL", { time: isoSeconds }],
  "a time with a space": ["PARAM_ILLEGAL", { time: `${isoSeconds.replace("T", " ")}Z` }],
  "an unknown algorithm": [
    "PARAM_ILLEGAL",
    rewriteSignature((value) => `algorithm=RSA512,keyVersion=1,signature=${value}`),
  ],
  "no algorithm": ["PARAM_ILLEGAL", rewriteSignature((value) => `keyVersion=1,signature=${value}`)],
  "a parameter twice": [
    "PARAM_ILLEGAL",
    rewriteSignature((value) => `algorithm=RSA256,keyVersion=1,keyVersion=1,signature=${value}`),
  ],
  "a signature that is a byte short": [
    "INVALID_SIGNATURE",
    rewriteSignature(
      (value) =>
        `algorithm=RSA256,signature=${Buffer.from(padded(value), "base64").subarray(1).toString("base64")}`,
    ),
  ],
  "a signature with bits that mean nothing": [
    "INVALID_SIGNATURE",
    rewriteSignature(
      (value) =>
        `algorithm=RSA256,signature=${padded(value).replace(/.==$/, (end) => `${nextLetter(end)}==`)}`,
    ),
  ],
  "a signature with a space inside": [
    "INVALID_SIGNATURE",
    rewriteSignature(
      (value) => `algorithm=RSA256,signature=${padded(value).slice(0, 9)}%20${padded(value).slice(9)}`,
    ),
  ],
  "a way around by two dots": ["NO_INTERFACE_DEF", onPath(path.replace("/inquiry", "/../payments/inquiry"))],
  "escaped dots": ["NO_INTERFACE_DEF", onPath(path.replace("/inquiry", "/%2e/inquiry"))],
  "an escaped letter": ["NO_INTERFACE_DEF", onPath(path.replace("P", "%50"))],
  "a parameter in the path": ["NO_INTERFACE_DEF", onPath(`${path};a=1`)],
  "a slash at the end": ["NO_INTERFACE_DEF", onPath(`${path}/`)],
  "a doubled slash elsewhere": ["NO_INTERFACE_DEF", onPath(path.replace("/inquiry", "//inquiry"))],
  "a path in other letters": ["NO_INTERFACE_DEF", onPath(path.toLowerCase())],
  "bytes that are not UTF-8": [
    "PARAM_ILLEGAL",
    { body: Buffer.from(`{"paymentId":"${paymentId}","a":"\xff"}`, "latin1") },
  ],
  "a byte order mark": ["PARAM_ILLEGAL", { body: `\uFEFF${body}` }],
  "a key twice": ["PARAM_ILLEGAL", field(`"paymentId":"${paymentId}"`)],
  "a key twice, once escaped": ["PARAM_ILLEGAL", field(`"payment\\u0049d":"${paymentId}"`)],
  "a key twice, deeper down": ["PARAM_ILLEGAL", field(`"a":[{"b":{"c":1,"c":1}}]`)],
  "a key that reaches a prototype": ["PARAM_ILLEGAL", field(`"a":{"__proto__":{}}`)],
  "a NUL": ["PARAM_ILLEGAL", field(`"a":"\\u0000"`)],
  "half of a pair": ["PARAM_ILLEGAL", field(`"a":"\\ud83d"`)],
  "33 levels": ["PARAM_ILLEGAL", field(`"x":${"[".repeat(32)}${"]".repeat(32)}`)],
  "a body of one byte more than may be": ["PARAM_ILLEGAL", { body: body.padEnd(bodyBytesMax + 1) }],
  "a list for a body": ["PARAM_ILLEGAL", { body: `[${body}]` }],
  "no body": ["PARAM_ILLEGAL", { body: "" }],
  "an id with other letters": ["PARAM_ILLEGAL", { body: `{"paymentRequestId":"caf\u00e9"}` }],
  "a word for true": ["PARAM_ILLEGAL", { path: echoPath, body: '{"yes":"yes"}' }],
  "a number for true": ["PARAM_ILLEGAL", { path: echoPath, body: '{"yes":1}' }],
  "half a number": ["PARAM_ILLEGAL", { path: echoPath, body: '{"count":"1.5"}' }],
  "an amount of nothing": ["PARAM_ILLEGAL", amount('"0"')],
  "an amount below nothing": ["PARAM_ILLEGAL", amount('"-1"')],
  "an amount with a leading zero": ["PARAM_ILLEGAL", amount('"01"')],
  "an amount with a point": ["PARAM_ILLEGAL", amount('"1.0"')],
  "an amount with a space": ["PARAM_ILLEGAL", amount('" 1"')],
  "an amount with an exponent": ["PARAM_ILLEGAL", amount('"1e3"')],
  "an amount of 17 digits": ["PARAM_ILLEGAL", amount('"10000000000000000"')],
  "an amount that is a number": ["PARAM_ILLEGAL", amount("1250")],
};

for (const [name, [code, wire]] of Object.entries(refused)) {
  test(`refused: ${name}`, async () => {
    const answer = await sendWire(wire);
    assert.equal(answer.json.result["resultCode"] ?? `HTTP ${answer.status}`, code, answer.text);
    assert.equal(answer.json["paymentId"], undefined);
  });
}

async function sendWire(wire: Wire): Promise<ReceivedAnswer> {
  const { path: signedPath = path, target = signedPath, body: sent = body, from = merchant } = wire;
  // The signature covers the whole body before it is chunked.
  const signed = sent === chunked(body) ? body : sent;
  const time = wire.time ?? String(Date.now());
  const usual: Lines = {
    host: "gateway.example",
    "content-length": String(Buffer.byteLength(sent)),
    "content-type": "application/json; charset=UTF-8",
    ...signedHeaders(from, { path: signedPath, body: signed, time }),
  };
  const lines = Object.entries({ ...usual, ...wire.lines?.(usual) }).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, each] as const),
  ) satisfies HeaderLines;
  const { answers } = await exchangeBytes(url, rawRequest(`POST ${target} HTTP/1.1`, lines, sent));
  assert.ok(answers[0], "There was no answer.");
  return answers[0];
}

function chunked(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

/**
 * The letter that follows in the base64 alphabet. The last letter of padded base64 has four unused bits, so the changed
 * text decodes to the same bytes.
 */
function nextLetter(end: string): string {
  return String.fromCharCode(end.charCodeAt(0) + 1);
}
