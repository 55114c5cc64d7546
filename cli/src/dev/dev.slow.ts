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
import { freePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { firstLineOf, startProcess, type Running } from "./processes.ts";
import { root } from "./programs.ts";
import type { Ready } from "../running.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-dev-slow-"));
// If the test runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
await chmod(home, 0o755);
const folder = join(home, ".tollgate");
const port = await freePort();
const program = join(root, "cli/src/start.ts");
after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));

function startDev(...words: readonly string[]): Running {
  const all = [program, "dev", "--folder", folder, "--port", String(port), ...words];
  const running = startProcess("dev", all, {}, { stopTimeoutMs: 30_000 });
  after(() => running.stop());
  return running;
}

async function readyOf(running: Running): Promise<Ready> {
  return JSON.parse(await firstLineOf(running, "stdout")) as Ready;
}

async function tollgate(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words, "--folder", folder]);
  return stdout.trim();
}

const first = startDev("--json");
const ready = await readyOf(first);
let paymentId = "";

test("from the command line: a payment is paid, notified and refunded", async () => {
  const told: string[] = [];
  const shop = createServer((message, response) => {
    message.on("data", (chunk: Buffer) => told.push(chunk.toString("utf8")));
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
  await firstLineOf(listening, "stderr", /^Listening/);
  const heard = firstLineOf(listening, "stdout", new RegExp(`notifyPayment +SUCCESS +${paymentId}$`));
  assert.equal(await tollgate("approve", paymentId), "approved");
  assert.match(await tollgate("inquire", paymentId), /^SUCCESS {2}EUR 9\.90 {2}/);
  assert.match(await tollgate("refund", paymentId, "2.50"), /^SUCCESS {2}EUR 2\.50 {2}refund \d+$/);
  for (let tries = 0; tries < 100 && !told.some((text) => text.includes("PAYMENT_RESULT")); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(told.some((text) => text.includes(paymentId)));
  await heard;
  listening.child.kill("SIGINT");
  assert.equal(await listening.exited, 0);
});

/** Runs bash commands in the folder of the running `dev`, with `npx --no tollgate` as a reader has it. */
async function paste(lines: string, cwd = home): Promise<string> {
  const bin = join(home, "bin");
  await mkdir(bin, { recursive: true });
  const npx = `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_"));
  const env = { ...Object.fromEntries(others), PATH: `${bin}:${process.env["PATH"]}` };
  const { stdout } = await promisify(execFile)("bash", ["-euc", lines], { cwd, env });
  return stdout.trim();
}

const library = join(root, "clients/typescript/src/generated/package.ts");
const calling = `'${process.execPath}' --input-type=module -e '
  import { Tollgate } from "${library}";
  const answer = await new Tollgate().tollgate.inquiryOpenRecords({});
  console.log(answer.result.resultCode);'`;

test("the first commands in each client library's README work unchanged", async () => {
  const parts = ["typescript", "java", "php", "python", "go"].map((language) => {
    const readme = readFileSync(join(root, `clients/${language}/README.md`), "utf8");
    return /<!-- gateway -->([\s\S]*?)<!-- end of gateway -->/.exec(readme)?.[1] ?? "";
  });
  const [part = "", ...others] = new Set(parts);
  assert.deepEqual(others, [], "all READMEs have the same commands");
  const [dev, settings, approve] = [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  assert.equal(dev, "npx --no tollgate dev\n");
  const pay = `PAYMENT_ID=$('${join(root, "examples/curl/pay.sh")}' | sed -n 's/.*"paymentId":"\\([0-9]*\\)".*/\\1/p')`;
  assert.equal(await paste([settings, calling, pay, approve].join("\n")), "SUCCESS\napproved");
});

test("the settings of /docs/libraries can be pasted in any folder", async () => {
  const page = await (await fetch(`${ready.docsUrl}/libraries.md`)).text();
  const [, settings = ""] = /```\w*\n(export TOLLGATE_[\s\S]*?)```/.exec(page) ?? [];
  assert.equal(await paste(settings + calling, tmpdir()), "SUCCESS");
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
  const elsewhere = ["merchant", "list", "--environment", "sandbox"];
  await assert.rejects(tollgate(...elsewhere), /Set TOLLGATE_OWNER_DATABASE_URL\. docs/);
});

test("a second start in the folder fails and names the first one", async () => {
  const second = startDev("--json");
  assert.equal(await second.exited, 1);
  assert.match(
    second.said(),
    new RegExp(`already runs in .*, at ${ready.baseUrl} \\(process ${first.child.pid}\\)`),
  );
  assert.doesNotMatch(second.said(), /^\s+at /m);
});

test("after a SIGKILL it starts with the same data, and continues the payment", async () => {
  first.child.kill("SIGKILL");
  await first.exited;
  // Starts again at once, while the parts of the killed start still hold the ports. Each part stops when it notices
  // that its parent is gone.
  const again = startDev("--json");
  assert.deepEqual(await readyOf(again), ready);
  assert.match(await tollgate("inquire", paymentId), /^SUCCESS/);

  const toldAtMs = performance.now();
  again.child.kill("SIGINT");
  assert.equal(await again.exited, 0);
  assert.ok(performance.now() - toldAtMs < 5_000);
  assert.doesNotMatch(await readFile(join(folder, "dev.json"), "utf8"), /controlSecret/);
});

test("people see each step, the settings, and a line for each request", async () => {
  const running = startDev();
  await firstLineOf(running, "stdout", /^ {4}npx --no tollgate pay$/);
  assert.match(
    running.said(),
    /starting the database \(PostgreSQL \d+\)\n.*starting gateway, worker, wallet, shop, till/,
  );
  const line = firstLineOf(running, "stdout", /inquiryPayment +.*SUCCESS.* ms/);
  await tollgate("inquire", paymentId);
  await line;
  await running.stop();
});

test("--seed creates a payment in each state, and no second one at the next start", async () => {
  for (const start of ["first", "second"]) {
    const running = startDev("--seed", "--json");
    const { walletUrl, shopUrl } = await readyOf(running);
    const order = await (await fetch(`${shopUrl}/orders/seed-refunded-in-part`)).text();
    assert.match(order, /We have refunded EUR 10\.00\./);
    const wallet = await (await fetch(walletUrl)).text();
    const said = [...wallet.matchAll(/An order that is ([a-z ]+)<.*?<small>([^<]+)<\/small>/gs)];
    assert.deepEqual(
      // `cancelled` may be missing in the list: on a busy machine the cancel may overtake the order, and then the
      // provider never gets the order.
      { cancelled: "closed", ...Object.fromEntries(said.map(([, name, state]) => [name, state])) },
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
    assert.ok(said.length >= 10, `${said.length} orders`);
    await running.stop();
  }
});

const lan = Object.values(networkInterfaces()).some((list = []) => list.some(({ internal }) => !internal));

test(
  "--lan gives phones an address of this machine, and does not expose the control interface",
  { skip: !lan },
  async () => {
    const running = startDev("--lan", "--json");
    const { shopUrl, walletUrl, baseUrl, controlSecret } = await readyOf(running);
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
