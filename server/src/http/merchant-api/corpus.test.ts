import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { exchangeBytes, openSocket, rawRequest, type ExchangeOptions } from "../../../test/http/raw-http.ts";
import { startServeProcess } from "../../../test/start/serve-process.ts";
import {
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  signedHeaders,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";
import { bodyBytesMax } from "./admit.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const merchant = await newMerchant(database);
const { paymentId } = await insertTestPayment(database, merchant.clientId);
const path = pathOf("sandbox", inquiryPath);
const body = JSON.stringify({ paymentId });
const monitor = new URL("../../../test/http/stall-monitor.ts", import.meta.url).href;
const gateway = await startServeProcess(variables, ["--import", monitor]);

// The first requests are slow, so these are a warm-up.
for (let count = 0; count < 20; count += 1) await call(gateway.url, merchant, { path, body });
const saidBefore = gateway.stderr();

type Lines = Readonly<Record<string, string | readonly string[]>>;

/** A signed request with additional or replaced headers. A list makes one line of each value. */
function signed(
  lines: Lines = {},
  sent: string | Buffer = body,
  firstLine = `POST ${path} HTTP/1.1`,
): Buffer {
  const usual: Lines = {
    host: "gateway.example",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(sent)),
    ...signedHeaders(merchant, { path, body: sent }),
  };
  const all = Object.entries({ ...usual, ...lines }).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, each] as const),
  );
  return rawRequest(firstLine, all, sent);
}

/** The same signed request with its body in the given chunks. */
function inChunks(chunks: string, lines: Lines = {}): Buffer {
  const whole = signed({ "content-length": [], "transfer-encoding": "chunked", ...lines }).toString("latin1");
  return Buffer.from(whole.replace(body, chunks), "latin1");
}

const lineOf = (index: number, write: (line: string) => string): Buffer => {
  const lines = signed().toString("latin1").split("\r\n");
  lines[index] = write(lines[index] ?? "");
  return Buffer.from(lines.join("\r\n"), "latin1");
};
const headers = (count: number): Lines =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, "1"]));
const size = body.length.toString(16);
const typed = (type: string): Buffer => signed({ "content-type": type });
const page = (firstLine: string): Buffer => rawRequest(firstLine, [["host", "x"]]);

