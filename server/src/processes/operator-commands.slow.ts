import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { acknowledge, startTestEndpoint } from "../../test/shop/test-notification.ts";
import { newOperatorProcess } from "../../test/start/operator-process.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newKeyPair } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import { operatorCommands } from "./operator-commands.ts";

/** These tests run every command as an operator would, in a separate process, against a running `serve` and `work`. */
const stack = await startTestStack();
const { merchant, provider, database } = stack;
const { clientId } = merchant;
const { url } = await stack.serve({ isPublic: true });
await stack.work();
const shop = await startTestEndpoint((_request, response) => response.end("no"));
const variables = { ...stack.variables, TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl };
const { folder, usedCommands, run, runWith, stdoutOf, jsonOf } = newOperatorProcess(variables);
const sendRequest = async (verb: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const { json } = await callPayments(url, merchant, verb, body);
  return { ...json, code: json.result["resultCode"] };
};

async function payAndApprove(paymentRequestId: string, fields: object = {}): Promise<string> {
  const { paymentId } = await sendRequest("pay", payRequest(paymentRequestId, fields));
  // The test waits for the order's acceptance, which is not recorded any more if the buyer pays earlier.
  const accepted = "select from payments where payment_id = $1 and provider_accepted_at is not null";
  const rows = (): Promise<readonly object[]> => asSuperuser(accepted, [paymentId], database.superuserUrl);
  await eventually(15_000, rows, ({ length }) => length === 1);
  await provider.control(String(paymentId), "approve");
  await eventually(
    15_000,
    () => sendRequest("inquiryPayment", { paymentId }),
    ({ paymentStatus }) => paymentStatus === "SUCCESS",
  );
  return String(paymentId);
}

interface Told {
  readonly notificationId: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly origin: string;
}

test("the database and the gateway's keys", async () => {
  assert.deepEqual(await jsonOf("migrate"), { applied: [] });
  assert.equal(await stdoutOf("gateway-key add"), "gateway key version 2\n");
  assert.match(await stdoutOf("gateway-key list"), /^version {2}since\n1 +\d{4}-.*\n2 +\d{4}-/);
  const first = await stdoutOf("gateway-key show", "--version", "1");
  assert.equal(first, merchant.gatewayPublicKey.export({ format: "pem", type: "spki" }));
  assert.notEqual(await stdoutOf("gateway-key show"), first);
  assert.match(await stdoutOf("gateway-key show", "--algorithm", "Ed25519"), /\nMCowBQYDK2VwAyEA/);
});

test("a merchant is registered: stdout has the id for scripts, stderr the next steps", async () => {
  const { publicKeyFile } = await newKeyPair("added");
  const args = ["--public-key", publicKeyFile, "--name", "Tea Lab"];
  const { stdout, stderr: errorOutput } = await run("merchant add", ...args);
  assert.match(stdout, /^SANDBOX_[0-9A-Z]{16}\n$/);
  assert.match(errorOutput, /^The merchant signs with its key version 1\..*\n-----BEGIN PUBLIC KEY-----/);
  const added = await jsonOf<Record<string, unknown>>("merchant add", ...args);
  assert.deepEqual(Object.keys(added), ["clientId", "keyVersion", "gatewayKeyVersion", "gatewayPublicKey"]);
  const atTerminal = ["--import", "data:text/javascript,process.stdout.isTTY = true"];
  const result = await runWith(atTerminal, "merchant add", ...args);
  assert.equal(result.stderr, "");
  assert.match(result.stdout, /^Tea Lab is registered[\s\S]*TOLLGATE_CLIENT_ID=SANDBOX_[\s\S]*tollgate pay/);
});

test("a merchant is listed, shown and changed without SQL by hand", async () => {
  assert.match(
    await stdoutOf("merchant list"),
    new RegExp(`^${clientId} +Coffee Lab +ACTIVE +200 +0 %`, "m"),
  );
  const change = ["--rate", "500", "--burst", "1000", "--fee", "290", "--link-schemes", "shopapp"];
  assert.equal(
    await stdoutOf("merchant set", clientId, ...change),
    "rate: 200 requests a second, burst 400, per operation and process → " +
      "500 requests a second, burst 1000, per operation and process\n" +
      "rate without a fee rule: 0 % → 2.9 %\napps: none → shopapp\n",
  );
  const addresses = [`notifyRefund=${shop.url}`, "notifyDispute=https://shop.example/d?a=b"];
  for (const address of addresses) await stdoutOf("merchant set", clientId, "--notify", address);
  await stdoutOf("merchant set", "--client-id", clientId, "--notify", "notifyDispute=");
  await stdoutOf("merchant set", clientId, "--time-tolerance", "60", "--name", "Coffee & Co.");
  assert.partialDeepStrictEqual(await jsonOf("merchant show", clientId), {
    clientId,
    name: "Coffee & Co.",
    status: "ACTIVE",
    timeToleranceSeconds: 60,
    ratePerSecond: 500,
    rateBurst: 1000,
    feeBasisPoints: 290,
    linkSchemes: ["shopapp"],
    notifyUrls: [{ kind: "notifyRefund", url: shop.url }],
    keyVersions: [1],
  });
  assert.match(await stdoutOf("merchant show", clientId), /^clock +tolerance 60 s$/m);
  assert.equal(await stdoutOf("merchant set", clientId, "--fee", "290"), "Nothing changed.\n");
});

