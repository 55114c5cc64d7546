import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDevGateway } from "./dev-gateway.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { startMailbox } from "./mailbox.ts";
import { steps } from "./steps.ts";

/** The life of payments with each library, against a real gateway, and with a line that breaks. */
interface Runner {
  readonly name: string;
  /** Below `clients/`. */
  readonly file: string;
  readonly command: readonly [program: string, ...string[]];
}

const clients = fileURLToPath(new URL("../", import.meta.url));
const runTimeoutMs = 180_000;
const runners: readonly Runner[] = [
  { name: "typescript", file: "life/typescript.ts", command: [process.execPath, "life/typescript.ts"] },
  { name: "java", file: "life/java/run.sh", command: ["sh", "life/java/run.sh"] },
  { name: "php", file: "life/php/run.sh", command: ["sh", "life/php/run.sh"] },
  { name: "python", file: "life/python/run.sh", command: ["sh", "life/python/run.sh"] },
  { name: "go", file: "life/go/run.sh", command: ["sh", "life/go/run.sh"] },
];

const wanted = process.argv.slice(2);
const gateway = await startDevGateway();
const proxy = await startFaultProxy(gateway.baseUrl);
const mailbox = await startMailbox();
const verdicts: string[] = [];
try {
  for (const runner of runners) {
    if (wanted.length > 0 && !wanted.includes(runner.name)) continue;
    verdicts.push(`${runner.name}=${await verdictOn(runner)}`);
  }
} finally {
  await Promise.all([proxy.stop(), mailbox.stop()]);
  await gateway.stop();
}
process.stdout.write(`life: ${verdicts.join(" ")}\n`);

async function verdictOn({ name, file, command }: Runner): Promise<string> {
  const isThere = await access(join(clients, file)).then(
    () => true,
    () => false,
  );
  const said = isThere ? await linesOf(command) : [];
  const passed = steps.filter((step) => said.includes(`${step} ok`));
  if (passed.length < steps.length || said.length !== steps.length) process.exitCode = 1;
  for (const step of steps.filter((each) => !said.includes(`${each} ok`))) {
    const line = said.find((each) => each.startsWith(`${step} `)) ?? `${step} was not done`;
    process.stderr.write(`${name}: ${line}\n`);
  }
  return `${passed.length}/${steps.length}`;
}

function linesOf([program, ...parameters]: Runner["command"]): Promise<string[]> {
  const child = spawn(program, parameters, {
    cwd: clients,
    env: {
      ...process.env,
      BASE_URL: gateway.baseUrl,
      PROXY_URL: proxy.url,
      MAILBOX_URL: mailbox.url,
      CLIENT_ID: gateway.clientId,
      KEY_VERSION: String(gateway.keyVersion),
      PRIVATE_KEY_FILE: gateway.merchantPrivateKeyFile,
      GATEWAY_PUBLIC_KEY_FILE: gateway.gatewayPublicKeyFile,
      WALLET_URL: gateway.walletUrl,
      CONTROL_SECRET: gateway.controlSecret,
    },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: runTimeoutMs,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(printed.split("\n").filter((line) => line !== "")));
  });
}
