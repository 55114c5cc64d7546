import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { globSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { signatureFor, signatureHolds } from "../clients/typescript/src/signing.ts";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { waitForFirstLine, startProcess, type RunningPart } from "../cli/src/dev/processes.ts";
import { formatWelcome } from "../cli/src/dev/ready.ts";
import type { Ready } from "../cli/src/running-file.ts";

const inquiryPath = "/ams/sandbox/api/v1/payments/inquiryPayment";
const devStopTimeoutMs = 10_000;

const httpsPort = await findFreePort();
const fullStart = await startDev("--https-port", String(httpsPort));
const line = await waitForFirstLine(fullStart.running, "stdout");
const ready = JSON.parse(line) as Ready;

test("one line of JSON has everything that a caller needs", async () => {
  assert.deepEqual(Object.keys(ready).sort(), [
    "baseUrl",
    "cardUrl",
    "certificateFile",
    "clientId",
    "controlSecret",
    "docsUrl",
    "effectsFile",
    "gatewayPublicKeyFile",
    "httpsBaseUrl",
    "keyVersion",
    "merchantPrivateKeyFile",
    "operatorUrl",
    "portalUrl",
    "serveMetricsUrl",
    "shopUrl",
    "staffUrl",
    "tillUrl",
    "walletUrl",
    "workMetricsUrl",
  ]);
  for (const url of [ready.serveMetricsUrl, ready.workMetricsUrl])
    assert.match(await (await fetch(url)).text(), /^tollgate_ready 1$/m);
  assert.equal(ready.keyVersion, 1);
  assert.equal(ready.httpsBaseUrl, `https://127.0.0.1:${httpsPort}`);
  for (const [name, value] of Object.entries(ready)) {
    if (name.endsWith("File")) assert.ok((await stat(String(value))).isFile(), name);
  }
  assert.equal((await fetch(ready.docsUrl)).status, 200);
  assert.equal((await fetch(ready.cardUrl)).status, 200);
  const merchantView = { url: `${ready.baseUrl}/console/views/payments`, field: "payments" };
  await followSignInLink(new URL(ready.portalUrl ?? ""), merchantView);
  const staffView = { url: `${ready.staffUrl}/console/staff/merchants`, field: "merchants" };
  await followSignInLink(new URL(ready.operatorUrl ?? ""), staffView);
  const authorization = `Bearer ${ready.controlSecret}`;
  const orders = await fetch(`${ready.walletUrl}/control/orders`, { headers: { authorization } });
  assert.deepEqual(await orders.json(), { orders: [] });
});

/** Opens the link as the page does, and sends a request with the resulting token. */
async function followSignInLink(
  { origin, hash }: URL,
  { url, field }: { readonly url: string; readonly field: string },
): Promise<void> {
  const json = { origin, "content-type": "application/json" };
  const post = (path: string, body: object, headers = {}): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...json, ...headers },
    });
  const signIn = await post("/accounts/developer", { token: hash.slice(1) });
  const [cookie = ""] = (signIn.headers.get("set-cookie") ?? "").split(";");
  const tokenResponse = await post("/accounts/token", { environment: "sandbox" }, { cookie });
  const { token } = (await tokenResponse.json()) as { readonly token: string };
  const headers = { ...json, authorization: `Bearer ${token}`, "client-id": ready.clientId };
  const viewResponse = (await (await fetch(url, { method: "POST", body: "{}", headers })).json()) as object;
  assert.partialDeepStrictEqual(viewResponse, { result: { resultCode: "SUCCESS" } });
  assert.ok(field in viewResponse);
}

test("the links of portal and operator console open a page in the browser, signed in", async () => {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  after(() => browser.close());
  for (const [link, heading] of [
    [ready.portalUrl, "API requests"],
    [ready.operatorUrl, "Open records"],
  ] as const) {
    const page = await (await browser.newContext({ locale: "en" })).newPage();
    await page.goto(link ?? "");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor({ timeout: 30_000 });
  }
});

test("a signed inquiry gets a response with the gateway's signature", async () => {
  await inquire(httpRequest, ready.baseUrl, {});
});