for (const [words, sentence, code] of [
  [["--fee", "2001"], "--fee must be a whole number from 0 to 2000.", 2],
  [["--rate", "many"], "--rate must be a whole number from 1 to 1000000.", 2],
  [
    ["--notify", "refunds=https://a.example"],
    "Write --notify as KIND=URL, where KIND is one of notifyPayment, ",
    2,
  ],
  [["--notify", "notifyRefund=htp://a"], "htp://a must begin with https://", 1],
  [["--link-schemes", "javascript"], "javascript is not an allowed URL scheme of an app.", 1],
  [[], "Give at least one setting. List them with `tollgate merchant set --help`.", 2],
] as const)
  test(`an invalid setting is rejected: merchant set ${words.join(" ")}`, async () => {
    const { code: left, stdout, stderr } = await run("merchant set", clientId, ...words);
    assert.deepEqual([left, stdout, stderr.startsWith(sentence)], [code, "", true], stderr);
  });

test("an unknown merchant is named in the error", async () => {
  for (const words of ["merchant show", "merchant suspend", "notification list"])
    assert.deepEqual(await run(words, "SANDBOX_NOBODY"), {
      code: 1,
      stdout: "",
      stderr: "There is no client SANDBOX_NOBODY.\n",
    });
});

test("a merchant's keys are added, shown and revoked", async () => {
  const { publicKeyFile } = await newKeyPair("next");
  const added = await jsonOf("merchant key add", clientId, "--public-key", publicKeyFile);
  assert.deepEqual(added, { clientId, keyVersion: 2 });
  assert.equal(await stdoutOf("merchant key revoke", "--client-id", clientId, "--version", "2"), "revoked\n");
  assert.match(await stdoutOf("merchant keys", clientId), /^2 +revoked \d{4}-/m);
  const { merchantKeys } = await jsonOf<{ merchantKeys: object[] }>("merchant keys", clientId);
  assert.partialDeepStrictEqual(merchantKeys[0], { version: 1, isSafeToRevoke: false });
  assert.equal(await stdoutOf("merchant gateway-key", clientId, "--version", "1"), "moved\n");
  assert.equal(await stdoutOf("merchant link-schemes", clientId), "set\n");
});

test("a suspended merchant's requests are rejected, and its open payments are completed", async () => {
  shop.answer = acknowledge;
  const pendingPayment = await sendRequest("pay", payRequest("begun", { paymentNotifyUrl: shop.url }));
  const paymentId = String(pendingPayment["paymentId"]);
  assert.match(await stdoutOf("merchant suspend", clientId), /^status: ACTIVE → SUSPENDED\n/);
  const suspendedAtMs = performance.now();
  await eventually(
    1_000,
    () => sendRequest("inquiryPayment", { paymentId }),
    ({ code }) => code === "INVALID_CLIENT_STATUS",
  );
  assert.ok(performance.now() - suspendedAtMs < 1_000);
  assert.equal((await sendRequest("pay", payRequest("refused")))["code"], "INVALID_CLIENT_STATUS");
  assert.match(await stdoutOf("merchant list", "--status", "SUSPENDED"), new RegExp(`^${clientId} `, "m"));

  // The buyer pays, the provider sends a callback, and the merchant gets a webhook.
  await provider.control(paymentId, "approve");
  await eventually(
    15_000,
    async () => shop.bodies,
    (bodies) => bodies.some((body) => body.includes(paymentId) && body.includes('"SUCCESS"')),
  );
  const { payment } = await jsonOf<{ payment: object }>("payment show", paymentId);
  assert.partialDeepStrictEqual(payment, { status: "SUCCESS", capturedMinor: "1250" });
  const { stderr } = await run("payment show", "refused", "--client-id", clientId);
  assert.equal(stderr, `${clientId} has no payment refused.\n`);

  assert.match(await stdoutOf("merchant resume", clientId), /^status: SUSPENDED → ACTIVE\n/);
  await eventually(
    1_000,
    () => sendRequest("inquiryPayment", { paymentId }),
    ({ code, paymentStatus }) => code === "SUCCESS" && paymentStatus === "SUCCESS",
  );
});

