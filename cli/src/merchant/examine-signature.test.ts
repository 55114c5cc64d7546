import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { examineSignature } from "./examine-signature.ts";
import { readKeyFile } from "./key-files.ts";
import { readMessage, type RecordedMessage } from "./recorded-message.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-examine-"));
after(() => rm(home, { recursive: true, force: true }));
const [ownKey, liveKey] = [newKey(), newKey()];
const time = String(Date.now());
const client = "SANDBOX_5Y0000000000000A";
const path = "/ams/sandbox/api/v1/payments/inquiryPayment";
const body = '{"paymentId":"1","note":"ü"}';

function newKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

function headersOf(signedBody: string, key = ownKey): string {
  const text = `POST ${path}\n${client}.${time}.${signedBody}`;
  const signature = encodeURIComponent(sign("sha256", Buffer.from(text), key).toString("base64"));
  return `Client-Id: ${client}\nRequest-Time: ${time}\nSignature: algorithm=RSA256,keyVersion=1,signature=${signature}`;
}

function buildArguments(values: Readonly<Record<string, string>>): CommandArguments {
  return { positionals: [], has: (name) => name in values, value: (name) => values[name] };
}

async function readMessageText(
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RecordedMessage> {
  const file = join(home, "message.txt");
  await writeFile(file, text);
  return readMessage(buildArguments({ headers: file, ...more }));
}

const otherKeys = [
  { key: createPublicKey(liveKey), explanation: "This was made with live.pem.", isMerchantKey: true },
];
const explain = (message: RecordedMessage, perspective: "sender" | "receiver" = "sender"): string =>
  examineSignature(message, createPublicKey(ownKey), otherKeys, perspective).says;

test("a message is read as curl and logs print it: with its first line, with its body, or without", async () => {
  const fullMessage = `POST ${path} HTTP/1.1\r\nHost: a.example\r\n${headersOf(body).replaceAll("\n", "\r\n")}\r\n\r\n${body}`;
  const curlOutput = headersOf(body).replaceAll(/^/gm, "> ");
  for (const message of [
    await readMessageText(fullMessage),
    await readMessageText(`${headersOf(body)}\n\n${body}`, { path }),
    await readMessageText(curlOutput, { path, body }),
  ]) {
    assert.equal(message.path, path);
    assert.equal(message.body.toString("utf8"), body);
    assert.equal(explain(message), "The signature is valid.");
  }
});

test("a missing part of a message is reported by name", async () => {
  await assert.rejects(readMessage(buildArguments({})), (error) => error instanceof UsageError);
  await assert.rejects(readMessageText(headersOf(body)), /--path is missing/);
  await assert.rejects(
    readMessage(buildArguments({ headers: join(home, "none") })),
    /none: there is no such file/,
  );
  assert.match(explain(await readMessageText("Client-Id: a", { path, body })), /no header Signature/);
});

test("the signature mistake is described differently to the sender and to the receiver", async () => {
  const spaced = await readMessageText(headersOf('{"paymentId": "1", "note": "ü"}'), { path, body });
  assert.match(explain(spaced), /^Your key is right, but you signed other bytes: /);
  assert.match(explain(spaced, "receiver"), /^The key is correct, but the signed text was /);
  const otherBody = await readMessageText(headersOf('{"paymentId":"2"}'), { path, body });
  assert.match(explain(otherBody, "receiver"), /^The key is correct, but other bytes were signed/);
});

test("a key of the other environment is reported with its file", async () => {
  assert.match(
    explain(await readMessageText(headersOf(body, liveKey), { path, body })),
    /This was made with live\.pem\./,
  );
  assert.match(
    explain(await readMessageText(headersOf(body, newKey()), { path, body })),
    /^No key that we hold/,
  );
});

test("a private or a public key is accepted, and an invalid key is reported with its file", async () => {
  const file = join(home, "key.pem");
  await writeFile(file, ownKey.export({ type: "pkcs8", format: "pem" }));
  assert.ok((await readKeyFile(file)).equals(createPublicKey(ownKey)));
  await writeFile(file, createPublicKey(ownKey).export({ type: "spki", format: "pem" }));
  assert.ok((await readKeyFile(file)).equals(createPublicKey(ownKey)));
  await writeFile(file, "hello!");
  await assert.rejects(readKeyFile(file), /key\.pem: it is neither PEM nor base64\./);
});
