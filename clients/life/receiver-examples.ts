import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import type { ExampleGateway } from "./example-gateway.ts";
import { testReceiver, waitUntilListening } from "./receiver-tests.ts";

/** The environment of an example, in addition to its command. */
interface ExampleEnvironment {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
}

const commandLine = join(import.meta.dirname, "../../cli/src/start.ts");

/**
 * Starts an example that receives webhooks at PORT, and runs the tests. On failure, the error includes its
 * output.
 */
export async function testReceiverExample(
  gateway: ExampleGateway,
  command: readonly string[],
  { cwd, variables }: ExampleEnvironment,
): Promise<void> {
  const allVariables = { ...gateway.variables, ...variables };
  await withRunningExample(command, { cwd, variables: allVariables }, (url) => testReceiver(gateway, url));
}

/**
 * Tests the example without a gateway: `tollgate conform receiver` also sends webhooks that no gateway sends.
 */
export async function conformReceiverExample(
  gateway: ExampleGateway,
  command: readonly string[],
  { cwd, variables }: ExampleEnvironment,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-conform-"));
  try {
    const keyFile = join(folder, "conform.pem");
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }));
    const key = { TOLLGATE_GATEWAY_PUBLIC_KEY: publicKey.export({ format: "pem", type: "spki" }).toString() };
    const allVariables = { ...gateway.variables, ...variables, ...key };
    await withRunningExample(command, { cwd, variables: allVariables }, (url) =>
      runConformReceiver(url, keyFile, gateway.variables["TOLLGATE_CLIENT_ID"] ?? ""),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runConformReceiver(url: string, keyFile: string, clientId: string): Promise<void> {
  await waitUntilListening(url);
  const parameters = ["conform", "receiver", `${url}/notify`, "--orders-url", `${url}/orders`];
  const keyOptions = ["--private-key", keyFile, "--client-id", clientId];
  await promisify(execFile)(process.execPath, [commandLine, ...parameters, ...keyOptions]).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`The receiver does not conform:\n${error.stdout}${error.stderr}`);
    },
  );
}

async function withRunningExample(
  [program = "", ...parameters]: readonly string[],
  { cwd, variables }: ExampleEnvironment,
  test: (url: string) => Promise<void>,
): Promise<void> {
  const port = await findFreePort();
  const child = spawn(program, parameters, {
    cwd,
    env: { ...process.env, ...variables, PORT: String(port), SERVER_PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The example ended with ${code}.`)));
  });
  try {
    // The tests stop early if the example has ended, because the tests would otherwise run into their
    // timeout.
    await Promise.race([test(`http://127.0.0.1:${port}`), ended]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${parameters.at(-1)}: ${reason}\nOutput:\n${output.slice(-4_000)}`, { cause: error });
  } finally {
    ended.catch(() => undefined);
    child.kill();
  }
}
