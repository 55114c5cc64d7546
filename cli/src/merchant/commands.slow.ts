import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { waitForFirstLine } from "../dev/processes.ts";
import { startDevInstallation, type CommandResult } from "../testing/dev-installation.ts";

/** The merchants' commands as processes, against a complete gateway. */
const dev = await startDevInstallation();
const { ready, home, tollgate, tollgateWith } = dev;

/** A shop that verifies webhooks with the client library, and that can be switched to reject them. */
const client = new Tollgate({
  baseUrl: ready.baseUrl,
  clientId: ready.clientId,
  privateKey: await readFile(ready.merchantPrivateKeyFile, "utf8"),
  gatewayPublicKeys: await readFile(ready.gatewayPublicKeyFile, "utf8"),
});
const verified: string[] = [];
const refused: string[] = [];
let answer: string | undefined;
const shop = createServer((message, response) => {
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.on("end", () => void handleWebhook(message, Buffer.concat(chunks), response));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => shop.once("listening", resolve));
after(() => shop.close());
const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/notify?shop=1`;

async function handleWebhook(
  message: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const { url: path = "", headers } = message;
  try {
    const { kind, subject } = await client.webhooks.construct({ path, headers, body });
    verified.push(`${kind} ${subject}`);
    response.end(answer ?? client.webhooks.ack());
  } catch (error) {
    refused.push((error as Error).message);
    response.writeHead(400).end();
  }
}

async function runSuccessfully(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await tollgate(...words);
  assert.equal(code, 0, `${words.join(" ")}: ${stderr}`);
  return stdout;
}

function parseJson(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

async function createPaidPayment(...words: readonly string[]): Promise<string> {
  const { paymentId } = parseJson(await runSuccessfully("pay", "9.90", "--json", ...words));
  await runSuccessfully("approve", String(paymentId));
  return String(paymentId);
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !condition(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(condition());
}

test("listen forwards webhooks that the receiver's library verifies, and shows why a response is not an acknowledgement", async () => {
  const listening = dev.start("listen", "--forward-to", shopUrl);
  await waitForFirstLine(listening, "stderr", /^Listening for webhooks, and forwarding them to /);
  const acknowledged = waitForFirstLine(
    listening,
    "stdout",
    /notifyPayment +SUCCESS +.*200, acknowledged.*, \d+ ms$/,
  );
  const paymentId = await createPaidPayment();
  await acknowledged;
  assert.ok(verified.includes(`notifyPayment notifyPayment ${paymentId}`), String([verified, refused]));

  answer = "OK";
  const rejectedLine = waitForFirstLine(
    listening,
    "stdout",
    /200, but the body is not \{"result".*again: --from \d+/,
  );
  await createPaidPayment();
  const cursor = /--from (\d+)/.exec(await rejectedLine)?.[1] ?? "";
  answer = undefined;
  assert.deepEqual(refused, []);
  listening.child.kill("SIGINT");
  assert.equal(await listening.exited, 0);

  const resumed = dev.start("listen", "--forward-to", shopUrl, "--from", cursor, "--json");
  const line = parseJson(await waitForFirstLine(resumed, "stdout"));
  assert.deepEqual([line["isAcknowledged"], line["httpStatus"]], [true, 200]);
});

test("refund without an amount refunds the remaining amount, and then reports that nothing is left", async () => {
  const paymentId = await createPaidPayment();
  assert.match(await runSuccessfully("refund", paymentId, "2.50"), /^SUCCESS {2}EUR 2\.50 /);
  assert.match(await runSuccessfully("refund", paymentId), /^SUCCESS {2}EUR 7\.40 /);
  const { code, stderr } = await tollgate("refund", paymentId);
  assert.equal(code, 1);
  assert.equal(stderr, `All of payment ${paymentId}, EUR 9.90, is already refunded.`);
});

test("decline accepts the reason, and inquire shows it", async () => {
  const { paymentId } = parseJson(await runSuccessfully("pay", "--json"));
  await runSuccessfully("decline", String(paymentId), "--code", "RISK_REJECT");
  const { paymentResultCode } = parseJson(await runSuccessfully("inquire", String(paymentId), "--json"));
  assert.equal(paymentResultCode, "RISK_REJECT");
});

test("fail-refund fails a refund that had succeeded, so its amount can be refunded again", async () => {
  const { paymentId } = parseJson(await runSuccessfully("pay", "--json"));
  await runSuccessfully("approve", String(paymentId));
  const { refundId } = parseJson(await runSuccessfully("refund", String(paymentId), "--json"));
  const failed = parseJson(await runSuccessfully("fail-refund", String(refundId), "--json"));
  assert.equal(failed["refundStatus"], "FAIL");
  assert.match(String(failed["refundReversalTime"]), /^\d{4}-/);
  assert.match(await runSuccessfully("refund", String(paymentId)), /^SUCCESS {2}EUR 12\.50 /);
});

test("trigger shows its steps and ends with the webhook", async () => {
  const { code, stdout, stderr } = await tollgate("trigger", "refund-succeeded");
  assert.equal(code, 0, stderr);
  assert.match(stderr, /payments\/pay → PAYMENT_IN_PROCESS[^]*payments\/refund → SUCCESS/);
  assert.match(stdout, /^webhook: notifyRefund SUCCESS, event \d+\n\{.*"REFUND_RESULT"/);
  assert.match(
    await runSuccessfully("trigger", "--list"),
    /^ *payment-succeeded +the buyer pays: notifyPayment SUCCESS$/m,
  );
});

test("scenarios lists every result code, and forces one", async () => {
  const rows = (await runSuccessfully("scenarios", "--json")).split("\n").map(parseJson);
  assert.ok(rows.filter(({ canBeForced }) => canBeForced).length > 70);
  const { result } = parseJson(await runSuccessfully("scenarios", "user_not_exist", "--json"));
  assert.equal((result as Record<string, unknown>)["resultCode"], "USER_NOT_EXIST");
  const { code, stderr } = await tollgate("scenarios", "REFUND_NOT_SUPPORTED");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^REFUND_NOT_SUPPORTED cannot be forced by a merchant: needs a provider that refunds nothing/,
  );
});

test("faults occur once and can be cancelled; resend shows each response", async () => {
  await runSuccessfully("faults", "duplicate");
  const before = verified.length;
  const paymentId = await createPaidPayment("--notify-url", shopUrl);
  await waitUntil(() => verified.length === before + 2);
  assert.match(
    await runSuccessfully("resend", paymentId),
    new RegExp(`^notifyPayment +${paymentId} {2}200, acknowledged, \\d+ ms, to `),
  );
  answer = "OK";
  const { code, stdout } = await tollgate("resend", paymentId);
  answer = undefined;
  assert.equal(code, 1);
  assert.match(stdout, /200, but the body is not/);

  await runSuccessfully("faults", "answer-lost", "--verb", "refund", "--count", "2");
  assert.match(await runSuccessfully("faults"), /^answer-lost, 2 times, for refund$/m);
  await runSuccessfully("faults", "off");
  assert.match(await runSuccessfully("faults"), /^No faults are set at the provider\.$/m);
});

test("logs shows API requests, including rejected ones", async () => {
  await tollgate("call", "inquiryPayment", '{"paymentId":"none"}');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const lines = await runSuccessfully("logs", "--since", "1h", "--no-follow");
  assert.match(lines, /payments\/inquiryPayment +ORDER_NOT_EXIST +\d+ ms {2}\S+$/m);
  assert.match(lines, /payments\/pay +PAYMENT_IN_PROCESS/);
});

test("the gateway accepts what sign shows, and verify and doctor agree", async () => {
  const path = "/ams/sandbox/api/v1/payments/inquiryPayment";
  const body = '{"paymentId":"none"}';
  const { headers } = parseJson(
    await runSuccessfully("sign", "payments/inquiryPayment", "--body", body, "--json"),
  ) as {
    headers: Record<string, string>;
  };
  const response = await fetch(ready.baseUrl + path, { method: "POST", headers, body });
  const text = await response.text();
  assert.match(text, /ORDER_NOT_EXIST/);
  const responseFile = join(home, "answer.txt");
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  await writeFile(responseFile, `${lines}\n\n${text}`);
  assert.equal(
    await runSuccessfully("verify", "--headers", responseFile, "--path", path),
    "The signature is valid.",
  );
  const { code, stdout } = await tollgate(
    "verify",
    "--headers",
    responseFile,
    "--path",
    path,
    "--body",
    `${text}\n`,
  );
  assert.equal(code, 1);
  assert.match(stdout, /^The key is correct, but the signed text was /);

  const request = join(home, "request.txt");
  const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  await writeFile(request, [`POST ${path} HTTP/1.1`, ...sent, "", body].join("\n"));
  assert.match(
    await runSuccessfully("doctor", "--headers", request),
    /^right {2}The signature is correct: The signature is valid\./,
  );
  const wrongBody = await tollgate("doctor", "--headers", request, "--body", `${body}\n`);
  assert.match(
    wrongBody.stdout,
    /^wrong {2}.*you signed other bytes: the body without the line feed at its end/,
  );
});

test("doctor checks the settings in both directions, and reports keys in the wrong setting", async () => {
  assert.match(
    await runSuccessfully("doctor"),
    /right {2}A signed request as SANDBOX_\w+: SUCCESS[^]*right {2}The gateway's signature/,
  );
  const live = join(home, "live.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(live, privateKey.export({ type: "pkcs8", format: "pem" }));
  const mismatched = await runWithSettings(
    { TOLLGATE_PRIVATE_KEY_FILE: live },
    "doctor",
    "--other-keys",
    live,
  );
  assert.equal(mismatched.code, 1);
  assert.match(mismatched.stdout, /live\.pem: the same key as your private key here/);
  assert.match(mismatched.stdout, /wrong {2}A signed request as .*INVALID_SIGNATURE/);
  const swappedKeys = { TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: ready.merchantPrivateKeyFile };
  assert.match(
    (await runWithSettings(swappedKeys, "doctor")).stdout,
    /wrong {2}The gateway's public key: it is the public key of your own/,
  );
});

function runWithSettings(
  overrides: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<CommandResult> {
  return tollgateWith(
    {
      TOLLGATE_BASE_URL: ready.baseUrl,
      TOLLGATE_CLIENT_ID: ready.clientId,
      TOLLGATE_PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
      TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
      ...overrides,
    },
    ...words,
  );
}

/** Mistake → its error message. */
const wrongCommands: readonly (readonly [Readonly<Record<string, string>>, string, RegExp])[] = [
  [
    { TOLLGATE_BASE_URL: `http://127.0.0.1:${await findFreePort()}` },
    "pay",
    /^The gateway could not be reached.* There is no response from 127\.0\.0\.1:\d+\. Check that the service is running\.$/,
  ],
  [
    { TOLLGATE_PRIVATE_KEY_FILE: "none.pem" },
    "pay",
    /^TOLLGATE_PRIVATE_KEY_FILE says none\.pem: there is no such file\.$/,
  ],
  [{ TOLLGATE_CLIENT_ID: "SANDBOX_NOBODY00000" }, "pay", /^UNKNOWN_CLIENT: /],
  [{}, "inquire 123", /^ORDER_NOT_EXIST: /],
  [
    {},
    "approve 123",
    /^To act as the buyer or the provider, set TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET/,
  ],
  [{}, "resend 123", /^There is no webhook with this id/],
];

for (const [settings, line, sentence] of wrongCommands)
  test(`a mistake gets an error message: ${line} ${JSON.stringify(settings)}`, async () => {
    const { code, stdout, stderr } = await runWithSettings(settings, ...line.split(" "));
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, sentence);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });

test("clock shows the time, and the actions that became due", async () => {
  const { paymentId } = parseJson(await runSuccessfully("pay", "--json"));
  assert.match(await runSuccessfully("clock"), /^your clock: .*, equal to real time$/);
  const moved = await runSuccessfully("clock", "+1h");
  assert.match(moved, new RegExp(`${String(paymentId)}\\nyour clock: .*, (?:1 h|59 m)`, "s"));
  assert.match(await runSuccessfully("inquire", String(paymentId)), /^FAIL/);
  const { code, stderr } = await tollgate("clock", "--at", "2020-01-01T00:00:00Z");
  assert.equal(code, 1);
  assert.match(stderr, /only moves forward/);
});
