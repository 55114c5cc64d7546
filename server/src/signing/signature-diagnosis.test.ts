import assert from "node:assert/strict";
import { constants, createHash, generateKeyPairSync, privateEncrypt, sign } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { diagnose, type UnverifiedRequest, type Diagnosis } from "./signature-diagnosis.ts";
import { signedText } from "./signed-text.ts";
import { unchangedVariant, type SentRequest } from "./signature-mistake.ts";
import { candidatesFor, signatureMistakes } from "./signature-candidates.ts";

const [pair, next, gateways, unknown] = Array.from({ length: 4 }, () =>
  generateKeyPairSync("rsa", { modulusLength: 2048 }),
) as [Pair, Pair, Pair, Pair];
type Pair = ReturnType<typeof generateKeyPairSync>;

const body =
  '{"paymentRequestId":"order-1001","order":{"goods":[{"name":"Café <A&B>","url":"https://shop.example/a"}],"gift":true,"note":null},"amount":{"value":"1250","currency":"EUR"}}';
const path = "/ams/sandbox/api/v1/payments/inquiryPayment";
const client = "SANDBOX_5Y0000000000000A";
const time = "1794697099143";
const head = `POST ${path}\n${client}.${time}.`;
const usual = { method: "POST", path, clientId: client, time, host: "gateway.example:8080" };

type Sent = Partial<Omit<SentRequest, "body">> & { readonly body?: string | Buffer };

function sentWith(over: Sent = {}): SentRequest {
  return { ...usual, ...over, body: Buffer.from(over.body ?? body) };
}

const otherKeys: UnverifiedRequest["otherKeys"] = [
  { key: next.publicKey, explanation: "That is your version 2.", isMerchantKey: true },
  { key: gateways.publicKey, explanation: "That is the gateway's own key.", isMerchantKey: false },
];

function findingOf(sent: SentRequest, signature: string | Buffer, claimedKey = pair.publicKey): Diagnosis {
  const value = typeof signature === "string" ? signature : signature.toString("base64");
  const found = diagnose({ sent, signature: value, claimedKey, otherKeys });
  assert.ok(found);
  return found;
}

/** The text that a merchant signed by mistake, written by hand and not taken from the tested table. */
type Case = readonly [mistake: string, signed: string | Buffer, sent?: Sent];

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const spaced = body.replaceAll('":', '": ').replaceAll(',"', ', "');
const value = JSON.parse(body) as { order: { goods: object[] }; amount: object };
const sortedBody =
  '{"amount":{"currency":"EUR","value":"1250"},"order":{"gift":true,"goods":[{"name":"Café <A&B>","url":"https://shop.example/a"}],"note":null},"paymentRequestId":"order-1001"}';
const sortedOutside =
  '{"amount":{"value":"1250","currency":"EUR"},"order":{"goods":[{"name":"Café <A&B>","url":"https://shop.example/a"}],"gift":true,"note":null},"paymentRequestId":"order-1001"}';
const indented = JSON.stringify(value, undefined, 2);

