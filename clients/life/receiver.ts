import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../server/src/postgres/throw-away.ts";
import type { ExampleGateway } from "./example-gateway.ts";
import { tryReceiver, untilOpen } from "./receiver-trial.ts";

/** How an example is started, beside its command. */
interface Surroundings {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
}

const commandLine = join(import.meta.dirname, "../../cli/src/start.ts");

/** Starts an example that takes notifications at PORT, and puts it on trial. What it said is told when it fails. */
export async function tryExample(
  gateway: ExampleGateway,
  command: readonly string[],
  { cwd, variables }: Surroundings,
): Promise<void> {
  const all = { ...gateway.variables, ...variables };
  await whileItRuns(command, { cwd, variables: all }, (url) => tryReceiver(gateway, url));
}

/** The same without a gateway: `tollgate conform receiver`, which also sends what no gateway does. */
export async function conformExample(
  gateway: ExampleGateway,
  command: readonly string[],
  { cwd, variables }: Surroundings,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-conform-"));
  try {
    const keyFile = join(folder, "conform.pem");
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }));
    const key = { TOLLGATE_GATEWAY_PUBLIC_KEY: publicKey.export({ format: "pem", type: "spki" }).toString() };
    const all = { ...gateway.variables, ...variables, ...key };
    await whileItRuns(command, { cwd, variables: all }, (url) =>
      conform(url, keyFile, gateway.variables["TOLLGATE_CLIENT_ID"] ?? ""),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function conform(url: string, keyFile: string, clientId: string): Promise<void> {
  await untilOpen(url);
  const words = ["conform", "receiver", `${url}/notify`, "--orders-url", `${url}/orders`];
  const given = ["--private-key", keyFile, "--client-id", clientId];
  await promisify(execFile)(process.execPath, [commandLine, ...words, ...given]).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`It does not conform:\n${error.stdout}${error.stderr}`);
    },
  );
}

async function whileItRuns(
  [program = "", ...words]: readonly string[],
  { cwd, variables }: Surroundings,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...variables, PORT: String(port), SERVER_PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`It ended with ${code}.`)));
  });
  try {
    // The trial would wait long for an example that has died.
    await Promise.race([use(`http://127.0.0.1:${port}`), ended]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${words.at(-1)}: ${why}\nIt said:\n${said.slice(-4_000)}`, { cause: error });
  } finally {
    ended.catch(() => undefined);
    child.kill();
  }
}
