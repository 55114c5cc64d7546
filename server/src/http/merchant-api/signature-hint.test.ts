import assert from "node:assert/strict";
import { constants, sign, type KeyObject } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { addMerchantKey } from "../../operators/merchants/merchant.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import {
  call,
  inquiryPath,
  newKeyPair,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  type ReceivedAnswer,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { diagnosesOfNetwork } from "./signature-hint.ts";

const sandbox = await prepareTestGateway("sandbox");
const live = await prepareTestGateway("live");
const merchant = await newMerchant(sandbox.database);
const busy = await newMerchant(sandbox.database, "Busy Lab");
const liveMerchant = await newMerchant(live.database);
const [second, otherKey] = [await newKeyPair("second"), await newKeyPair("otherKey")];
const { ownerUrl } = sandbox.database;
await addMerchantKey({ url: ownerUrl, environment: "sandbox" }, merchant.clientId, {
  ...second,
  proofFile: undefined,
});
// The gateway of these tests trusts a proxy that reports the caller's address, so that each test has its own address
// and rate limit.
const { url, stop } = await serve(
  readSettings({ ...sandbox.variables, TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" }),
);
after(stop);
const { url: liveUrl, stop: stopLive } = await serve(readSettings(live.variables));
after(stopLive);

const body = '{"paymentRequestId":"café/1"}';
const path = pathOf("sandbox", inquiryPath);
const time = String(Date.now());

interface Signed {
  readonly from?: TestMerchant;
  readonly text: string | Buffer;
  readonly key?: KeyObject;
  readonly algorithm?: string;
  readonly padding?: number;
  readonly keyVersion?: number;
  readonly body?: string;
  readonly path?: string;
  readonly address?: string;
}

/** Sends one text with the signature of another text. */
async function sendSigned(to: string, signed: Signed): Promise<ReceivedAnswer> {
  const { from = merchant, text, key = from.privateKey, algorithm = "sha256", keyVersion = 1 } = signed;
  const { padding = constants.RSA_PKCS1_PADDING } = signed;
  const signature = sign(algorithm, Buffer.from(text), { key, padding }).toString("base64");
  return send(to, {
    path: signed.path ?? path,
    body: signed.body ?? body,
    headers: {
      "client-id": from.clientId,
      "request-time": time,
      signature: `algorithm=RSA256,keyVersion=${keyVersion},signature=${encodeURIComponent(signature)}`,
      "x-forwarded-for": signed.address ?? "198.51.100.1",
    },
  });
}

const head = `POST ${path}\n${merchant.clientId}.${time}.`;
const correctText = head + body;
const hintOf = ({ json }: ReceivedAnswer): string => json.result["resultHint"] ?? "";
const verified = /We verified \d+ bytes: the line "POST .+Their SHA-256 is [0-9a-f]{64}\.$/;

const signatureMistakes: readonly (readonly [what: string, signed: Signed, says: RegExp])[] = [
  [
    "a line feed at the end",
    { text: `${correctText}\n` },
    /other bytes: the body with a line feed at its end/,
  ],
  [
    "no line feed at the end",
    { text: correctText, body: `${body}\n` },
    /the body without the line feed at its end/,
  ],
  ["pretty-printed", { text: `${head}{\n  "paymentRequestId": "café/1"\n}` }, /the body pretty-printed\./],
  [
    "minified",
    { text: correctText, body: '{ "paymentRequestId": "café/1" }' },
    /without the spaces and line feeds/,
  ],
  [
    "as json.dumps has it",
    { text: `${head}{"paymentRequestId": "caf\\u00e9/1"}` },
    /; and the body with \\u escapes/,
  ],
  [
    "with escaped slashes",
    { text: correctText.replace("é/", "é\\/") },
    /the body with \\\/, where \/ was sent/,
  ],
  ["in Latin-1", { text: Buffer.from(correctText, "latin1") }, /the body in Latin-1/],
  ["the path of live", { text: correctText.replace("/sandbox", "") }, /the path of live/],
  ["the address", { text: correctText.replace(path, url + path) }, /the whole address instead of the path/],
  ["seconds", { text: correctText.replace(time, time.slice(0, 10)) }, /the time in seconds/],
  [
    "another look at the clock",
    { text: correctText.replace(time, String(Number(time) - 7)) },
    /a moment apart/,
  ],
  ["the client id of live", { text: correctText.replace("SANDBOX_", "") }, /the client id without SANDBOX_/],
  ["a backslash and an n", { text: correctText.replace("\n", "\\n") }, /a backslash and an n after the path/],
  ["only the body", { text: body }, /other bytes: only the body\./],
];

for (const [index, [what, signed, says]] of signatureMistakes.entries()) {
  test(`the sandbox explains the mistake when ${what} was signed`, async () => {
    const answer = await sendSigned(url, { ...signed, address: `198.51.100.${index % 2}` });
    assert.equal(answer.json.result["resultCode"], "INVALID_SIGNATURE");
    assert.match(hintOf(answer), /^Your key is right, but you signed other bytes: /);
    assert.match(hintOf(answer), says);
    assert.match(hintOf(answer), verified);
  });
}

const address = "198.51.100.7";

test("the sandbox names the key that made a signature, or says that no known key did", async () => {
  const bySecond = await sendSigned(url, { text: correctText, key: second.privateKey, address });
  assert.match(
    hintOf(bySecond),
    /made with your key of version 2, and the header says keyVersion=1: write keyVersion=2\./,
  );
  const unknownVersion = await sendSigned(url, { text: correctText, keyVersion: 3, address });
  assert.equal(unknownVersion.json.result["resultCode"], "KEY_NOT_FOUND");
  assert.match(
    hintOf(unknownVersion),
    /your key of version 1, and the header says keyVersion=3: write keyVersion=1\.$/,
  );
  const byOtherKey = await sendSigned(url, { text: correctText, key: otherKey.privateKey, address });
  assert.match(hintOf(byOtherKey), /^No key that we hold for you made this signature/);
  assert.match(hintOf(byOtherKey), verified);
});

test("a client that returns the gateway's own signature gets an explanation", async () => {
  const { headers } = await call(url, merchant, { path, body });
  const { signature = "", "response-time": at = "" } = headers;
  const answer = await send(url, {
    path,
    body,
    headers: { "client-id": merchant.clientId, "request-time": at, signature, "x-forwarded-for": address },
  });
  assert.match(hintOf(answer), /^This was made with the gateway's own key of version 1/);
});

test("a wrong digest and a wrong padding get different explanations", async () => {
  const sha1 = await sendSigned(url, { text: correctText, algorithm: "sha1", address });
  assert.match(
    hintOf(sha1),
    /^Your key is right\. The signed text is right\. It was made with SHA-1: use SHA-256\./,
  );
  const pss = await sendSigned(url, { text: correctText, padding: constants.RSA_PKCS1_PSS_PADDING, address });
  assert.match(hintOf(pss), /^Your key is right\. The signed text is right\. It has the padding PSS/);
});

test("a client above the rate limit of the signature diagnosis still gets the verified text", async () => {
  const invalidRequest = { from: busy, text: "something else", address: "198.51.100.8" };
  const hints = [];
  for (let count = 0; count < diagnosesOfNetwork.burst * 2; count += 1)
    hints.push(hintOf(await sendSigned(url, invalidRequest)));
  const plain = hints.filter((hint) => hint.startsWith("We verified "));
  assert.match(
    hints[0] ?? "",
    /^Your key is right, but you signed other bytes, and none of the usual mistakes/,
  );
  assert.ok(plain.length > 0, "The signature diagnosis has no rate limit.");
  for (const hint of hints) assert.match(hint, verified);
  // Another merchant at another address gets a diagnosis once the overall limit has room.
  await delay(500);
  const elsewhere = await sendSigned(url, { text: `${correctText}\n`, address: "198.51.100.9" });
  assert.match(hintOf(elsewhere), /^Your key is right/);
});

const terse =
  '{"result":{"resultCode":"INVALID_SIGNATURE","resultStatus":"F","resultMessage":"The signature does not match the request."}}';

test("live gives the same response to every wrong signature, byte for byte", async () => {
  const livePath = pathOf("live", inquiryPath);
  const text = `POST ${livePath}\n${liveMerchant.clientId}.${time}.${body}`;
  const wronglySigned: readonly Omit<Signed, "from">[] = [
    { text: `${text}\n` },
    { text: text.replace(time, time.slice(0, 10)) },
    { text: "something else" },
    { text, algorithm: "sha1" },
    { text, padding: constants.RSA_PKCS1_PSS_PADDING },
    { text, key: otherKey.privateKey },
  ];
  const namesOf = ({ rawHeaders }: ReceivedAnswer): readonly string[] =>
    rawHeaders.filter((_, index) => index % 2 === 0);
  const usual = namesOf(await call(liveUrl, liveMerchant, { path: livePath, body }));
  const sendWronglySigned = (signed: Omit<Signed, "from">): Promise<ReceivedAnswer> =>
    sendSigned(liveUrl, { from: liveMerchant, path: livePath, ...signed });
  for (const signed of wronglySigned) {
    const answer = await sendWronglySigned(signed);
    assert.equal(answer.text, terse);
    assert.deepEqual(namesOf(answer), usual);
  }
  const noSuchKey = await sendWronglySigned({ text, keyVersion: 9 });
  assert.equal(
    noSuchKey.text,
    '{"result":{"resultCode":"KEY_NOT_FOUND","resultStatus":"F","resultMessage":"This client has no key of version 9."}}',
  );
});