const bodyCases: readonly Case[] = [
  ["last line feed missing", head + body, { body: `${body}\n` }],
  ["line feed added", `${head}${body}\n`],
  ["body minified", head + body, { body: indented }],
  ["body minified", head + body, { body: spaced }],
  ["blanks after commas", head + spaced],
  ["body pretty-printed", head + indented],
  ["body pretty-printed", head + JSON.stringify(value, undefined, "\t")],
  ["keys sorted", head + sortedBody],
  // Mistake: `Object.entries(body).sort()` sorts only the outermost object.
  ["keys sorted", head + sortedOutside],
  // Mistake: `JSON.stringify(body, Object.keys(body).sort())` drops inner fields whose names do not occur in the
  // outermost object.
  ["keys sorted", `${head}{"amount":{},"order":{},"paymentRequestId":"order-1001"}`],
  ["non-ASCII escaped", head + body.replace("é", "\\u00e9")],
  ["non-ASCII escaped", head + body.replace("é", "\\u00E9")],
  ["escapes resolved", head + body, { body: body.replace("é", "\\u00e9") }],
  ["slashes escaped", head + body.replaceAll("/", "\\/")],
  ["slashes not escaped", head + body, { body: body.replaceAll("/", "\\/") }],
  ["HTML characters escaped", head + body.replace("<A&B>", "\\u003cA\\u0026B\\u003e")],
  ["HTML entities", head + body.replace("<A&B>", "&lt;A&amp;B&gt;")],
  ["CRLF became LF", head + indented, { body: indented.replaceAll("\n", "\r\n") }],
  ["LF became CRLF", head + indented.replaceAll("\n", "\r\n"), { body: indented }],
  ["line feeds removed", head + indented.replaceAll("\n", ""), { body: indented }],
  ["body trimmed", head + body, { body: `  ${body}` }],
  ["byte order mark added", `${head}\uFEFF${body}`],
  ["byte order mark left out", head + body, { body: `\uFEFF${body}` }],
  ["signed in Latin-1", Buffer.from(head + body, "latin1")],
  ["signed in ASCII", head + body.replace("é", "?")],
  ["sent in Latin-1", head + body, { body: Buffer.from(body, "latin1") }],
  ["UTF-8 twice", head + body.replace("é", "Ã©")],
  ["body empty", head],
  ["body replaced", `${head}[object Object]`],
  ["body as a string of JSON", head + JSON.stringify(body)],
  ["body as Python prints it", `${head}b'${body}'`],
  [
    "body as Python prints it",
    `${head}${spaced.replaceAll('"', "'").replace("true", "True").replace("null", "None")}`,
  ],
  ["body in base64", head + Buffer.from(body).toString("base64")],
  ["body URL-encoded", head + encodeURIComponent(body)],
  ["digest of the body", head + sha256(body).toString("hex")],
  ["nulls left out", head + body.replace(',"note":null', "")],
  ["body serialized again", `${head}{"a":1,"b":"é"}`, { body: '{"a": 1.0,\n"b": "\\u00e9"}' }],
];

const headCases: readonly Case[] = [
  ["live path", (head + body).replace("/sandbox", "")],
  ["sandbox path", head + body, { path: path.replace("/sandbox", "") }],
  ["full URL", (head + body).replace(path, `https://gateway.example:8080${path}`)],
  ["full URL", (head + body).replace(path, `gateway.example:8080${path}`)],
  ["no leading slash", (head + body).replace(" /ams", " ams")],
  ["no query", head + body, { path: `${path}?a=b` }],
  ["question mark added", (head + body).replace(path, `${path}?`)],
  ["slash at the end", (head + body).replace(path, `${path}/`)],
  ["path lower-case", (head + body).replace(path, path.toLowerCase())],
  ["path without /ams", (head + body).replace(path, path.slice(4))],
  ["end of the path", (head + body).replace(path, "/v1/payments/inquiryPayment")],
  ["path URL-encoded", (head + body).replace(path, encodeURIComponent(path))],
  ["doubled slash", head + body, { path: path.replace("/v1", "//v1") }],
  ["method missing", (head + body).replace("POST ", "")],
  ["method lower-case", (head + body).replace("POST", "post")],
  ["other method", (head + body).replace("POST", "GET")],
  ["client id in other case", (head + body).replace(client, client.toLowerCase())],
  ["client id without SANDBOX_", (head + body).replace("SANDBOX_", "")],
  ["client id with SANDBOX_", head + body, { clientId: client.slice("SANDBOX_".length) }],
  ["client id missing", (head + body).replace(`${client}.`, "")],
  ["time in seconds", (head + body).replace(time, "1794697099")],
  ["time in milliseconds", head + body, { time: "2026-11-14T22:58:19.143Z" }],
  ["time in another form", (head + body).replace(time, "2026-11-14T22:58:19+00:00")],
  ["time in another form", (head + body).replace(time, "2026-11-15T06:58:19+08:00")],
  [
    "time URL-encoded",
    (head + body).replace(time, "2026-11-14T22%3A58%3A19%2B00%3A00"),
    { time: "2026-11-14T22:58:19+00:00" },
  ],
  ["time missing", (head + body).replace(`${time}.`, "")],
  ["time taken twice", (head + body).replace(time, "1794697099156")],
  ["time taken twice", (head + body).replace(time, "1794697098143")],
  ["time taken twice", (head + body).replace(time, "1794697099000")],
  [
    "time taken twice",
    (head + body).replace(time, "2026-11-14T22:58:20+08:00"),
    { time: "2026-11-14T22:58:19+08:00" },
  ],
  [
    "time taken twice",
    (head + body).replace(time, "2026-11-14T22:58:19.139Z"),
    { time: "2026-11-14T22:58:19.143Z" },
  ],
];