test("a connector is added, listed, shown and changed; settings that are not given stay", async () => {
  const { publicKeyFile } = await newKeyPair("provider");
  const words = ["--name", "dana", "--url", "http://127.0.0.1:9", "--partner-id", "us", "--methods", "DANA"];
  const terms = ["--quiet-seconds", "300", "--idempotent", "no", "--currencies", "IDR,USD"];
  const key = ["--public-key", publicKeyFile];
  const settings = [...words, ...key, ...terms, "--demands-registration"];
  const { stderr: silent } = await run("connector add", ...settings);
  assert.match(
    silent,
    /There is no response from 127\.0\.0\.1:9[^]*Nothing was added\.[^]* --without-facts\.\n$/,
  );
  assert.equal(
    await stdoutOf("connector add", ...settings, "--without-facts"),
    "added\nWarning: dana has no facts. Ask the provider with `tollgate connector refresh dana`.\n",
  );
  const before = await jsonOf<Record<string, unknown>>("connector show", "dana");
  assert.partialDeepStrictEqual(before, {
    paymentMethodTypes: ["DANA"],
    terms: {
      quietSeconds: 300,
      idempotentByReference: false,
      currencies: ["IDR", "USD"],
      demandsRegistration: true,
      refunds: "MANY",
    },
  });
  const change = ["--quiet-seconds", "60", "--demands-registration", "no", "--refunds", "ONCE"];
  assert.match(
    await stdoutOf("connector set", "dana", ...change),
    /^demands registration: yes → no\nrefunds: MANY, within 365 days → ONCE, within 365 days\nquiet time: 300 s → 60 s\n.*\nAll processes apply/,
  );
  const set = { quietSeconds: 60, demandsRegistration: false, refunds: "ONCE" };
  assert.deepEqual(await jsonOf("connector show", "--name", "dana"), {
    ...before,
    operatorTerms: [...(before["operatorTerms"] as string[]), "refunds"],
    terms: { ...(before["terms"] as object), ...set },
  });
  assert.equal(await stdoutOf("connector gateway-key", "dana", "--version", "1"), "moved\n");
  const table = await stdoutOf("connector list");
  assert.match(
    table,
    /^dana +http:\/\/127\.0\.0\.1:9 +DANA +none +100 +0 +1 +never asked$[^]*^test-provider /m,
  );
  const tested = await stdoutOf("connector test", "test-provider");
  assert.match(tested, /^test-provider at http:.* replied correctly in \d+ ms\.\nIts facts have changed\./);
  const refreshed = await stdoutOf("connector refresh", "test-provider");
  assert.match(refreshed, /^protocolVersion: not stated → "1\.1"\n[^]*\nAll processes apply this/m);
  const again = await stdoutOf("connector test", "test-provider");
  assert.match(again, /^test-provider at http:.* replied correctly in \d+ ms\.\n$/);
  assert.match(await stdoutOf("connector disable", "dana"), /^enabled +no, since/m);
  assert.match(await stdoutOf("connector enable", "dana"), /^enabled +yes/m);
  const { code, stderr } = await run("connector set", "danna", "--quiet-seconds", "1");
  assert.deepEqual([code, stderr], [1, "There is no connector danna. Connectors: dana, test-provider.\n"]);
});

