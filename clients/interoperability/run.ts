import { execFile } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startGateway, type RunningGateway } from "./gateway.ts";

/** How to get a published library from its registry, and how to ask about a payment with it. */
interface Library {
  install(folder: string): Promise<void>;
  /** A program and its arguments that print the answer, or fail and say why. */
  command(folder: string): readonly [program: string, ...string[]];
}

type Inquiry = Readonly<Record<string, string>>;

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const installTimeoutMs = 300_000;
const inquiryTimeoutMs = 60_000;

const libraries: Readonly<Record<string, Library>> = {
  python: {
    async install(folder) {
      await run("python3", ["-m", "venv", join(folder, "venv")], { timeout: installTimeoutMs });
      const pip = ["install", "--quiet", "--no-deps", "--requirement", here("python/requirements.txt")];
      await run(join(folder, "venv/bin/pip"), pip, { timeout: installTimeoutMs });
    },
    command: (folder) => [join(folder, "venv/bin/python"), here("python/inquire.py")],
  },
  java: {
    async install(folder) {
      const copy = ["dependency:copy-dependencies", `-DoutputDirectory=${join(folder, "jars")}`];
      const quietly = ["--quiet", "--batch-mode", "--file", here("java/pom.xml")];
      await run("mvn", [...quietly, ...copy], { timeout: installTimeoutMs });
    },
    command: (folder) => ["java", "-cp", join(folder, "jars/*"), here("java/Inquire.java")],
  },
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(libraries);
const folder = await mkdtemp(join(tmpdir(), "tollgate-interoperability-"));
let gateway: RunningGateway | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

try {
  gateway = await startGateway(folder);
  const verdicts = [];
  for (const name of wanted) verdicts.push(`${name}=${await verdictOn(name, gateway)}`);
  process.stdout.write(`interoperability: ${verdicts.join(" ")}\n`);
  if (verdicts.some((verdict) => !verdict.endsWith("=ok"))) process.exitCode = 1;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function verdictOn(name: string, running: RunningGateway): Promise<"ok" | "failed"> {
  const startedAtMs = performance.now();
  try {
    const library = libraries[name];
    if (!library) throw new Error(`Known libraries: ${Object.keys(libraries).join(", ")}.`);
    await library.install(folder);
    await takesTheAnswer(library, running);
    await refusesAStrangersAnswer(library, running);
    return "ok";
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return "failed";
  } finally {
    process.stderr.write(`${name}: ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  }
}

async function takesTheAnswer(library: Library, running: RunningGateway): Promise<void> {
  const printed = await inquire(library, inquiryOf(running, running.gatewayPublicKey));
  const answer = JSON.parse(printed) as { readonly paymentId?: string; readonly paymentStatus?: string };
  if (answer.paymentId !== running.paymentId || answer.paymentStatus !== "SUCCESS") {
    throw new Error(`This is not the payment that was asked for: ${printed}`);
  }
}

/** Shows that the library does verify: the same answer has to fail against the key of somebody else. */
async function refusesAStrangersAnswer(library: Library, running: RunningGateway): Promise<void> {
  const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const printed = await inquire(library, inquiryOf(running, stranger)).catch((error: unknown) => {
    if (/refused: .*verif/i.test(String(error))) return undefined;
    throw error;
  });
  if (printed !== undefined) throw new Error(`It took an answer that somebody else had signed: ${printed}`);
}

async function inquire(library: Library, inquiry: Inquiry): Promise<string> {
  const [program, ...parameters] = library.command(folder);
  const options = { env: { ...process.env, ...inquiry }, timeout: inquiryTimeoutMs };
  return (await run(program, parameters, options)).stdout;
}

function inquiryOf(running: RunningGateway, gatewayPublicKey: KeyObject): Inquiry {
  const { url, certificateFile, clientId, privateKey, paymentId } = running;
  return {
    GATEWAY_URL: url,
    SSL_CERT_FILE: certificateFile,
    CLIENT_ID: clientId,
    PRIVATE_KEY_PKCS1: privateKey.export({ format: "der", type: "pkcs1" }).toString("base64"),
    PRIVATE_KEY_PKCS8: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    GATEWAY_PUBLIC_KEY: gatewayPublicKey.export({ format: "der", type: "spki" }).toString("base64"),
    PAYMENT_ID: paymentId,
  };
}
