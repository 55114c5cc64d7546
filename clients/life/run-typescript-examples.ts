import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startExampleGateway } from "./example-gateway.ts";
import { testReceiverExample } from "./receiver-examples.ts";
import { startShopDatabase } from "./shop-database.ts";

/**
 * Builds the package, compiles the examples against it, and runs each of them with a real gateway. If a
 * folder with the package and Express 4 is passed, the Express example also runs there, because shops use
 * both versions. This file is in `life` and not in the library's folder, because the library must not import
 * anything from `life`.
 */
const libraryFolder = join(import.meta.dirname, "../typescript");
const express4Folder = process.argv[2];
const run = promisify(execFile);
const require = createRequire(import.meta.url);

await run(process.execPath, [join(libraryFolder, "build.ts")]);
const names = (await readdir(join(libraryFolder, "examples"))).filter((name) => /\.c?[jt]s$/.test(name));
await compile();
const gateway = await startExampleGateway();
const database = await startShopDatabase();
const { variables } = gateway;
try {
  const paymentId = /payment (\d+)/.exec(await output("pay.ts", {}))?.[1] ?? "";
  await gateway.approve(paymentId);
  expectText(await output("wait.ts", { PAYMENT_ID: paymentId }), "SUCCESS");
  expectText(await output("refund.ts", { PAYMENT_ID: paymentId }), "SUCCESS");
  expectText(await output("unit-test.ts", {}), "ok");
  expectText(await output("cancel.cjs", {}), "cancelled true");
  expectText(await output("till.ts", {}, await gateway.paymentCode()), "Paid at the till: ");
  for (const name of names.filter((each) => each.startsWith("notify-"))) {
    // `serve-next.ts` runs the Next.js example, because Next.js calls a function with a Request.
    const file = name === "notify-next.ts" ? "serve-next.ts" : name;
    await testReceiver(join(libraryFolder, "examples", file));
  }
  // The webhooks have already updated the orders, so the feed has no new events for these orders.
  expectText(await output("feed.ts", { DATABASE_URL: database.url }), "old news");
  if (express4Folder !== undefined) await testReceiver(join(express4Folder, "notify-express.ts"));
} finally {
  await gateway.stop();
  await database.stop();
}
process.stdout.write(`typescript examples: ${names.length} ok\n`);

async function compile(): Promise<void> {
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  await run(process.execPath, [compiler, "--project", join(libraryFolder, "examples")]).catch(
    (error: { readonly stdout: string }) => {
      throw new Error(error.stdout);
    },
  );
}

async function output(
  name: string,
  extraVariables: Readonly<Record<string, string>>,
  ...exampleParameters: readonly string[]
): Promise<string> {
  const env = { ...process.env, ...variables, ...extraVariables };
  const parameters = [join(libraryFolder, "examples", name), ...exampleParameters];
  return (await run(process.execPath, parameters, { env, timeout: 60_000 })).stdout;
}

function expectText(text: string, exampleParameters: string): void {
  if (!text.includes(exampleParameters))
    throw new Error(`${JSON.stringify(text)} does not contain ${exampleParameters}.`);
}

async function testReceiver(file: string): Promise<void> {
  const shop = { cwd: dirname(file), variables: { DATABASE_URL: database.url } };
  await testReceiverExample(gateway, [process.execPath, file], shop);
}
