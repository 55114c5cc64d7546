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
import { openToldShop, type Told } from "./recording-shop.ts";

/** How to install a published library from its registry, and how to call an operation with it. */
interface Library {
  install(folder: string): Promise<void>;
  /** A program with its arguments. It prints the response, or fails with an error message. */
  command(folder: string): readonly [program: string, ...string[]];
}

type Operation = "pay" | "inquire" | "cancel" | "refund" | "notification";
type Call = (operation: Operation, id: string, gatewayKey?: KeyObject) => Promise<Answer>;

interface Answer {
  readonly result?: { readonly resultCode?: string };
  readonly paymentId?: string;
  readonly paymentStatus?: string;
  readonly normalUrl?: string;
}

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const installTimeoutMs = 300_000;
const callTimeoutMs = 60_000;

const libraries: Readonly<Record<string, Library>> = {
  python: {
    async install(folder) {
      await run("python3", ["-m", "venv", join(folder, "venv")], { timeout: installTimeoutMs });
      const pip = ["install", "--quiet", "--no-deps", "--requirement", here("python/requirements.txt")];
      await run(join(folder, "venv/bin/pip"), pip, { timeout: installTimeoutMs });
    },
    command: (folder) => [join(folder, "venv/bin/python"), here("python/call.py")],
  },
  java: {
    async install(folder) {
      const copy = ["dependency:copy-dependencies", `-DoutputDirectory=${join(folder, "jars")}`];
      const quietly = ["--quiet", "--batch-mode", "--file", here("java/pom.xml")];
      await run("mvn", [...quietly, ...copy], { timeout: installTimeoutMs });
      const compile = ["-proc:none", "-cp", join(folder, "jars/*"), "-d", join(folder, "classes")];
      await run("javac", [...compile, here("java/Call.java")], { timeout: installTimeoutMs });
    },
    command: (folder) => ["java", "-cp", `${join(folder, "classes")}:${join(folder, "jars/*")}`, "Call"],
  },
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(libraries);
const shop = await openToldShop();
const folder = await mkdtemp(join(tmpdir(), "tollgate-interoperability-"));
let gateway: DevGateway | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

try {
  // The gateway listens on port 443, because one of the libraries always connects to this port, whatever the
  // base URL is.
  gateway = await startDevGateway(["--https-port", "443"]);
  const verdicts = [];
  for (const name of wanted) verdicts.push(`${name}=${await verdictOn(name, gateway)}`);
  process.stdout.write(`interoperability: ${verdicts.join(" ")}\n`);
  if (verdicts.some((verdict) => !verdict.endsWith("=ok"))) process.exitCode = 1;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await gateway?.stop();
  shop.close();
  await rm(folder, { recursive: true, force: true });
}

async function verdictOn(name: string, running: DevGateway): Promise<"ok" | "failed"> {
  const startedAtMs = performance.now();
  try {
    const library = libraries[name];
    if (!library) throw new Error(`Known libraries: ${Object.keys(libraries).join(", ")}.`);
    await library.install(folder);
    await livesThrough(name, callWith(library, running), running);
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
async function livesThrough(name: string, call: Call, running: DevGateway): Promise<void> {
  const paid = await call("pay", `${name}-paid`);
  expect(paid, { code: "PAYMENT_IN_PROCESS" });
  const { paymentId = "" } = paid;
  if (!paid.normalUrl) throw new Error(`The response has no page for the buyer: ${JSON.stringify(paid)}`);
  await approve(running, paymentId);
  const found = await until(() => call("inquire", paymentId), "SUCCESS");
  expect(found, { code: "SUCCESS", paymentId });
  await takesNotification(call, await toldOf(paymentId), paymentId);
  expect(await call("refund", paymentId), { code: "SUCCESS", paymentId });

  const unwanted = await call("pay", `${name}-unwanted`);
  expect(await call("cancel", unwanted.paymentId ?? ""), { code: "SUCCESS" });
  await refusesAStrangersAnswer(call, paymentId);
}

async function toldOf(paymentId: string): Promise<Told> {
  for (let tries = 0; tries < 40; tries += 1) {
    const told = shop.toldOf(paymentId);
    if (told) return told;
    await waitMs(500);
  }
  throw new Error(`No webhook about ${paymentId} arrived.`);
}

/** Verifies a webhook with the library's own verifier and class. A body with one changed digit must fail. */
async function takesNotification(call: Call, told: Told, paymentId: string): Promise<void> {
  expect(await call("notification", JSON.stringify(told)), { code: "SUCCESS", paymentId });
  const forged = { ...told, body: told.body.replace('"1250"', '"9250"') };
  const taken = await call("notification", JSON.stringify(forged)).catch(refusalOf);
  if (taken) throw new Error(`The library accepted a changed webhook: ${JSON.stringify(taken)}`);
}

/** Throws the error again, unless the library rejected the response because of its signature. */
function refusalOf(error: unknown): undefined {
  if (!/refused: .*verif/i.test(String(error))) throw error;
}

/** Shows that the library verifies signatures: the same response must fail with another gateway's key. */
async function refusesAStrangersAnswer(call: Call, paymentId: string): Promise<void> {
  const otherKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const taken = await call("inquire", paymentId, otherKey).catch(refusalOf);
  if (taken) throw new Error(`The library accepted a response with another key: ${JSON.stringify(taken)}`);
}

function expect(answer: Answer, wantedAnswer: { readonly code: string; readonly paymentId?: string }): void {
  const isRight =
    answer.result?.resultCode === wantedAnswer.code &&
    (wantedAnswer.paymentId === undefined || answer.paymentId === wantedAnswer.paymentId);
  if (!isRight) throw new Error(`Not ${JSON.stringify(wantedAnswer)}: ${JSON.stringify(answer)}`);
}

async function until(ask: () => Promise<Answer>, paymentStatus: string): Promise<Answer> {
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = await ask();
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

function callWith(library: Library, running: DevGateway): Call {
  const { clientId, certificateFile = "", merchantPrivateKeyFile, gatewayPublicKeyFile } = running;
  const privateKey = createPrivateKey(readFileSync(merchantPrivateKeyFile));
  const itsKey = createPublicKey(readFileSync(gatewayPublicKeyFile));
  return async (operation, id, gatewayKey = itsKey) => {
    const variables = {
      GATEWAY_URL: "https://127.0.0.1",
      SSL_CERT_FILE: certificateFile,
      CLIENT_ID: clientId,
      NOTIFY_URL: shop.url,
      PRIVATE_KEY_PKCS1: privateKey.export({ format: "der", type: "pkcs1" }).toString("base64"),
      PRIVATE_KEY_PKCS8: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
      GATEWAY_PUBLIC_KEY: gatewayKey.export({ format: "der", type: "spki" }).toString("base64"),
    };
    const [program, ...words] = library.command(folder);
    const options = { env: { ...process.env, ...variables }, timeout: callTimeoutMs };
    const { stdout } = await run(program, [...words, operation, id], options);
    return JSON.parse(stdout) as Answer;
  };
}