const layoutCases: readonly Case[] = [
  ["backslash and n", (head + body).replace("\n", "\\n")],
  ["CRLF after the path", (head + body).replace("\n", "\r\n")],
  ["no line feed after the path", (head + body).replace("\n", "")],
  ["no line feed after the path", (head + body).replace("\n", " ")],
  ["empty line after the path", (head + body).replace("\n", "\n\n")],
  ["method not apart", (head + body).replace("POST ", "POST")],
  ["HTTP version", (head + body).replace(path, `${path} HTTP/1.1`)],
  ["dots missing", head.replaceAll(".", "") + body],
  ["last dot missing", head.replace(/\.$/, "") + body],
  ["other marks for dots", head.replaceAll(".", "\n") + body],
  ["other order", `POST ${path}\n${time}.${client}.${body}`],
  ["headers by name", `POST ${path}\nclient-id: ${client}\nrequest-time: ${time}\n${body}`],
  ["first line missing", `${client}.${time}.${body}`],
  ["only the body", body],
  ["nothing signed", ""],
  ["hashed twice", sha256(head + body)],
  ["hashed twice", sha256(head + body).toString("hex")],
  ["hashed twice", sha256(head + body).toString("base64")],
  ["text in base64", Buffer.from(head + body).toString("base64")],
  ["text URL-encoded", encodeURIComponent(head + body)],
  ["text in UTF-16", Buffer.from(head + body, "utf16le")],
];

const pairs: readonly (readonly [mistakes: readonly [string, string], signed: string, sent?: Sent])[] = [
  // The default output of PHP's json_encode.
  [["non-ASCII escaped", "slashes escaped"], head + body.replace("é", "\\u00e9").replaceAll("/", "\\/")],
  // The default output of Python's json.dumps.
  [["blanks after commas", "non-ASCII escaped"], head + spaced.replace("é", "\\u00e9")],
  [["keys sorted", "blanks after commas"], head + sortedBody.replaceAll('":', '": ').replaceAll(',"', ', "')],
  [["body minified", "live path"], (head + body).replace("/sandbox", ""), { body: indented }],
  [["line feed added", "backslash and n"], `${(head + body).replace("\n", "\\n")}\n`],
  [
    ["live path", "client id without SANDBOX_"],
    (head + body).replace("/sandbox", "").replace("SANDBOX_", ""),
  ],
  [
    ["full URL", "time in seconds"],
    (head + body).replace(path, `https://gateway.example:8080${path}`).replace(time, "1794697099"),
  ],
];

const all: readonly (readonly [readonly string[], string | Buffer, Sent?])[] = [
  ...[...bodyCases, ...headCases, ...layoutCases].map(([mistake, ...rest]) => [[mistake], ...rest] as const),
  ...pairs,
];

for (const [index, [expected, text, sent]] of all.entries()) {
  test(`case ${index}: ${expected.join(", and ")} is named`, () => {
    const found = findingOf(sentWith(sent), sign("sha256", Buffer.from(text), pair.privateKey));
    assert.deepEqual([found.madeBy, found.mistakes], ["claimed key", expected], found.message);
    assert.match(found.message, /^Your key is right, but you signed other bytes: .+\. [A-Z].+\.$/s);
  });
}

test("every mistake of the table has a case", () => {
  const cases = new Set(all.flatMap(([names]) => names));
  assert.deepEqual(new Set(Object.keys(signatureMistakes)), cases);
});

test("the diagnosis shows where the two texts differ", () => {
  const found = findingOf(sentWith(), sign("sha256", Buffer.from(`${head}${body}\n`), pair.privateKey));
  const bytes = Buffer.byteLength(head + body);
  assert.match(
    found.message,
    new RegExp(`The first ${bytes} bytes agree; then you signed 0x0a, and we received nothing more\\.$`),
  );
  const other = findingOf(
    sentWith(),
    sign("sha256", Buffer.from((head + body).replace("\n", "\r\n")), pair.privateKey),
  );
  assert.match(other.message, /The first 48 bytes agree; then you signed 0x0d, and we received 0x0a\.$/);
});

