import { execFile } from "node:child_process";
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startDevGateway, type DevGateway } from "../life/dev-gateway.ts";
import { startRecordingShop, type ReceivedWebhook } from "./recording-shop.ts";

/** How to install a published library from its registry, and how to call an operation with it. */
interface Library {
  install(folder: string): Promise<void>;
  /** A program with its arguments. It prints the response, or fails with an error message. */
  command(folder: string): readonly [program: string, ...string[]];
}

type Operation = "pay" | "inquire" | "cancel" | "refund" | "notification";
type CallOperation = (operation: Operation, id: string, gatewayKey?: KeyObject) => Promise<GatewayResponse>;

interface GatewayResponse {
  readonly result?: { readonly resultCode?: string };
  readonly paymentId?: string;
  readonly paymentStatus?: string;
  readonly normalUrl?: string;
}

const run = promisify(execFile);
const localPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const installTimeoutMs = 300_000;
const callTimeoutMs = 60_000;

const libraries: Readonly<Record<string, Library>> = {
  python: {
    async install(folder) {
      await run("python3", ["-m", "venv", join(folder, "venv")], { timeout: installTimeoutMs });
      const pip = ["install", "--quiet", "--no-deps", "--requirement", localPath("python/requirements.txt")];
      await run(join(folder, "venv/bin/pip"), pip, { timeout: installTimeoutMs });
    },
    command: (folder) => [join(folder, "venv/bin/python"), localPath("python/call.py")],
  },
  java: {
    async install(folder) {
      const copy = ["dependency:copy-dependencies", `-DoutputDirectory=${join(folder, "jars")}`];
      const quietly = ["--quiet", "--batch-mode", "--file", localPath("java/pom.xml")];
      await run("mvn", [...quietly, ...copy], { timeout: installTimeoutMs });
      const compile = ["-proc:none", "-cp", join(folder, "jars/*"), "-d", join(folder, "classes")];
      await run("javac", [...compile, localPath("java/Call.java")], { timeout: installTimeoutMs });
    },
    command: (folder) => ["java", "-cp", `${join(folder, "classes")}:${join(folder, "jars/*")}`, "Call"],
  },
};

const selected = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(libraries);
const shop = await startRecordingShop();
const folder = await mkdtemp(join(tmpdir(), "tollgate-interoperability-"));
let gateway: DevGateway | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

try {
  // The gateway listens on port 443, because one of the libraries always connects to this port, whatever the
  // base URL is.
  gateway = await startDevGateway(["--https-port", "443"]);
  const results = [];
  for (const name of selected) results.push(`${name}=${await testLibrary(name, gateway)}`);
  process.stdout.write(`interoperability: ${results.join(" ")}\n`);
  if (results.some((verdict) => !verdict.endsWith("=ok"))) process.exitCode = 1;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await gateway?.stop();
  shop.close();
  await rm(folder, { recursive: true, force: true });
}

