import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { findKeyPair, signCases } from "../../clients/conformance/vectors.ts";
import type { EdgeSettings } from "../../clients/life/edge-steps.ts";

/**
 * `node proof/runtimes/run-edge-worker.ts PORT PROGRAM WORD…`: starts a server of edge workers, sends the addresses to
 * the worker that makes a payment, prints its output, and stops the server.
 */
const [port = "", program = "", ...args] = process.argv.slice(2);
const startTimeoutMs = 60_000;
const variables = process.env as Readonly<Record<string, string>>;
const settings: EdgeSettings = {
  variables: Object.fromEntries(
    ["BASE_URL", "MAILBOX_URL", "CLIENT_ID", "KEY_VERSION", "WALLET_URL", "CONTROL_SECRET"].map((name) => [
      name,
      variables[name] ?? "",
    ]),
  ),
  privateKey: readFileSync(variables["PRIVATE_KEY_FILE"] ?? "", "utf8"),
  gatewayPublicKey: readFileSync(variables["GATEWAY_PUBLIC_KEY_FILE"] ?? "", "utf8"),
  signCases,
  privateKeys: Object.fromEntries(signCases.map(({ key }) => [key, findKeyPair(key).privatePkcs8])),
};

const server = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
process.once("exit", () => void server.kill("SIGTERM"));
const url = `http://127.0.0.1:${port}/`;
for (const untilMs = Date.now() + startTimeoutMs; !(await isReachable()); await pause(100))
  if (Date.now() > untilMs || server.exitCode !== null)
    throw new Error("The server of edge workers did not start.");
const response = await fetch(url, { method: "POST", body: JSON.stringify(settings) });
process.stdout.write(`${await response.text()}\n`);
process.exit();

async function isReachable(): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