test("a payment is shown with its timeline, by any of its ids, and without secrets", async () => {
  shop.answer = acknowledge;
  const metadata = "a-secret-of-the-buyer";
  const notify = `${shop.url}?token=a-secret-of-the-merchant`;
  const paymentId = await payAndApprove("shown", { paymentNotifyUrl: notify, metadata });
  const refundAmount = { currency: "EUR", value: "250" };
  const refund = { refundRequestId: "shown-refund", paymentId, refundAmount, refundNotifyUrl: notify };
  const refunded = await eventually(
    15_000,
    () => sendRequest("refund", refund),
    ({ code }) => code === "SUCCESS",
  );
  const refundId = String(refunded["refundId"]);
  await eventually(
    15_000,
    () => jsonOf<readonly Told[]>("notification list", clientId, "--subject", refundId),
    (found) => found.length > 0 && found.every(({ status }) => status === "DELIVERED"),
  );

  assert.equal((await provider.control(paymentId, "dispute")).status, 200);

  const text = await eventually(
    15_000,
    () => stdoutOf("payment show", refundId),
    (shown) => / notifyDispute +UNSENT /.test(shown) && !/^Next, deliver/m.test(shown),
  );
  for (const line of [
    new RegExp(`^payment +${paymentId}$`, "m"),
    /^status +SUCCESS, SUCCESS, disputed$/m,
    /^amount +EUR 12\.50, paid EUR 12\.50, captured EUR 12\.50, refunded EUR 2\.50, disputed EUR 10\.00, left EUR 0\.00$/m,
    /^\d{4}-\d\d-\d\d, UTC$/m,
    /^ {2}[\d:.]+ +payment +PROCESSING +PAYMENT_IN_PROCESS$/m,
    /^ {2}[\d:.]+ +order +accepted +by test-provider as /m,
    /^ {2}[\d:.]+ +callback +received +from test-provider, /m,
    /^ {2}[\d:.]+ +ledger +payment +EUR 12\.50 {2}provider receivable test-provider to merchant payable$/m,
    new RegExp(`^ {2}[\\d:.]+ +refund +requested +EUR 2\\.50 {2}shown-refund {2}${refundId}$`, "m"),
    /^ {2}[\d:.]+ +notification +notifyPayment +DELIVERED {2}\d{35}$/m,
    new RegExp(
      `^ {2}[\\d:.]+ +notification +notifyRefund +DELIVERED {2}of …${refundId.slice(-6)} {2}\\d{35}$`,
      "m",
    ),
    /^ {2}[\d:.]+ +attempt +HTTP 200 +\d+ ms {2}…\d{6}$/m,
    /^ {2}[\d:.]+ +dispute +CREATED +.*…\d{6}$/m,
    /^ {2}[\d:.]+ +ledger +dispute freeze +EUR 10\.00 {2}merchant payable to merchant frozen {2}…\d{6}$/m,
    /^Next, watch-dispute of \d{35}: due /m,
  ])
    assert.match(text, line);
  const byRequest = await stdoutOf("payment show", "shown", "--client-id", clientId);
  assert.equal(byRequest, text);
  const json = await stdoutOf("payment show", paymentId, "--json");
  for (const each of [text, json]) assert.doesNotMatch(each, /a-secret|checkout|sealed|fingerprint/);
  const { timeline } = JSON.parse(json) as { timeline: readonly { at: string }[] };
  const times = timeline.map(({ at }) => at);
  assert.deepEqual(times, [...times].sort());
  assert.equal(await stdoutOf("payment show", "shown"), text);
  const { stderr } = await run("payment show", "4711");
  assert.match(stderr, /^No payment found for 4711\. It is not the id of a payment, refund, /);
});

test("a webhook that was not acknowledged is found and resent", async () => {
  shop.answer = (_request, response) => {
    response.statusCode = 500;
    response.end("a-secret-answer");
  };
  const paymentId = await payAndApprove("untold", { paymentNotifyUrl: `${shop.url}?token=a-secret` });
  const list = ["--subject", paymentId, "--status", "WAITING"];
  const [sent] = await eventually(
    15_000,
    () => jsonOf<readonly Told[]>("notification list", clientId, ...list),
    (found) => found[0]?.attemptCount === 1,
  );
  assert.equal(sent?.origin, new URL(shop.url).origin);
  const table = await stdoutOf("notification list", clientId, ...list);
  assert.match(table, new RegExp(`^${sent?.notificationId} +notifyPayment +WAITING +1 +500 +\\d{4}-`, "m"));
  assert.doesNotMatch(table, /a-secret/);
  const next = await stdoutOf("payment show", paymentId);
  assert.match(
    next,
    /^Next, deliver-notification of \d{35}: due .*, \d attempts\.\n {2}Send the webhook\.$/m,
  );
  const { code } = await run("stuck");
  assert.equal(code, 0);
  assert.match(await stdoutOf("stuck"), /^Next: merchant\. Send the webhook\.\n +notification /m);

  const id = sent?.notificationId ?? "";
  assert.match(
    await stdoutOf("job list", "--job", "deliver-notification"),
    new RegExp(`^deliver-\\w+ +${id} `, "m"),
  );
  assert.match(await stdoutOf("job retry", id), /^deliver-notification: /);
  shop.answer = acknowledge;
  assert.match(await stdoutOf("notification resend", clientId, "--subject", paymentId), /^1 webhooks are /);
  await eventually(
    15_000,
    () => jsonOf<readonly Told[]>("notification list", clientId, "--subject", paymentId),
    (found) => found[0]?.status === "DELIVERED",
  );
  const { code: left, stderr } = await run("notification resend", clientId);
  assert.deepEqual([left, stderr], [2, "Select webhooks with --id, --subject or --from.\n"]);
  const wrong = await run("notification list", clientId, "--from", "yesterday");
  assert.deepEqual([wrong.code, wrong.stderr], [2, "--from must be a time in ISO 8601 with a zone.\n"]);
});

