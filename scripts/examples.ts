import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitForFirstLine, startProcess } from "../cli/src/dev/processes.ts";
import { exampleVariables } from "../cli/src/dev/ready.ts";
import type { Ready } from "../cli/src/running-file.ts";

/** Runs every example against a complete Tollgate, to prove that the documented code works. */
const root = fileURLToPath(new URL("../", import.meta.url));
const payExample = "examples/curl/pay.sh";
/** This example runs last, because it advances the merchant's test clock. */
const clockExample = "examples/curl/clock.sh";
const listenExample = "examples/curl/listen.sh";
/** Arguments that make an endless example end. */
const argumentsOfEndless: Readonly<Record<string, readonly string[]>> = { [listenExample]: ["1"] };
// A longer timeout than `dev` needs to kill each of its processes, because `dev` must outlive them.
const dev = startProcess("dev", ["scripts/dev.ts", "--json"], {}, { stopTimeoutMs: 30_000 });
const interrupted = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    interrupted.abort();
    void dev.stop();
  });
}

try {
  const ready = JSON.parse(await waitForFirstLine(dev, "stdout")) as Ready;
  const examples = await findExamples();
  const variables = exampleVariables(ready);
  const payFor = async (order: string): Promise<string> =>
    paymentIdIn(await runExample(payExample, { ...variables, PAYMENT_REQUEST_ID: order }));
  // The test lets the webhook of another payment arrive first, which `listen.sh 1` must ignore.
  await approve(ready, await payFor("earlier"));
  const paymentId = await payFor("coffee");
  await approve(ready, paymentId);
  for (const example of examples.filter(
    (path) => path !== payExample && path !== clockExample && path !== listenExample,
  )) {
    await runExample(example, { ...variables, PAYMENT_ID: paymentId });
  }
  const listenOutput = await runExample(listenExample, { ...variables, PAYMENT_REQUEST_ID: "coffee" });
  if (!listenOutput.includes(paymentId))
    throw new Error(`${listenExample} shows the webhook of another payment.`);
  const unpaid = await payFor("tea");
  const clockOutput = await runExample(clockExample, variables);
  if (!clockOutput.includes(`payment ${unpaid} is FAIL, ORDER_IS_CLOSED: it is closed`))
    throw new Error(`${clockExample} does not print ${unpaid} is closed.`);
  await dev.stop();
  const code = await dev.exited;
  if (code !== 0) throw new Error(`npm run dev ended with ${code}.`);
  process.stdout.write(`examples: ${examples.length} ok\n`);
} catch (error) {
  process.stderr.write(`examples: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await dev.stop();
}

/** Executable examples have a shebang line; the other files are only read or sourced. */
async function findExamples(): Promise<readonly string[]> {
  const entries = await readdir(join(root, "examples"), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return paths
    .filter((_, index) => texts[index]?.startsWith("#!"))
    .map((path) => path.slice(root.length))
    .sort();
}

/** Prints the output of an example as it arrives, and returns it. */
function runExample(path: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const words = argumentsOfEndless[path] ?? [];
  process.stdout.write(`\n$ ${[path, ...words].join(" ")}\n`);
  const child = spawn(join(root, path), words, {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
    signal: interrupted.signal,
    timeout: 60_000,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    process.stdout.write(text);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      code === 0 ? resolve(printed) : reject(new Error(`${path} ended with ${code ?? signal}.`)),
    );
  });
}

/** Acts as the buyer, because only a paid payment can be refunded. */
async function approve({ walletUrl, controlSecret }: Ready, paymentId: string): Promise<void> {
  const response = await fetch(`${walletUrl}/control/payments/${paymentId}/approve`, {
    method: "POST",
    headers: { authorization: `Bearer ${controlSecret}` },
  });
  if (!response.ok) throw new Error(`The provider rejected the buyer's approval: ${await response.text()}`);
}

function paymentIdIn(printed: string): string {
  const { paymentId } = JSON.parse(printed.split("\n")[0] ?? "") as { readonly paymentId?: string };
  if (!paymentId) throw new Error(`${payExample} printed no paymentId.`);
  return paymentId;
}