test("the certificate is valid for this machine, and only for clients that trust it explicitly", async () => {
  const ca = await readFile(ready.certificateFile ?? "", "utf8");
  await inquire(httpsRequest, ready.httpsBaseUrl ?? "", { ca });
  await assert.rejects(inquire(httpsRequest, ready.httpsBaseUrl ?? "", {}), {
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
});

test("the command in the welcome text takes a payment in any folder", async () => {
  const pasted = formatWelcome(ready).split("\n\n").at(-2) ?? "";
  const options = { cwd: tmpdir(), env: { PATH: process.env["PATH"] } };
  const { stdout } = await promisify(execFile)("bash", ["-c", pasted], options);
  const [answer = "", verdict, page = ""] = stdout.split("\n");
  assert.partialDeepStrictEqual(JSON.parse(answer), { result: { resultCode: "PAYMENT_IN_PROCESS" } });
  assert.equal(verdict, "signature: verified");
  assert.equal((await fetch(page.replace("normalUrl: ", ""))).status, 200);
});

test("logs of its processes are shown with the caller's address, for people and in addition to the one line of JSON", async () => {
  await inquire(httpRequest, ready.baseUrl, {});
  await waitUntil(
    5_000,
    async () =>
      /^\d\d:\d\d:\d\d info  serve  .*path=\/ams\/.* address=127\.0\.0\.1 code=ORDER_NOT_EXIST/m.test(
        fullStart.stderr(),
      ) || undefined,
  );
  assert.match(
    fullStart.stderr(),
    /^\d\d:\d\d:\d\d info  serve-staff .*path=\/console\/staff\/merchants .*code=SUCCESS/m,
  );
  assert.equal(fullStart.printed(), `${line}\n`);
});

test("serve and work do not have the owner's login, and open no inspector", async () => {
  for (const command of ["serve", "serve-staff", "work"]) {
    const pids = await processesOf(fullStart, `server/src/main.ts\0${command}`);
    assert.ok(pids.length > 0, command);
    for (const pid of pids) {
      assert.doesNotMatch(
        await readFile(`/proc/${pid}/environ`, "utf8"),
        /TOLLGATE_OWNER_DATABASE_URL=[^\0]/,
      );
      process.kill(Number(pid), "SIGUSR1");
    }
  }
  await sleep(500);
  assert.doesNotMatch(fullStart.stderr(), /Debugger listening/);
  await inquire(httpRequest, ready.baseUrl, {});
});

test("after a termination signal it removes everything that it has started or written", async () => {
  assert.ok((await processesOf(fullStart)).length > 5);
  // The test sends a second signal during the cleanup, as npm does after Ctrl-C. It does so only for a complete start:
  // after an interrupted start, Node has already removed its signal handlers, and the second signal would kill the
  // process.
  setTimeout(() => fullStart.running.child.kill("SIGTERM"), 50);
  await assertCleanStop(fullStart);
  assert.equal(fullStart.printed(), `${line}\n`);
});

/** Stage of the start → the file that appears at the beginning of this stage. */
const startStages = {
  "while the database is made": "tollgate-postgres-*/data/base",
  "while the first commands run": "tollgate-dev-*/gateway-public.pem",
};

for (const [moment, sign] of Object.entries(startStages)) {
  test(`terminated ${moment}, it leaves nothing behind either`, async () => {
    const starting = await startAndInterrupt(sign);
    await assertCleanStop(starting);
    assert.equal(starting.printed(), "");
  });
}

/**
 * `startAndInterrupt` starts again if the start completed before the test noticed the stage, which can happen on a busy
 * machine.
 */
async function startAndInterrupt(sign: string, triesLeft = 3): Promise<Dev> {
  const starting = await startDev();
  // The test lists only the files of this pattern. Listing all files of the database takes longer than the rest of the
  // start.
  await waitUntil(20_000, async () => globSync(sign, { cwd: starting.folder })[0]);
  if (starting.printed() === "" || triesLeft === 1) return starting;
  await starting.running.stop();
  return startAndInterrupt(sign, triesLeft - 1);
}

test("if its PostgreSQL exits, it reports that, ends everything else and fails", async () => {
  const started = await startDev();
  await waitForFirstLine(started.running, "stdout");
  const [pid] = await processesOf(started, "postgres\0-D");
  process.kill(Number(pid), "SIGKILL");
  assert.equal(await started.running.exited, 1);
  assert.match(started.stderr(), /^PostgreSQL has exited with SIGKILL; the other parts are stopped, too\.$/m);
  assert.deepEqual(await readdir(started.folder), []);
  await waitUntil(5_000, async () => (await processesOf(started)).length === 0 || undefined);
});

interface Dev {
  readonly running: RunningPart;
  /** TMPDIR of the process, which contains all its folders. */
  readonly folder: string;
  printed(): string;
  /** Its standard error. */
  stderr(): string;
}

async function startDev(...words: readonly string[]): Promise<Dev> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-dev-test-"));
  // PostgreSQL runs as another user when the test is root, and must enter the folder.
  await chmod(folder, 0o755);
  const program = ["scripts/dev.ts", "--json", ...words];
  const variables = { TMPDIR: folder, TOLLGATE_LOG_LEVEL: "info" };
  const running = startProcess("dev", program, variables, { stopTimeoutMs: 30_000 });
  let [printed, stderr] = ["", ""];
  running.child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  running.child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString("utf8");
  });
  const dev = { running, folder, printed: () => printed, stderr: () => stderr };
  after(async () => {
    await running.stop();
    // A failed test may leave processes, which this hook ends.
    for (const pid of await processesOf(dev)) process.kill(Number(pid), "SIGQUIT");
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return dev;
}

async function assertCleanStop(started: Dev): Promise<void> {
  const { child, exited } = started.running;
  const signalledAtMs = performance.now();
  child.kill("SIGTERM");
  assert.equal(await exited, 0, started.stderr());
  assert.ok(performance.now() - signalledAtMs < devStopTimeoutMs);
  assert.deepEqual(await readdir(started.folder), []);
  assert.deepEqual(await processesOf(started), []);
}

/** The pids of `dev` and all its descendants, recognised by their TMPDIR; `words` selects by command line. */
async function processesOf({ folder }: Dev, words = ""): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = (file: string): Promise<readonly string[]> =>
    Promise.all(pids.map((pid) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")));
  const [variables, commands] = [await read("environ"), await read("cmdline")];
  const isOurs = (index: number): boolean =>
    variables[index]?.split("\0").includes(`TMPDIR=${folder}`) === true &&
    commands[index]?.includes(words) === true;
  return pids.filter((_, index) => isOurs(index));
}

/** Inquires a payment that does not exist, and verifies the signature of the response. */
async function inquire(
  send: typeof httpRequest | typeof httpsRequest,
  baseUrl: string,
  trust: { readonly ca?: string },
): Promise<void> {
  const { clientId, keyVersion } = ready;
  const message = { path: inquiryPath, clientId, time: String(Date.now()), body: '{"paymentId":"none"}' };
  const privateKey = createPrivateKey(await readFile(ready.merchantPrivateKeyFile));
  const headers = {
    "content-type": "application/json; charset=UTF-8",
    "client-id": clientId,
    "request-time": message.time,
    signature: signatureFor(message, privateKey, keyVersion),
  };
  const { headers: responseHeaders, body } = await new Promise<{
    headers: IncomingHttpHeaders;
    body: string;
  }>((resolve, reject) => {
    const outgoing = send(`${baseUrl}${inquiryPath}`, { ...trust, method: "POST", headers, agent: false });
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => {
      text(incoming).then((read) => resolve({ headers: incoming.headers, body: read }), reject);
    });
    outgoing.end(message.body);
  });
  assert.partialDeepStrictEqual(JSON.parse(body), { result: { resultCode: "ORDER_NOT_EXIST" } });
  const answer = { path: inquiryPath, clientId, time: String(responseHeaders["response-time"]), body };
  const gatewayKey = await readFile(ready.gatewayPublicKeyFile, "utf8");
  assert.ok(signatureHolds(answer, String(responseHeaders["signature"]), gatewayKey));
}

async function waitUntil<Value>(withinMs: number, poll: () => Promise<Value | undefined>): Promise<Value> {
  const giveUpAtMs = performance.now() + withinMs;
  while (performance.now() < giveUpAtMs) {
    const value = await poll();
    if (value !== undefined) return value;
    await sleep(20);
  }
  throw new Error(`Not within ${withinMs} ms.`);
}
