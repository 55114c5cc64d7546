import { execFile, spawn, type ChildProcess } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { startDevGateway, type DevGateway } from "../life/dev-gateway.ts";
import { newRequestId } from "./src/request-id.ts";
import { Tollgate } from "./src/tollgate.ts";

/** Builds the package, compiles the examples against it, and runs each of them with a real gateway. */
const here = import.meta.dirname;
const run = promisify(execFile);
const require = createRequire(import.meta.url);

await run(process.execPath, [join(here, "build.ts")]);
const names = (await readdir(join(here, "examples"))).filter((name) => /\.c?[jt]s$/.test(name));
const missing = names.filter((name) => !isInstalled(name));
await compile();
const gateway = await startDevGateway();
const variables = await variablesFor(gateway);
const client = new Tollgate({
  environment: "sandbox",
  clientId: variables["TOLLGATE_CLIENT_ID"],
  baseUrl: variables["TOLLGATE_BASE_URL"],
  privateKey: variables["TOLLGATE_PRIVATE_KEY"],
  gatewayPublicKeys: variables["TOLLGATE_GATEWAY_PUBLIC_KEY"],
});
try {
  const paymentId = /payment (\d+)/.exec(await output("pay.ts", {}))?.[1] ?? "";
  await approve(paymentId);
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

async function variablesFor(dev: DevGateway): Promise<Readonly<Record<string, string>>> {
  return {
    TOLLGATE_BASE_URL: dev.baseUrl,
    TOLLGATE_CLIENT_ID: dev.clientId,
    TOLLGATE_KEY_VERSION: String(dev.keyVersion),
    TOLLGATE_PRIVATE_KEY: await readFile(dev.merchantPrivateKeyFile, "utf8"),
    TOLLGATE_GATEWAY_PUBLIC_KEY: await readFile(dev.gatewayPublicKeyFile, "utf8"),
  };
}

async function output(name: string, more: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...process.env, ...variables, ...more };
  return (await run(process.execPath, [join(here, "examples", name)], { env, timeout: 60_000 })).stdout;
}

function expect(text: string, words: string): void {
  if (!text.includes(words)) throw new Error(`${JSON.stringify(text)} does not say ${words}.`);
}

/** The buyer pays. */
async function approve(paymentId: string): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.controlSecret}` };
  const url = `${gateway.walletUrl}/control/payments/${paymentId}/approve`;
  const response = await fetch(url, { method: "POST", headers });
  if (response.status !== 200) throw new Error(await response.text());
}

/** Starts an endpoint, has a payment made, and waits until the endpoint has been told of it, and has said so. */
async function hear(name: string): Promise<void> {
  const port = await freePort();
  const served = serve(name, port);
  try {
    await pause(1_500);
    const paymentId = await pay(`http://127.0.0.1:${port}/notify?shop=1`);
    await approve(paymentId);
    await served.said("told SUCCESS");
    await untilDelivered(paymentId);
  } finally {
    served.child.kill();
  }
}

async function pay(paymentNotifyUrl: string): Promise<string> {
  const amount = { currency: "EUR", value: "1250" };
  const { paymentId = "" } = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: newRequestId("example"),
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl,
    env: { terminalType: "WEB" },
  });
  return paymentId;
}

async function untilDelivered(subjectId: string): Promise<void> {
  for (let tries = 0; tries < 25; tries += 1) {
    const { notifications = [] } = await client.tollgate.inquiryNotifications({ subjectId });
    if (notifications.some(({ notificationStatus }) => notificationStatus === "DELIVERED")) return;
    await pause(200);
  }
  throw new Error(`The notification of ${subjectId} was not acknowledged.`);
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