/** Maps request bytes to the expected outcome: a result code, an HTTP status, or a closed connection. */
const wire: Readonly<Record<string, readonly [outcome: string, bytes: Buffer, options?: ExchangeOptions]>> = {
  "64 headers": ["SUCCESS", signed(headers(58))],
  "65 headers": ["PARAM_ILLEGAL", signed(headers(59))],
  "700 headers": ["PARAM_ILLEGAL", signed(headers(700))],
  "a header of 9 kB": ["HTTP 431", signed({ "x-long": "a".repeat(9_000) })],
  "a target of 7 kB": ["NO_INTERFACE_DEF", signed({}, body, `POST ${path}/${"a".repeat(7_000)} HTTP/1.1`)],
  "a target of 9 kB": ["HTTP 431", signed({}, body, `POST ${path}/${"a".repeat(9_000)} HTTP/1.1`)],
  "a folded header": ["HTTP 400", signed({ "request-time": "17\r\n 94" })],
  "NUL in a header": ["HTTP 400", signed({ "x-a": "a\0b" })],
  "CR in a header": ["HTTP 400", signed({ "x-a": "a\rb" })],
  "LF in a header": ["HTTP 400", signed({ "x-a": "a\nb: c" })],
  "a tab in a header": ["SUCCESS", signed({ "x-a": "a\tb" })],
  "a letter beyond ASCII in a header": ["SUCCESS", signed({ "x-a": "caf\xe9" })],
  "a letter beyond ASCII in the client id": ["PARAM_ILLEGAL", signed({ "client-id": "SANDBOX_\xe9" })],
  "a space before the colon": ["HTTP 400", lineOf(1, (line) => line.replace(":", " :"))],
  "a header without a colon": ["HTTP 400", lineOf(1, (line) => `${line}\r\nnothing`)],
  "a header without a name": ["HTTP 400", lineOf(1, (line) => `${line}\r\n: nothing`)],
  "bare line feeds": [
    "HTTP 400",
    Buffer.from(signed().toString("latin1").replaceAll("\r\n", "\n"), "latin1"),
  ],
  "no host": ["HTTP 400", signed({ host: [] })],
  "a target that is a host": ["HTTP 400", signed({}, body, "POST gateway.example:443 HTTP/1.1")],
  "a target that is an asterisk": ["HTTP 404", signed({}, body, "POST * HTTP/1.1")],
  "a target with a backslash": ["HTTP 404", signed({}, body, "POST /\\ams\\api HTTP/1.1")],
  "a target with NUL": ["NO_INTERFACE_DEF", signed({}, body, `POST ${path}%00 HTTP/1.1`)],
  "a target with bytes beyond ASCII": ["HTTP 400", signed({}, body, `POST ${path}\xff HTTP/1.1`)],
  "an absolute target without a path": ["HTTP 404", signed({}, body, "POST http://gateway.example HTTP/1.1")],
  "a tunnel": ["closed", page("CONNECT gateway.example:443 HTTP/1.1")],
  "a method in lower case": ["HTTP 400", signed({}, body, `post ${path} HTTP/1.1`)],
  "an unknown method": ["HTTP 400", signed({}, body, `PAY ${path} HTTP/1.1`)],
  "a rare method": ["METHOD_NOT_SUPPORTED", signed({}, body, `M-SEARCH ${path} HTTP/1.1`)],
  "a length and chunks": ["HTTP 400", signed({ "transfer-encoding": "chunked" })],
  "a length that is negative": ["HTTP 400", signed({ "content-length": "-1" })],
  "a length with a plus": ["HTTP 400", signed({ "content-length": "+49" })],
  "a length in hexadecimal": ["HTTP 400", signed({ "content-length": "0x31" })],
  "a length beyond all": ["HTTP 400", signed({ "content-length": "9".repeat(30) })],
  "a length that is too short": ["HTTP 400", signed({ "content-length": "5" })],
  "a length that is too long": ["HTTP 400", signed({ "content-length": "999" }), { halfClose: true }],
  "a length of 4 GB": ["PARAM_ILLEGAL", signed({ "content-length": "4294967296" })],
  chunks: [
    "SUCCESS",
    inChunks(`1\r\n{\r\n${(body.length - 1).toString(16)}\r\n${body.slice(1)}\r\n0\r\n\r\n`),
  ],
  "a chunk with an extension": ["SUCCESS", inChunks(`${size};a=b\r\n${body}\r\n0\r\n\r\n`)],
  "a chunk with an extension of 20 kB": [
    "HTTP 400",
    inChunks(`${size};a=${"b".repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`),
  ],
  "chunks with a trailer": ["SUCCESS", inChunks(`${size}\r\n${body}\r\n0\r\nclient-id: SANDBOX_1\r\n\r\n`)],
  "a chunk of no size": ["HTTP 400", inChunks(`x\r\n${body}\r\n0\r\n\r\n`)],
  "a chunk beyond all": ["HTTP 400", inChunks(`${"F".repeat(20)}\r\n${body}\r\n0\r\n\r\n`)],
  "a chunk longer than it says": ["HTTP 400", inChunks(`1\r\n${body}\r\n0\r\n\r\n`)],
  "chunks of more than may be": ["PARAM_ILLEGAL", inChunks(`50000\r\n${"a".repeat(0x50000)}\r\n0\r\n\r\n`)],
  "chunks that never end": ["HTTP 400", inChunks(`${size}\r\n${body}\r\n`), { halfClose: true }],
  "chunks twice": [
    "HTTP 400",
    inChunks(`${size}\r\n${body}\r\n0\r\n\r\n`, { "transfer-encoding": "chunked, identity" }),
  ],
  "chunks by another name": [
    "HTTP 400",
    inChunks(`${size}\r\n${body}\r\n0\r\n\r\n`, { "transfer-encoding": "xchunked" }),
  ],
  "with expect: 100-continue": ["SUCCESS", signed({ expect: "100-continue" })],
  "expecting something else": ["HTTP 417", signed({ expect: "a-miracle" })],
  "another protocol on offer": ["SUCCESS", signed({ connection: "upgrade", upgrade: "websocket" })],
  "HTTP/2 on offer": ["SUCCESS", signed({ connection: "Upgrade, HTTP2-Settings", upgrade: "h2c" })],
  "HTTP/1.0": ["SUCCESS", signed({}, body, `POST ${path} HTTP/1.0`)],
  "HTTP/0.9": ["METHOD_NOT_SUPPORTED", Buffer.from(`GET ${path}\r\n\r\n`)],
  "HTTP/3.1": ["HTTP 400", signed({}, body, `POST ${path} HTTP/3.1`)],
  "the preface of HTTP/2": ["HTTP 400", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")],
  "the hello of TLS": ["HTTP 400", Buffer.from("16030100c8010000c40303", "hex")],
  "the banner of SSH": ["HTTP 400", Buffer.from("SSH-2.0-OpenSSH_9.2\r\n")],
  "256 bytes, each another": ["HTTP 400", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  "empty lines": ["closed", Buffer.from("\r\n".repeat(500)), { halfClose: true }],
  nothing: ["closed", Buffer.alloc(0), { halfClose: true }],
  "half a head": ["HTTP 400", signed().subarray(0, 80), { halfClose: true }],
  "half a body": ["HTTP 400", signed().subarray(0, -20), { halfClose: true }],
  // A half-closed connection has a race between the response and the close: either may come first.
  "a whole request and an early end": ["closed or SUCCESS", signed(), { halfClose: true }],
  "a compressed body": ["MEDIA_TYPE_NOT_ACCEPTABLE", signed({ "content-encoding": "gzip" }, gzipSync(body))],
  "a compressed bomb": [
    "MEDIA_TYPE_NOT_ACCEPTABLE",
    signed({ "content-encoding": "gzip" }, gzipSync(Buffer.alloc(50_000_000))),
  ],
  "a compressed body that does not say so": ["PARAM_ILLEGAL", signed({}, gzipSync(body))],
  "no media type": ["SUCCESS", signed({ "content-type": [] })],
  "an empty media type": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("")],
  "half a media type": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("application/")],
  "a media type of spaces": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed(`application/json${" ".repeat(7_000)};x`)],
  "UTF-16": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("application/json; charset=utf-16")],
  "a form with files": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("multipart/form-data; boundary=x")],
  "JSON of another kind": ["MEDIA_TYPE_NOT_ACCEPTABLE", typed("application/vnd.api+json")],
  "a page that is not there": ["HTTP 404", page("GET /wp-login.php HTTP/1.1")],
  "a page with a bad escape": ["HTTP 400", page("GET /%zz HTTP/1.1")],
  "a page beyond the root": ["HTTP 404", page("GET /../../etc/passwd HTTP/1.1")],
  "a page that is posted to": [
    "HTTP 404",
    rawRequest(
      "POST /livez HTTP/1.1",
      [
        ["host", "x"],
        ["content-length", "2"],
      ],
      "{}",
    ),
  ],
};