test("for an unknown mistake the diagnosis gives the signed digest", () => {
  const found = findingOf(sentWith(), sign("sha256", Buffer.from("something else"), pair.privateKey));
  assert.deepEqual([found.madeBy, found.mistakes], ["claimed key", undefined]);
  assert.match(
    found.message,
    new RegExp(
      `none of the usual mistakes explains them\\. .+${sha256("something else").toString("hex")}\\.$`,
    ),
  );
});

test("random texts are not diagnosed as a known mistake", () => {
  const property = fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (text) => {
    assert.equal(findingOf(sentWith(), sign("sha256", text, pair.privateKey)).mistakes, undefined);
  });
  fc.assert(property, { numRuns: 60 });
});

test("an almost correct text is diagnosed only if it equals a known mistake byte for byte", () => {
  const right = Buffer.from(head + body);
  const edit = fc.record({
    at: fc.nat(right.length - 1),
    remove: fc.nat(2),
    insert: fc.string({ maxLength: 2 }),
  });
  const property = fc.property(edit, ({ at, remove, insert }) => {
    const text = Buffer.concat([right.subarray(0, at), Buffer.from(insert), right.subarray(at + remove)]);
    const found = findingOf(sentWith(), sign("sha256", text, pair.privateKey)).mistakes;
    if (found === undefined || text.equals(right)) return;
    const meant = [...candidatesFor(sentWith())].filter((guess) => String(guess.mistakes) === String(found));
    assert.ok(
      meant.some((guess) => guess.text.equals(text)),
      String(found),
    );
  });
  fc.assert(property, { numRuns: 60 });
});

test("every body gets a diagnosis", () => {
  const requests = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((json) => Buffer.from(json)),
  );
  const times = fc.oneof(fc.constant(time), fc.string(), fc.constant("2026-11-14T22:58:19.1431234Z"));
  const property = fc.property(requests, times, fc.webPath(), (sent, at, where) => {
    const request = { ...usual, body: sent, time: at, path: where };
    assert.deepEqual(findingOf(request, sign("sha256", signedText(request), pair.privateKey)).mistakes, []);
    for (const guess of candidatesFor(request)) assert.ok(guess.mistakes.length <= 2);
  });
  fc.assert(property, { numRuns: 15 });
});