async function testLibrary(name: string, running: DevGateway): Promise<"ok" | "failed"> {
  const startedAtMs = performance.now();
  try {
    const library = libraries[name];
    if (!library) throw new Error(`Known libraries: ${Object.keys(libraries).join(", ")}.`);
    await library.install(folder);
    await runLifecycle(name, createCall(library, running), running);
    return "ok";
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return "failed";
  } finally {
    process.stderr.write(`${name}: ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  }
}

/**
 * Runs one payment through its lifecycle (paid, reported by webhook, inquired and refunded in part), and
 * another one that is cancelled.
 */
async function runLifecycle(name: string, call: CallOperation, running: DevGateway): Promise<void> {
  const paid = await call("pay", `${name}-paid`);
  expect(paid, { code: "PAYMENT_IN_PROCESS" });
  const { paymentId = "" } = paid;
  if (!paid.normalUrl) throw new Error(`The response has no page for the buyer: ${JSON.stringify(paid)}`);
  await approve(running, paymentId);
  const inquired = await pollUntilStatus(() => call("inquire", paymentId), "SUCCESS");
  expect(inquired, { code: "SUCCESS", paymentId });
  await checkWebhookVerification(call, await waitForWebhook(paymentId), paymentId);
  expect(await call("refund", paymentId), { code: "SUCCESS", paymentId });

  const cancelled = await call("pay", `${name}-unwanted`);
  expect(await call("cancel", cancelled.paymentId ?? ""), { code: "SUCCESS" });
  await checkResponseVerification(call, paymentId);
}

async function waitForWebhook(paymentId: string): Promise<ReceivedWebhook> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const webhook = shop.findWebhook(paymentId);
    if (webhook) return webhook;
    await waitMs(500);
  }
  throw new Error(`No webhook about ${paymentId} arrived.`);
}

/** Verifies a webhook with the library's own verifier and class. A body with one changed digit must fail. */
async function checkWebhookVerification(
  call: CallOperation,
  webhook: ReceivedWebhook,
  paymentId: string,
): Promise<void> {
  expect(await call("notification", JSON.stringify(webhook)), { code: "SUCCESS", paymentId });
  const forgedWebhook = { ...webhook, body: webhook.body.replace('"1250"', '"9250"') };
  const accepted = await call("notification", JSON.stringify(forgedWebhook)).catch(ignoreSignatureRejection);
  if (accepted) throw new Error(`The library accepted a changed webhook: ${JSON.stringify(accepted)}`);
}

/** Throws the error again, unless the library rejected the response because of its signature. */
function ignoreSignatureRejection(error: unknown): undefined {
  if (!/refused: .*verif/i.test(String(error))) throw error;
}

/** Shows that the library verifies signatures: the same response must fail with another gateway's key. */
async function checkResponseVerification(call: CallOperation, paymentId: string): Promise<void> {
  const otherKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const accepted = await call("inquire", paymentId, otherKey).catch(ignoreSignatureRejection);
  if (accepted)
    throw new Error(`The library accepted a response with another key: ${JSON.stringify(accepted)}`);
}

function expect(
  answer: GatewayResponse,
  expected: { readonly code: string; readonly paymentId?: string },
): void {
  const isExpected =
    answer.result?.resultCode === expected.code &&
    (expected.paymentId === undefined || answer.paymentId === expected.paymentId);
  if (!isExpected) throw new Error(`Not ${JSON.stringify(expected)}: ${JSON.stringify(answer)}`);
}

async function pollUntilStatus(
  inquire: () => Promise<GatewayResponse>,
  paymentStatus: string,
): Promise<GatewayResponse> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const answer = await inquire();
    if (answer.paymentStatus === paymentStatus) return answer;
    await waitMs(500);
  }
  throw new Error(`The payment did not become ${paymentStatus} in time.`);
}

async function approve({ walletUrl, controlSecret }: DevGateway, paymentId: string): Promise<void> {
  const headers = { authorization: `Bearer ${controlSecret}`, "content-type": "application/json" };
  const response = await fetch(`${walletUrl}/control/payments/${paymentId}/approve`, {
    method: "POST",
    headers,
    body: "{}",
  });
  if (response.status !== 200) throw new Error(await response.text());
}

function createCall(library: Library, running: DevGateway): CallOperation {
  const { clientId, certificateFile = "", merchantPrivateKeyFile, gatewayPublicKeyFile } = running;
  const privateKey = createPrivateKey(readFileSync(merchantPrivateKeyFile));
  const installedKey = createPublicKey(readFileSync(gatewayPublicKeyFile));
  return async (operation, id, gatewayKey = installedKey) => {
    const variables = {
      GATEWAY_URL: "https://127.0.0.1",
      SSL_CERT_FILE: certificateFile,
      CLIENT_ID: clientId,
      NOTIFY_URL: shop.url,
      PRIVATE_KEY_PKCS1: privateKey.export({ format: "der", type: "pkcs1" }).toString("base64"),
      PRIVATE_KEY_PKCS8: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
      GATEWAY_PUBLIC_KEY: gatewayKey.export({ format: "der", type: "spki" }).toString("base64"),
    };
    const [program, ...parameters] = library.command(folder);
    const options = { env: { ...process.env, ...variables }, timeout: callTimeoutMs };
    const { stdout } = await run(program, [...parameters, operation, id], options);
    return JSON.parse(stdout) as GatewayResponse;
  };
}