test("reconciliation: a provider's settlement file is imported and reconciled, balances are rebuilt", async () => {
  const file = join(folder, "settlement.csv");
  await writeFile(file, await provider.settlement());
  const words = ["--connector", "test-provider", "--file", file];
  assert.match(await stdoutOf("settlement import", ...words), /^\d+ rows: \d+ new, 0 that contradict/);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  assert.partialDeepStrictEqual(await jsonOf("reconcile", "--until", until), { breaks: [] });
  assert.match(await stdoutOf("break list"), /^There are no open breaks\.\n\nLast reconciliation: /);
  for (const act of ["break close", "break reopen", "job hold", "job release"])
    assert.equal((await run(act, "7", "--reason", "A test.")).code, 1, act);
  assert.match(await stdoutOf("search rebuild"), /^\d+ payments in the search tables\n$/);
  assert.match(await stdoutOf("balances rebuild"), /^\d+ ledger rows, 0 balances changed\.\n$/);
  assert.match(
    await stdoutOf("feed advance-cursors"),
    /^[1-9]\d* feeds now start after all earlier cursors\n$/,
  );
  assert.equal(await stdoutOf("request-log keep", "--days", "90"), "kept\n");
});

test("the number of isolated test merchants is limited, and closed ones are swept", async () => {
  const limits = { openMax: 7, lifetimeSeconds: 300 };
  assert.partialDeepStrictEqual(await jsonOf("universe limits", "--open", "7", "--minutes", "5"), limits);
  assert.partialDeepStrictEqual(await jsonOf("universe limits"), limits);
  assert.equal(await stdoutOf("universe sweep"), "Deleted the data of 0 isolated test merchants.\n");
});

test("the audit log shows who ran a command and why, and detects tampering", async () => {
  const words = ["--reason", "ticket 4711", "--as", "ada", "--fee", "30"];
  await stdoutOf("merchant set", clientId, ...words);
  const table = await stdoutOf("audit list", "--client-id", clientId, "--limit", "1", "--since", "1h");
  assert.match(
    table,
    new RegExp(`^\\d+ +\\S+ \\S+ +ada +owner +\\S+ +merchant set +${clientId} +ticket 4711$`, "m"),
  );
  assert.match(table, /^ +feeBasisPoints: \d+ → 30$/m);
  const [entry] = await jsonOf<readonly object[]>("audit list", "--actor", "ada", "--act", "merchant set");
  assert.partialDeepStrictEqual(entry, { reason: "ticket 4711", after: { feeBasisPoints: 30 } });
  const anchor = (await stdoutOf("audit head")).trim();
  assert.match(anchor, /^\d+:[0-9a-f]{64}$/);
  assert.match(
    await stdoutOf("audit verify"),
    /^\d+ rows, all unchanged\. .*\nWithout an anchor, a truncated/,
  );
  const anchors = join(folder, "anchors");
  await writeFile(anchors, `${anchor}\n0:\n`);
  assert.match(await stdoutOf("audit verify", "--anchors", anchors), /consistent with all 2 anchors\.\n$/);
  const wrongAnchor = anchor.replace(/:.*/, `:${"0".repeat(64)}`);
  const { code, stdout } = await run("audit verify", "--anchor", wrongAnchor);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^row \d+: The hash differs from the anchor's: the chain up to this row was rewritten\.\n/,
  );
  assert.match((await run("audit verify", "--anchor", "four")).stderr, /^four is not an anchor\. /);
  assert.match((await run("audit list", "--since", "yesterday")).stderr, /^--since must be an age/);
});

test("every command is tested here", () => {
  // The other commands have their own tests, such as key-file.slow.ts, fee-rules.test.ts, and server/test/cells.
  const separate = "bench,gateway-key retire,key-file rotate,preflight,serve,serve-staff,signer,version,work";
  const rest =
    /^(ce|ba|wa|app|as|buy|arc|connector acc|fx|fee|ho|payo|per|provider rec|ra|rep|tri|st|led|settlement c|break [aw])|move$/;
  const unused = Object.keys(operatorCommands).filter((name) => !usedCommands.has(name) && !rest.test(name));
  assert.equal(unused.sort().join(), separate);
});
