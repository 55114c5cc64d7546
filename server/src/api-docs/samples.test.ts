import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readSignatureHeader } from "../signing/signature-header.ts";
import { signatureProblem } from "../signing/verify-signature.ts";
import { callSamples, type SampleCall } from "./call-samples.ts";
import { highlight, type CodeLanguage } from "./highlight.ts";
import { html } from "../formats/html.ts";
import {
  jsonNotation,
  formatLiteral,
  phpNotation,
  pythonNotation,
  typeScriptNotation,
  type Json,
  type Notation,
} from "./json-literal.ts";
import { runnableLanguages, runSample } from "../../test/pages/run-sample.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-samples-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
writeFileSync(join(folder, "private.pem"), privateKey.export({ format: "pem", type: "pkcs8" }));

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A fake gateway that records its requests. */
const received: Received[] = [];
const listener = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.end("{}");
  });
});
await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
after(() => listener.close());

/** A value with characters that break quoting and escaping. */
const awkwardValue: Json = {
  note: `It's "50 % off" for $5, \\ and \${HOME} \`date\` — ünï ☕ %s\n<b>&amp;`,
  empty: "",
  numbers: [0, -1, 1.5],
  flags: { yes: true, no: false, nothing: null },
  nested: {
    list: [{ goods: { price: { currency: "EUR", value: "1250" }, name: "Flat white, large" } }, []],
    none: {},
  },
};

const sampleCall: SampleCall = {
  baseUrl: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
  path: "/ams/sandbox/api/v1/payments/pay",
  clientId: "SANDBOX_1",
  keyFile: "private.pem",
  body: awkwardValue,
};

for (const language of runnableLanguages) {
  test(`the ${language} sample sends exactly the example, with any characters, and a valid signature`, async () => {
    await runSample(language, callSamples[language](sampleCall), folder);

    const { headers, body } = received.pop() ?? assert.fail("nothing arrived");
    assert.deepEqual(JSON.parse(body.toString("utf8")), awkwardValue);
    assert.equal(headers["client-id"], sampleCall.clientId);
    assert.equal(headers["content-type"], "application/json; charset=UTF-8");
    const { path, clientId } = sampleCall;
    const header = readSignatureHeader([String(headers["signature"])]);
    assert.ok(typeof header === "object");
    const keys = new Map([[1, createPublicKey(privateKey)]]);
    const parts = { method: "POST", path, clientId, time: String(headers["request-time"]), body };
    assert.equal(signatureProblem(header, keys, parts), undefined);
  });
}

const notations: readonly (readonly [Notation, string])[] = [
  [jsonNotation, '{"a": "$1", "b": [true, null]}'],
  [typeScriptNotation, '{ a: "$1", b: [true, null] }'],
  [pythonNotation, '{"a": "$1", "b": [True, None]}'],
  [phpNotation, String.raw`["a" => "\$1", "b" => [true, null]]`],
];

for (const [notation, written] of notations) {
  test(`an example is written in the notation of the language: ${written}`, () => {
    assert.equal(formatLiteral({ a: "$1", b: [true, null] }, notation), written);
  });
}

test("an example that is too long for one line has a line for each entry", () => {
  const long = { first: "x".repeat(30), second: { third: "y".repeat(30) } };
  assert.deepEqual(JSON.parse(formatLiteral(long, jsonNotation)), long);
  assert.equal(
    formatLiteral(long, pythonNotation),
    `{\n  "first": "${long.first}",\n  "second": {"third": "${long.second.third}"},\n}`,
  );
});

test("highlighting does not change any character of a sample", () => {
  const byHand = Object.entries(callSamples).map(([language, write]) => [language, write(sampleCall)]);
  const others = [
    ["json", formatLiteral(awkwardValue, jsonNotation)],
    ["go", 'func main() {\n\tfmt.Println("<a href=\\"x\\">", `raw`) // a note\n}'],
  ];
  for (const [language, code = ""] of [...byHand, ...others] as [CodeLanguage, string][]) {
    const { markup } = highlight(code, language);
    assert.match(markup, /<span class="(?:key|word|text|note)">/);
    assert.equal(markup.replaceAll(/<span class="\w+">|<\/span>/g, ""), html`${code}`.markup);
  }
});

test("the description of an operation cannot inject markup", () => {
  const { markup } = html`<p title="${`"onload="`}">${"<script>&'"} ${[1, html`<br />`, undefined]}</p>`;
  assert.equal(markup, '<p title="&quot;onload=&quot;">&lt;script&gt;&amp;&#39; 1<br /></p>');
});