for (const [name, [outcome, bytes, options]] of Object.entries(wire)) {
  test(`on the wire: ${name}`, async () => {
    const came = await outcomeOf(bytes, options);
    assert.ok(outcome.split(" or ").includes(came), `${came}, and not ${outcome}`);
  });
}

test("on the wire: fifty pipelined requests are answered in order", async () => {
  // Every fifth request queries the database, so that the pipelined ones behind it wait.
  const bodies = Array.from({ length: 50 }, (_, index) =>
    index % 5 === 0 ? body : `{"paymentId":${index}}`,
  );
  const bytes = Buffer.concat(bodies.map((sent) => signed({}, sent)));
  const { answers } = await exchangeBytes(gateway.url, bytes, { answerCount: 50 });
  assert.deepEqual(
    answers.map(({ json }) => json.result["resultCode"]),
    bodies.map((sent) => (sent === body ? "SUCCESS" : "PARAM_ILLEGAL")),
  );
});

test("on the wire: callers that disconnect during a request do not affect others", async () => {
  const bytes = signed();
  for (const length of [1, 30, bytes.length - body.length, bytes.length - 1, bytes.length]) {
    const socket = await openSocket(gateway.url);
    socket.write(bytes.subarray(0, length));
    await new Promise((resolve) => setTimeout(resolve, 5));
    socket.resetAndDestroy();
  }
});