const right = Buffer.from(head + body);
const pss = (saltLength: number): object => ({ padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
const seals: readonly (readonly [what: string, signature: Buffer, says: RegExp])[] = [
  ["SHA-1", sign("sha1", right, pair.privateKey), /text is right\. It was made with SHA-1: use SHA-256\.$/],
  [
    "SHA-512",
    sign("sha512", right, pair.privateKey),
    /text is right\. It was made with SHA-512: use SHA-256\.$/,
  ],
  ["MD5", sign("md5", right, pair.privateKey), /text is right\. It was made with MD5: use SHA-256\.$/],
  [
    "PSS",
    sign("sha256", right, { key: pair.privateKey, ...pss(32) }),
    /text is right\. It has the padding PSS/,
  ],
  [
    "PSS with the longest salt",
    sign("sha256", right, { key: pair.privateKey, ...pss(constants.RSA_PSS_SALTLEN_MAX_SIGN) }),
    /text is right\. It has the padding PSS/,
  ],
  [
    "PSS with SHA-1",
    sign("sha1", right, { key: pair.privateKey, ...pss(20) }),
    /padding PSS.+It was made with SHA-1: use SHA-256\.$/,
  ],
  [
    "PSS over other bytes",
    sign("sha256", Buffer.from("?"), { key: pair.privateKey, ...pss(32) }),
    /padding PSS.+none of the usual/,
  ],
  ["raw RSA", privateEncrypt(pair.privateKey, sha256(head + body)), /text is right\. It was made by raw RSA/],
];

for (const [what, signature, says] of seals) {
  test(`${what} is recognised`, () => {
    const found = findingOf(sentWith(), signature);
    assert.equal(found.madeBy, "claimed key");
    assert.match(found.message, /^Your key is right\. /);
    assert.match(found.message, says);
  });
}

test("a wrong digest and a mistake are reported together", () => {
  const found = findingOf(
    sentWith(),
    sign("sha1", Buffer.from((head + body).replace("/sandbox", "")), pair.privateKey),
  );
  assert.deepEqual(found.mistakes, ["live path"]);
  assert.match(
    found.message,
    /^Your key is right\. It was made with SHA-1: use SHA-256\. You signed other bytes: the path of live/,
  );
});

const signature = sign("sha256", right, pair.privateKey);
const base64 = signature.toString("base64");
const spelt: readonly (readonly [what: string, value: string, says: RegExp])[] = [
  ["in hexadecimal digits", signature.toString("hex"), /hexadecimal digits: write it in base64\.$/],
  ["in base64 twice", Buffer.from(base64).toString("base64"), /in base64 twice/],
  ["percent-encoded twice", encodeURIComponent(encodeURIComponent(base64)), /percent-encoded twice/],
  ["in lines", encodeURIComponent(base64.replaceAll(/(.{76})/g, "$1\n")), /line breaks/],
  ["in quotes", `"${base64}"`, /quotes/],
  ["with blanks for its plus signs", base64.replaceAll("+", " "), /spaces/],
  ["in reverse order", Buffer.from(signature.toReversed()).toString("base64"), /reverse order/],
];

for (const [what, written, says] of spelt) {
  test(`a signature that is written ${what} is recognised`, () => {
    const found = findingOf(sentWith(), written);
    assert.match(found.message, /^Your key is right\. The signed text is right\. /);
    assert.match(found.message, says);
  });
}

test("another version of the merchant's key, and the gateway's own, are distinguished from an unknown key", () => {
  const by = ({ privateKey }: Pair, text = right): Diagnosis =>
    findingOf(sentWith(), sign("sha256", text, privateKey));
  assert.deepEqual(by(next), {
    madeBy: "other key",
    mistakes: [],
    message: "The signed text is right. That is your version 2.",
  });
  const live = Buffer.from((head + body).replace("/sandbox", ""));
  assert.match(by(next, live).message, /^That is your version 2\. You signed other bytes: the path of live/);
  assert.deepEqual(by(gateways), {
    madeBy: "other key",
    mistakes: undefined,
    message: "That is the gateway's own key.",
  });
  assert.equal(by(unknown).madeBy, "no key that we hold");
  assert.match(
    by(unknown).message,
    /^No key that we hold for you made this signature: it is another key's, or its bytes were changed/,
  );
});

test("a malformed signature belongs to no known key", () => {
  const property = fc.property(
    fc.oneof(fc.string(), fc.base64String(), fc.uint8Array({ minLength: 256, maxLength: 256 })),
    (junk) => {
      const written = typeof junk === "string" ? junk : Buffer.from(junk).toString("base64");
      assert.equal(findingOf(sentWith(), written).madeBy, "no key that we hold");
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test("an unknown key version still lets the other keys be tried", () => {
  const found = diagnose({
    sent: sentWith(),
    signature: sign("sha256", right, next.privateKey).toString("base64"),
    claimedKey: undefined,
    otherKeys,
  });
  assert.deepEqual(found?.madeBy, "other key");
});

test("the work is bounded: a large body is hashed a few times, and a very large one never", () => {
  const large = sentWith({ body: `{"a":"${"x".repeat(60_000)}"}` });
  const found = findingOf(large, sign("sha256", Buffer.from("other"), pair.privateKey));
  assert.equal(found.mistakes, undefined);
  const huge = sentWith({ body: "x".repeat(64 * 1024 + 1) });
  assert.equal(diagnose({ sent: huge, signature: base64, claimedKey: pair.publicKey, otherKeys }), undefined);
  // For a body of normal size, the diagnosis tries every combination of mistakes, with a limited number of texts.
  const texts = [...candidatesFor(sentWith())];
  assert.ok(texts.length < 600, `${texts.length} texts`);
  assert.ok(texts.reduce((sum, { text }) => sum + text.length, 0) < 512 * 1024);
  assert.ok(texts[0]?.text.equals(unchangedVariant(sentWith()).compose(sentWith())));
});
