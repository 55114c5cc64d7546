import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findInMemory } from "../../test/start/search-memory.ts";
import { readPrivateKeyNumbers, type WrappedHalves } from "../../test/start/private-key-numbers.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { isResponseSigned, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { requestConsole, personToken, staffVariables } from "../../test/start/test-console.ts";
import {
  eventually,
  waitForLine,
  startTestProcess,
  type TestProcess,
} from "../../test/start/test-process.ts";
import { isWebhookSigned, startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import { findFreePort } from "../postgres/temporary-postgres.ts";

/** These tests run a separate signer process, next to a gateway that has neither a private key nor the key file. */
const stack = await startTestStack();
const { database, merchant, provider } = stack;
const keyFile = stack.variables["TOLLGATE_KEY_FILE"] ?? "";
const folder = mkdtempSync(join(tmpdir(), "tollgate-signer-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const signerVariables = { TOLLGATE_SIGNER_SOCKET: join(folder, "signer") };

/** The audit head that each signer logged at startup. */
const auditHeads: string[] = [];

async function startSigner(): Promise<TestProcess> {
  const started = startTestProcess(["server/src/main.ts", "signer"], {
    ...stack.variables,
    ...signerVariables,
    TOLLGATE_LOG_LEVEL: "info",
  });
  const auditHeadLine = waitForLine(started, /"auditHead"/);
  await waitForLine(started, /^Tollgate signs for sandbox at /);
  auditHeads.push(await auditHeadLine);
  return started;
}

const signer = await startSigner();
const withoutKeyFile = { ...signerVariables, TOLLGATE_KEY_FILE: "" };
const { url, process: serve } = await stack.serve({ isPublic: true, variables: withoutKeyFile });
await stack.work(withoutKeyFile);
const shop = await startTestShop();

function pay(requestId: string): Promise<ReceivedAnswer> {
  return callPayments(url, merchant, "pay", payRequest(requestId, { paymentNotifyUrl: shop.notifyUrl }));
}

function isSigned(answer: ReceivedAnswer): boolean {
  return isResponseSigned(answer, pathOf("sandbox", "payments/pay"), merchant.gatewayPublicKey);
}

const isReady = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;

test("with a signer process a payment succeeds, signed for the merchant and for the provider", async () => {
  const answer = await pay("apart");
  assert.ok(isSigned(answer), answer.text);
  const paymentId = String(answer.json["paymentId"]);
  await eventually(
    20_000,
    () => provider.control(paymentId, "approve"),
    ({ status }) => status === 200,
  );
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.ok(webhook && isWebhookSigned(webhook, merchant.gatewayPublicKey));
});

test("serve-staff uses the same signer, and has no key file", async () => {
  const port = String(await findFreePort());
  await stack.serveStaff({ ...staffVariables(database), ...withoutKeyFile, TOLLGATE_PORT: port });
  const tested = await requestConsole(`http://127.0.0.1:${port}`, "staff/testConnector", {
    token: personToken({ role: "staff-admin" }),
    body: { reason: "after a change", request: { name: "test-provider" } },
  });
  assert.partialDeepStrictEqual(tested.json, { result: { resultCode: "SUCCESS" }, isWell: true });
});

test("the signer logs the signed audit head by itself", () => {
  assert.match(auditHeads[0] ?? "", /"auditHead":"\d+:[0-9a-f]{64}:\d+:1:[\w-]{342}"/);
});

test("the memory of serve contains no private key, and that of the signer does", async () => {
  const [row] = await asSuperuser<WrappedHalves>("select * from gateway_keys", [], database.superuserUrl);
  const privateKeyBytes = await readPrivateKeyNumbers(row ?? assert.fail(), keyFile, "sandbox");
  assert.deepEqual(findInMemory(serve.child.pid ?? 0, privateKeyBytes), []);
  const foundKeys = findInMemory(signer.child.pid ?? 0, privateKeyBytes);
  // Control experiment: the same search finds keys in the signer's memory, as encoded bytes and as OpenSSL's numbers.
  for (const name of ["p reversed", "q reversed", "ed25519"])
    assert.ok(foundKeys.includes(name), foundKeys.join(", "));
});

test("while the signer is stopped serve is unready and starts nothing, and only 'retry later' is sent unsigned", async () => {
  signer.kill("SIGSTOP");
  const answers: (ReceivedAnswer | undefined)[] = [];
  await eventually(
    20_000,
    async () => {
      // The gateway sends no response without a signature: it closes the connection.
      answers.push(await pay(`silent-${answers.length}`).catch(() => undefined));
      return isReady();
    },
    (ready) => !ready,
  );
  answers.push(await pay("later"));
  for (const answer of answers.filter((each) => each !== undefined)) {
    assert.equal(answer.json.result["resultCode"], "REQUEST_TRAFFIC_EXCEED_LIMIT", answer.text);
    assert.equal(answer.json.result["resultStatus"], "U");
  }
  signer.kill("SIGCONT");
  await eventually(20_000, isReady, (ready) => ready);
  assert.ok(isSigned(await pay("again")));
});

test("a killed signer is replaced by the next one, which takes over its socket", async () => {
  signer.kill("SIGKILL");
  await signer.exited;
  await eventually(20_000, isReady, (ready) => !ready);
  await startSigner();
  await eventually(20_000, isReady, (ready) => ready);
  assert.ok(isSigned(await pay("replaced")));
});
