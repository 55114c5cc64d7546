import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { startExampleGateway } from "./example-gateway.ts";
import { tryExample } from "./receiver.ts";
import { startShopDatabase } from "./shop-database.ts";

/**
 * Builds the package, compiles the examples against it, and runs each of them with a real gateway. If a
 * folder with the package and Express 4 is passed, the Express example also runs there, because shops use
 * both versions. This file is in `life` and not in the library's folder, because the library must not import
 * anything from `life`.
 */
const here = join(import.meta.dirname, "../typescript");
const express4Folder = process.argv[2];
const run = promisify(execFile);
const require = createRequire(import.meta.url);

await run(process.execPath, [join(here, "build.ts")]);
const names = (await readdir(join(here, "examples"))).filter((name) => /\.c?[jt]s$/.test(name));
await compile();
const gateway = await startExampleGateway();
const database = await startShopDatabase();
const { variables } = gateway;
try {
  const paymentId = /payment (\d+)/.exec(await output("pay.ts", {}))?.[1] ?? "";
  await gateway.approve(paymentId);
  expect(await output("wait.ts", { PAYMENT_ID: paymentId }), "SUCCESS");
  expect(await output("refund.ts", { PAYMENT_ID: paymentId }), "SUCCESS");
  expect(await output("unit-test.ts", {}), "ok");
  expect(await output("cancel.cjs", {}), "cancelled true");
  expect(await output("till.ts", {}, await gateway.paymentCode()), "Paid at the till: ");
  for (const name of names.filter((each) => each.startsWith("notify-"))) {
    // `serve-next.ts` runs the Next.js example, because Next.js calls a function with a Request.
    const file = name === "notify-next.ts" ? "serve-next.ts" : name;
    await hear(join(here, "examples", file));
  }
  // The webhooks have already updated the orders, so the feed has no new events for these orders.
  expect(await output("feed.ts", { DATABASE_URL: database.url }), "old news");
  if (express4Folder !== undefined) await hear(join(express4Folder, "notify-express.ts"));
} finally {
  await gateway.stop();
  await database.stop();
}
process.stdout.write(`typescript examples: ${names.length} ok\n`);

async function compile(): Promise<void> {
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  await run(process.execPath, [compiler, "--project", join(here, "examples")]).catch(
    (error: { readonly stdout: string }) => {
      throw new Error(error.stdout);
    },
  );
}

async function output(
  name: string,
  more: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<string> {
  const env = { ...process.env, ...variables, ...more };
  const parameters = [join(here, "examples", name), ...words];
  return (await run(process.execPath, parameters, { env, timeout: 60_000 })).stdout;
}

function expect(text: string, words: string): void {
  if (!text.includes(words)) throw new Error(`${JSON.stringify(text)} does not contain ${words}.`);
}

async function hear(file: string): Promise<void> {
  const shop = { cwd: dirname(file), variables: { DATABASE_URL: database.url } };
  await tryExample(gateway, [process.execPath, file], shop);
}