const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
const field = (json: string): string => `{"paymentId":"${paymentId}","a":${json}}`;
const filled = (unit: string): string =>
  field(`"${unit.repeat(Math.floor((bodyBytesMax - 100) / unit.length))}"`);
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(",")}}`;
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

/** Signed bodies → expected result code. */
const documents: Readonly<Record<string, readonly [code: string, body: string | Buffer]>> = {
  nothing: ["PARAM_ILLEGAL", ""],
  blanks: ["PARAM_ILLEGAL", " \t\r\n"],
  null: ["PARAM_ILLEGAL", "null"],
  "a word": ["PARAM_ILLEGAL", '"paymentId"'],
  "a list": ["PARAM_ILLEGAL", "[]"],
  "an empty object": ["PARAM_ILLEGAL", "{}"],
  "two objects": ["PARAM_ILLEGAL", `${body}${body}`],
  "a key twice": ["PARAM_ILLEGAL", `{"paymentId":"1","paymentId":"${paymentId}"}`],
  "a key twice, five levels down": ["PARAM_ILLEGAL", field('[[{"b":{"c":1,"c":2}}]]')],
  "a key __proto__": ["PARAM_ILLEGAL", field('{"__proto__":{"admin":true}}')],
  "a key constructor": ["PARAM_ILLEGAL", field('{"constructor":{"prototype":{}}}')],
  "33 levels": ["PARAM_ILLEGAL", nested(33)],
  "a quarter of a million levels": ["PARAM_ILLEGAL", "[".repeat(bodyBytesMax)],
  "a quarter of a million levels of objects": ["PARAM_ILLEGAL", '{"a":'.repeat(50_000)],
  "20,000 members": ["PARAM_ILLEGAL", members(20_000)],
  "100,000 elements": ["PARAM_ILLEGAL", field(`[${"0,".repeat(100_000)}0]`)],
  "minus zero": ["SUCCESS", field("-0")],
  "a number beyond all": ["PARAM_ILLEGAL", field("1e400")],
  "a number that would be rounded": ["PARAM_ILLEGAL", field("9007199254740993")],
  "a number of 100,000 digits": ["PARAM_ILLEGAL", field("1".repeat(100_000))],
  "a leading zero": ["PARAM_ILLEGAL", field("01")],
  "a leading plus": ["PARAM_ILLEGAL", field("+1")],
  "a number in hexadecimal": ["PARAM_ILLEGAL", field("0x1F")],
  "no number": ["PARAM_ILLEGAL", field("NaN")],
  "a comment": ["PARAM_ILLEGAL", `/* hello */${body}`],
  "a comma at the end": ["PARAM_ILLEGAL", `{"paymentId":"${paymentId}",}`],
  "single quotes": ["PARAM_ILLEGAL", `{'paymentId':'${paymentId}'}`],
  "a byte order mark": ["PARAM_ILLEGAL", `\uFEFF${body}`],
  "UTF-16": ["PARAM_ILLEGAL", Buffer.from(body, "utf16le")],
  "overlong UTF-8": ["PARAM_ILLEGAL", latin1(field('"\xc0\xaf"'))],
  "truncated UTF-8": ["PARAM_ILLEGAL", latin1(field('"\xe2\x82"'))],
  "half of a pair in UTF-8": ["PARAM_ILLEGAL", latin1(field('"\xed\xa0\x80"'))],
  "half of a pair, escaped": ["PARAM_ILLEGAL", field('"\\udc00"')],
  "NUL, escaped": ["PARAM_ILLEGAL", field('"\\u0000"')],
  "NUL as it is": ["PARAM_ILLEGAL", field('"\0"')],
  "a line separator": ["SUCCESS", field('"\u2028"')],
  "a face": ["SUCCESS", field('"\u{1F600}"')],
  "letters from right to left in an id": ["PARAM_ILLEGAL", '{"paymentId":"abc\u202Edef"}'],
  "letters of no width in an id": ["PARAM_ILLEGAL", '{"paymentId":"abc\u200Bdef"}'],
  "an id in composed letters": ["PARAM_ILLEGAL", '{"paymentId":"caf\u00e9"}'],
  "the same id in decomposed letters": ["PARAM_ILLEGAL", '{"paymentId":"cafe\u0301"}'],
  "a list for an id": ["PARAM_ILLEGAL", `{"paymentId":["${paymentId}"]}`],
  "a number for an id": ["PARAM_ILLEGAL", '{"paymentId":20260101}'],
  "an object for an id": ["PARAM_ILLEGAL", '{"paymentId":{"$ne":""}}'],
  "SQL for an id": ["ORDER_NOT_EXIST", '{"paymentId":"\'or(1=1)--"}'],
  "an id of a quarter of a megabyte": ["PARAM_ILLEGAL", `{"paymentId":"${"a".repeat(250_000)}"}`],
  "a body of escapes": ["SUCCESS", filled("\\u0041")],
  "a body of what might be card numbers": ["SUCCESS", filled("5 ")],
  "a body of what might be random ids": [
    "PARAM_ILLEGAL",
    filled("4111111111111111 0123456789abcdef01234567 "),
  ],
  "a body of one long number": ["SUCCESS", filled("4")],
  "a body of hyphens": ["SUCCESS", filled("5-")],
  "10 MB": ["PARAM_ILLEGAL", " ".repeat(10_000_000)],
};

for (const [name, [code, sent]] of Object.entries(documents)) {
  test(`as a body: ${name}`, async () => assert.equal(await outcomeOf(signed({}, sent)), code));
}

test("as a body: each mutation of a valid body gets one of three results", async () => {
  const edit = fc.record({
    at: fc.nat(body.length - 1),
    cut: fc.nat(3),
    put: fc.uint8Array({ maxLength: 3 }),
  });
  const edited = fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce(
        (bytes, { at, cut, put }) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
        Buffer.from(body),
      ),
    );
  const known = ["SUCCESS", "PARAM_ILLEGAL", "ORDER_NOT_EXIST"];
  const property = fc.asyncProperty(edited, async (bytes) =>
    known.includes(await outcomeOf(signed({}, bytes))),
  );
  await fc.assert(property, { numRuns: 150 });
});

test("after all malformed requests the same process still serves, without errors", async () => {
  const good = await call(gateway.url, merchant, { path, body });
  assert.equal(good.json.result["resultCode"], "SUCCESS");
  assert.ok(gateway.runs());
  const complaints = gateway.stderr().slice(saidBefore.length).split("\n").filter(Boolean);
  const [stalls, others] = [/^The thread was busy/, /^(?!The thread was busy)/].map((form) =>
    complaints.filter((line) => form.test(line)),
  );
  assert.deepEqual(others, []);
  // On a shared machine the same work takes up to twice as long. One slow run can be the machine's fault, two slow runs
  // are a defect.
  assert.ok(
    (stalls?.length ?? 0) <= 1 && !stalls?.some((line) => / [2-9]\d\d+ ms/.test(line)),
    stalls?.join("\n"),
  );
});

async function outcomeOf(bytes: Buffer, options?: ExchangeOptions): Promise<string> {
  const { answers, closed } = await exchangeBytes(gateway.url, bytes, options);
  const [answer] = answers;
  if (!answer) return closed ? "closed" : "nothing";
  return (answer.status === 200 && answer.json.result["resultCode"]) || `HTTP ${answer.status}`;
}
