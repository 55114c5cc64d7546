import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { root } from "./src/dev/programs.ts";

/** Runs the README's start commands and its four pasted blocks, one after the other, with a buyer in a real browser. */
const home = await mkdtemp(join(tmpdir(), "tollgate-readme-"));
await chmod(home, 0o755);
// A copy of the checkout's layout, so that the test does not change a developer's own `.tollgate` and `.env`.
for (const name of ["examples", "node_modules"]) await symlink(join(root, name), join(home, name));
const readme = await readFile(join(root, "README.md"), "utf8");
const [start = "", ...pastes] = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = ""]) => lines);
const [, command = ""] = start.split("\n");
const port = String(await findFreePort());
const dev = spawn("bash", ["-c", `exec ${command} --port ${port} </dev/null`], {
  cwd: home,
  stdio: ["ignore", "pipe", "pipe"],
});
const ended = new Promise((resolve) => dev.once("exit", resolve));
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
/** One shell runs all pasted blocks, because a reader uses one terminal. */
const shell = spawn("bash", [], { cwd: home, stdio: ["pipe", "pipe", "inherit"] });
after(async () => {
  await browser.close();
  shell.kill();
  dev.kill("SIGTERM");
  await ended;
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** The time limit is high, because a first start builds the portal, and other slow tests load the machine. */
const limitMs = 120_000;

function waitForOutput(stream: NodeJS.ReadableStream, end: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = "";
  const timer = setTimeout(
    () => reject(new Error(`Not printed within ${limitMs} ms: ${end}\n${output}`)),
    limitMs,
  );
  const onData = (chunk: Buffer): void => {
    output += chunk.toString("utf8");
    if (!end.test(output)) return;
    clearTimeout(timer);
    stream.off("data", onData);
    resolve(output);
  };
  stream.on("data", onData);
  return promise;
}

let pasted = 0;

/** Runs the lines in the shell, checks that they succeed, and returns their output. */
async function paste(lines: string): Promise<string> {
  pasted += 1;
  const promptLine = waitForOutput(shell.stdout, new RegExp(`^paste ${pasted}: \\d+$`, "m"));
  shell.stdin.write(`${lines}\necho "paste ${pasted}: $?"\n`);
  const output = await promptLine;
  assert.match(output, new RegExp(`^paste ${pasted}: 0$`, "m"), output);
  return output;
}

test("the README has four pasted blocks", () => {
  assert.equal(start, "npm ci\nnpx --no tollgate dev\n");
  assert.equal(pastes.length, 4);
});

test("pay, receive the webhook, refund and advance the clock, as the README says", async () => {
  const errorOutput = text(dev.stderr);
  await Promise.race([
    waitForOutput(dev.stdout, /npx --no tollgate pay/),
    ended.then(async () => assert.fail(await errorOutput)),
  ]);
  const [payPaste = "", listenPaste = "", refundPaste = "", clockPaste = ""] = pastes;

  const paid = await paste(payPaste);
  assert.match(paid, /^signature: verified$/m);
  const page = await browser.newPage();
  page.setDefaultTimeout(limitMs);
  await page.goto(/^normalUrl: (.+)$/m.exec(paid)?.[1] ?? "");
  await page.getByRole("link", { name: /^Pay with/ }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("link", { name: "Back to Coffee Lab" }).click();
  await page.getByRole("heading", { name: "Thank you!" }).waitFor();
  await page.getByText("Received webhook: notifyPayment SUCCESS. Its signature is valid.").waitFor();

  const { paymentId } = JSON.parse(paid.split("\n")[0] ?? "") as { readonly paymentId: string };
  assert.match(await paste(listenPaste), new RegExp(`notifyPayment +SUCCESS +${paymentId}$`, "m"));
  assert.match(await paste(refundPaste), /"resultStatus":"S".*\nsignature: verified/);
  await page.getByRole("heading", { name: "You have your money back" }).waitFor();
  const clockOutput = await paste(clockPaste);
  assert.match(clockOutput, /^your clock: .*\n(?:.*\n)*.*(?:close|Close|expire|Tell)/m);
  const tea = /"paymentRequestId":"(tea-\d+)"/.exec(clockOutput)?.[1] ?? "";
  await page.goto(new URL(`/orders/${tea}`, page.url()).href);
  await page.getByRole("heading", { name: "Not paid" }).waitFor();
});
