import { execFile, spawn, type ChildProcess } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { startExampleGateway } from "../life/example-gateway.ts";

/** Builds the package, compiles the examples against it, and runs each of them with a real gateway. */
const here = import.meta.dirname;
const run = promisify(execFile);
const require = createRequire(import.meta.url);

await run(process.execPath, [join(here, "build.ts")]);
const names = (await readdir(join(here, "examples"))).filter((name) => /\.c?[jt]s$/.test(name));
const missing = names.filter((name) => !isInstalled(name));
await compile();
const gateway = await startExampleGateway();
const { variables } = gateway;
try {
  const paymentId = /payment (\d+)/.exec(await output("pay.ts", {}))?.[1] ?? "";
  await gateway.approve(paymentId);
  expect(await output("wait.ts", { PAYMENT_ID: paymentId }), "SUCCESS");
  expect(await output("refund.ts", { PAYMENT_ID: paymentId }), "SUCCESS");
  expect(await output("unit-test.ts", {}), "ok");
  expect(await output("cancel.cjs", {}), "cancelled true");
  for (const name of names.filter((each) => each.startsWith("notify-") && !missing.includes(each))) {
    await hear(name);
  }
} finally {
  await gateway.stop();
}
const skipped =
  missing.length > 0 ? `, not run because its framework is not installed: ${missing.join(" ")}` : "";
process.stdout.write(`typescript examples: ${names.length - missing.length} ok${skipped}\n`);

function isInstalled(name: string): boolean {
  const framework = /^notify-(express|fastify)/.exec(name)?.[1];
  if (framework === undefined) return true;
  try {
    return require.resolve(framework) !== "";
  } catch {
    return false;
  }
}

async function compile(): Promise<void> {
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  const found = await run(process.execPath, [compiler, "--project", join(here, "examples")]).catch(
    (error: { readonly stdout: string }) => error,
  );
  const problems = found.stdout.split("\n").filter((line) => line.includes("error TS"));
  const real = problems.filter((line) => !missing.some((name) => line.includes(name)));
  if (real.length > 0) throw new Error(real.join("\n"));
}

async function output(name: string, more: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...process.env, ...variables, ...more };
  return (await run(process.execPath, [join(here, "examples", name)], { env, timeout: 60_000 })).stdout;
}

function expect(text: string, words: string): void {
  if (!text.includes(words)) throw new Error(`${JSON.stringify(text)} does not say ${words}.`);
}

/** Starts an endpoint, has a payment made, and waits until the endpoint has been told of it, and has said so. */
async function hear(name: string): Promise<void> {
  const port = await freePort();
  const served = serve(name, port);
  try {
    await pause(1_500);
    const paymentId = await gateway.pay(`http://127.0.0.1:${port}/notify?shop=1`);
    await gateway.approve(paymentId);
    await served.said("told SUCCESS");
    await gateway.untilDelivered(paymentId);
  } finally {
    served.child.kill();
  }
}

interface Served {
  readonly child: ChildProcess;
  said(words: string): Promise<void>;
}

/** Next.js calls a function with a Request; so do we. */
function serve(name: string, port: number): Served {
  const file = join(here, "examples", name);
  const words = [name === "notify-next.ts" ? join(here, "serve-route.ts") : file];
  const child = spawn(process.execPath, words, {
    env: { ...process.env, ...variables, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let heard = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (heard += text));
  return {
    child,
    async said(text) {
      for (let tries = 0; tries < 100 && !heard.includes(text); tries += 1) await pause(100);
      if (!heard.includes(text)) throw new Error(`${name} did not say ${text}.`);
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
