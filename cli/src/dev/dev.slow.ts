import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { buildPortalOnce } from "./build-portal.ts";
import { waitForFirstLine, startProcess, type RunningPart } from "./processes.ts";
import { root } from "./programs.ts";
import type { Ready } from "../running-file.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-dev-slow-"));
// If the test runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
await chmod(home, 0o755);
const folder = join(home, ".tollgate");
const port = await findFreePort();
const program = join(root, "cli/src/start.ts");
after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));

function startDev(...words: readonly string[]): RunningPart {
  const commandLine = [program, "dev", "--folder", folder, "--port", String(port), ...words];
  const running = startProcess("dev", commandLine, {}, { stopTimeoutMs: 30_000 });
  after(() => running.stop());
  return running;
}

async function readReady(running: RunningPart): Promise<Ready> {
  return JSON.parse(await waitForFirstLine(running, "stdout")) as Ready;
}

async function tollgate(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, "--folder", folder]);
  return stdout.trim();
}

// Other test files build the portal of this checkout. If one did so between two starts, the second start would have
// addresses that the first one has not.
await buildPortalOnce(root, () => undefined);
const firstRun = startDev("--json");
const ready = await readReady(firstRun);
let paymentId = "";

test("from the command line: a payment is paid, notified and refunded", async () => {
  const receivedBodies: string[] = [];
  const shop = createServer((message, response) => {
    message.on("data", (chunk: Buffer) => receivedBodies.push(chunk.toString("utf8")));
    message.on("end", () => response.end('{"result":{"resultStatus":"S","resultCode":"SUCCESS"}}'));
  }).listen(0, "127.0.0.1");
  after(() => shop.close());
  await new Promise((resolve) => shop.once("listening", resolve));
  const notifyUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/notify`;

  const paid = JSON.parse(await tollgate("pay", "9.90", "--notify-url", notifyUrl, "--json")) as Record<
    string,
    string
  >;
  paymentId = paid["paymentId"] ?? "";
  assert.match(await tollgate("inquire", paymentId), /^PROCESSING/);
  const listening = startProcess("listen", [program, "listen", "--folder", folder], {});
  after(() => listening.stop());
  await waitForFirstLine(listening, "stderr", /^Listening/);
  const eventLine = waitForFirstLine(
    listening,
    "stdout",
    new RegExp(`notifyPayment +SUCCESS +${paymentId}$`),
  );
  assert.equal(await tollgate("approve", paymentId), "approved");
  assert.match(await tollgate("inquire", paymentId), /^SUCCESS {2}EUR 9\.90 {2}/);
  assert.match(await tollgate("refund", paymentId, "2.50"), /^SUCCESS {2}EUR 2\.50 {2}refund \d+$/);
  for (
    let tries = 0;
    tries < 100 && !receivedBodies.some((text) => text.includes("PAYMENT_RESULT"));
    tries += 1
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(receivedBodies.some((text) => text.includes(paymentId)));
  await eventLine;
  listening.child.kill("SIGINT");
  assert.equal(await listening.exited, 0);
});

/** Runs bash commands in the folder of the running `dev`, with `npx --no tollgate` as a reader has it. */
async function paste(lines: string, cwd = home): Promise<string> {
  const bin = join(home, "bin");
  await mkdir(bin, { recursive: true });
  const npx = `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
  const otherSettings = Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_"));
  const env = { ...Object.fromEntries(otherSettings), PATH: `${bin}:${process.env["PATH"]}` };
  const { stdout } = await promisify(execFile)("bash", ["-euc", lines], { cwd, env });
  return stdout.trim();
}

const library = join(root, "clients/typescript/src/generated/package.ts");
const callScript = `'${process.execPath}' --input-type=module -e '
  import { Tollgate } from "${library}";
  const answer = await new Tollgate().tollgate.inquiryOpenRecords({});
  console.log(answer.result.resultCode);'`;

test("the first commands in each client library's README work unchanged", async () => {
  const readmeSections = ["typescript", "java", "php", "python", "go"].map((language) => {
    const readme = readFileSync(join(root, `clients/${language}/README.md`), "utf8");
    return /<!-- gateway -->([\s\S]*?)<!-- end of gateway -->/.exec(readme)?.[1] ?? "";
  });
  const [commands = "", ...otherReadmes] = new Set(readmeSections);
  assert.deepEqual(otherReadmes, [], "all READMEs have the same commands");
  const [dev, settings, approve] = [...commands.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  assert.equal(dev, "npx --no tollgate dev\n");
  const pay = `PAYMENT_ID=$('${join(root, "examples/curl/pay.sh")}' | sed -n 's/.*"paymentId":"\\([0-9]*\\)".*/\\1/p')`;
  assert.equal(await paste([settings, callScript, pay, approve].join("\n")), "SUCCESS\napproved");
});

test("the settings of /docs/libraries can be pasted in any folder", async () => {
  const page = await (await fetch(`${ready.docsUrl}/libraries.md`)).text();
  const [, settings = ""] = /```\w*\n(export TOLLGATE_[\s\S]*?)```/.exec(page) ?? [];
  assert.equal(await paste(settings + callScript, tmpdir()), "SUCCESS");
});

test("any operation can be called, and a rejection is printed with exit code 1", async () => {
  const answer = JSON.parse(
    await tollgate("call", "inquiryPayment", JSON.stringify({ paymentId })),
  ) as Record<string, unknown>;
  assert.equal(answer["paymentStatus"], "SUCCESS");
  await assert.rejects(tollgate("call", "inquiryPayment", '{"paymentId":"none"}'), (error) => {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return code === 1 && stdout.includes("ORDER_NOT_EXIST");
  });
});

test("without its own settings, an operator's command works on the gateway of this folder", async () => {
  assert.match(await tollgate("merchant", "list"), new RegExp(`^${ready.clientId} +Coffee Lab +ACTIVE`, "m"));
  assert.match(
    await tollgate("payment", "show", paymentId),
    /^amount +EUR 9\.90, .*refunded EUR 2\.50, left EUR 7\.40$/m,
  );
  const otherInstallation = ["merchant", "list", "--environment", "sandbox"];
  await assert.rejects(tollgate(...otherInstallation), /Set TOLLGATE_OWNER_DATABASE_URL\. docs/);
});

test("a second start in the folder fails and names the first one", async () => {
  const secondRun = startDev("--json");
  assert.equal(await secondRun.exited, 1);
  assert.match(
    secondRun.stderrTail(),
    new RegExp(`already runs in .*, at ${ready.baseUrl} \\(process ${firstRun.child.pid}\\)`),
  );
  assert.doesNotMatch(secondRun.stderrTail(), /^\s+at /m);
});

test("after a SIGKILL it starts with the same data, and continues the payment", async () => {
  firstRun.child.kill("SIGKILL");
  await firstRun.exited;
  // Starts again at once, while the parts of the killed start still hold the ports. Each part stops when it notices
  // that its parent is gone.
  const restarted = startDev("--json");
  assert.deepEqual(await readReady(restarted), ready);
  assert.match(await tollgate("inquire", paymentId), /^SUCCESS/);

  const stoppedAtMs = performance.now();
  restarted.child.kill("SIGINT");
  assert.equal(await restarted.exited, 0);
  assert.ok(performance.now() - stoppedAtMs < 5_000);
  assert.doesNotMatch(await readFile(join(folder, "dev.json"), "utf8"), /controlSecret/);
});

test("people see each step, the settings, and a line for each request", async () => {
  const running = startDev();
  await waitForFirstLine(running, "stdout", /^ {4}npx --no tollgate pay$/);
  assert.match(
    running.stderrTail(),
    /starting the database \(PostgreSQL \d+\)\n.*starting gateway, worker, wallet, shop, till/,
  );
  const line = waitForFirstLine(running, "stdout", /inquiryPayment +.*SUCCESS.* ms/);
  await tollgate("inquire", paymentId);
  await line;
  await running.stop();
});

test("--seed creates a payment in each state, and no second one at the next start", async () => {
  for (const start of ["first", "second"]) {
    const running = startDev("--seed", "--json");
    const { walletUrl, shopUrl } = await readReady(running);
    const order = await (await fetch(`${shopUrl}/orders/seed-refunded-in-part`)).text();
    assert.match(order, /We have refunded EUR 10\.00\./);
    const wallet = await (await fetch(walletUrl)).text();
    const orders = [...wallet.matchAll(/An order that is ([a-z ]+)<.*?<small>([^<]+)<\/small>/gs)];
    assert.deepEqual(
      // `cancelled` may be missing in the list: on a busy machine the cancel may overtake the order, and then the
      // provider never gets the order.
      { cancelled: "closed", ...Object.fromEntries(orders.map(([, name, state]) => [name, state])) },
      {
        open: "open",
        pending: "being decided",
        paid: "paid",
        refunded: "€24.00 refunded",
        "refunded in part": "€10.00 refunded",
        declined: "declined",
        "without money": "declined",
        cancelled: "closed",
        held: "held",
        "captured in part": "€120.00 charged",
        disputed: "paid",
      },
      start,
    );
    assert.ok(orders.length >= 10, `${orders.length} orders`);
    await running.stop();
  }
});

const hasNetwork = Object.values(networkInterfaces()).some((list = []) =>
  list.some(({ internal }) => !internal),
);

test(
  "--lan gives phones an address of this machine, and does not expose the control interface",
  { skip: !hasNetwork },
  async () => {
    const running = startDev("--lan", "--json");
    const { shopUrl, walletUrl, baseUrl, controlSecret } = await readReady(running);
    assert.equal(new URL(baseUrl).hostname, "127.0.0.1");
    const { hostname } = new URL(shopUrl);
    assert.notEqual(hostname, "127.0.0.1");
    const paid = JSON.parse(await tollgate("pay", "--json")) as { readonly normalUrl: string };
    assert.equal(new URL(paid.normalUrl).hostname, hostname);
    for (const page of [shopUrl, paid.normalUrl]) assert.equal((await fetch(page)).status, 200);
    const outside = walletUrl.replace("127.0.0.1", hostname);
    assert.equal((await fetch(outside)).status, 200);
    const authorization = `Bearer ${controlSecret}`;
    assert.equal((await fetch(`${outside}/control/orders`, { headers: { authorization } })).status, 403);
    const gateway = baseUrl.replace("127.0.0.1", hostname);
    assert.equal((await fetch(`${gateway}/sandbox/universes`, { headers: { authorization } })).status, 403);
    assert.equal((await fetch(`${baseUrl}/sandbox/universes`, { headers: { authorization } })).status, 200);
    const docs = await (await fetch(`${gateway}/docs/payments/pay`)).text();
    assert.ok(docs.includes("merchant-private.pem") && !docs.includes("/merchant-private.pem"));
    await running.stop();
  },
);
