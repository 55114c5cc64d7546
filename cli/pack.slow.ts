import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { findFreePort } from "../server/src/postgres/temporary-postgres.ts";
import { waitForFirstLine, startProcess, type RunningPart } from "./src/dev/processes.ts";
import { root } from "./src/dev/programs.ts";
import type { Ready } from "./src/running-file.ts";
import { languages } from "./src/init/languages.ts";
import { openTerminal } from "./terminal.ts";

/**
 * Tests the package as users install it: the test packs it, installs it into an empty folder without install scripts,
 * and runs it from there.
 */
const run = promisify(execFile);
const home = await mkdtemp(join(tmpdir(), "tollgate-package-"));
await chmod(home, 0o755);
after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
const { stdout } = await run(process.execPath, [join(import.meta.dirname, "pack.ts")]);
const archive = stdout.trim().split("\n").at(-1) ?? "";
await writeFile(join(home, "package.json"), "{}\n");
// npm installs no optional packages here: PostgreSQL's binaries have 24 MB, and PostgreSQL is installed on the machine.
const flags = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent"];
await run("npm", ["install", ...flags, archive], { cwd: home });
const program = join(home, "node_modules/.bin/tollgate");
const startOptions = { stopTimeoutMs: 20_000 };
const project = join(home, "project");
// A free port, because a developer's own installation may use the default port.
const port = String(await findFreePort());
await mkdir(project, { mode: 0o755 });

test("the package installs no dependencies", async () => {
  assert.match(archive, /tollgate-\d+\.\d+\.\d+.*\.tgz$/);
  const installed = (await readdir(join(home, "node_modules"))).filter((name) => !name.startsWith("."));
  assert.deepEqual(installed, ["tollgate"]);
});

test("the installed program starts a complete gateway with its pages, and leaves no process behind", async () => {
  const folder = await mkdtemp(join(home, "tmp-"));
  await chmod(folder, 0o755);
  const programArguments = [program, "dev", "--json", "--ephemeral"];
  const dev = startProcess("dev", programArguments, { TMPDIR: folder }, startOptions);
  after(() => dev.stop());
  const ready = JSON.parse(await waitForFirstLine(dev, "stdout")) as Ready;
  for (const path of [
    "/docs",
    "/docs/payments/pay",
    "/docs/style.css",
    "/llms.txt",
    "/openapi.json",
    "/changes",
  ])
    assert.equal((await fetch(ready.baseUrl + path)).status, 200, path);
  for (const path of ["/", "/style.css", "/till.css", "/script.js", "/stickers/table-1.svg"])
    assert.equal((await fetch(ready.tillUrl + path)).status, 200, path);
  // The portal receives the docs search as the text of a function. The bundler has rewritten this function.
  const portal = await (await fetch(ready.portalUrl ?? "")).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(portal)?.[1] ?? "";
  assert.equal((await fetch(new URL(script, ready.portalUrl))).status, 200, script);
  const search = (await (await fetch(`${ready.baseUrl}/docs/search.js`)).text()).replaceAll(
    "export const",
    "var",
  );
  const found: unknown = runInNewContext(`${search}; openSearch(entries)("give money back")[0].path`);
  assert.match(String(found), /refund|guides/);
  const { stdout: paid } = await run(join(home, "node_modules/tollgate/examples/curl/pay.sh"), {
    env: {
      ...process.env,
      BASE_URL: ready.baseUrl,
      CLIENT_ID: ready.clientId,
      PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
      GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
    },
  });
  const page = /^normalUrl: (.+)$/m.exec(paid)?.[1] ?? "";
  assert.equal((await fetch(page)).status, 200);
  dev.child.kill("SIGTERM");
  assert.equal(await dev.exited, 0);
  assert.deepEqual(await readdir(folder), []);
});

test("init finds each language's file and its complete library in the package", async () => {
  for (const [name, { file, library }] of Object.entries(languages)) {
    const folder = await mkdtemp(join(home, `${name}-`));
    await run(program, ["init", name], { cwd: folder });
    assert.equal(
      await readFile(join(folder, file), "utf8"),
      await readFile(join(root, "cli/templates", file), "utf8"),
    );
    const actualFiles = filesIn(join(folder, library.to));
    const expectedFiles = library.include.flatMap((included) =>
      filesIn(join(root, library.from, included))
        .map((path) => join(included, path))
        .filter((path) => !library.exclude?.test(`/${path}`)),
    );
    assert.ok(expectedFiles.length > 30, name);
    assert.deepEqual(actualFiles.sort(), [...expectedFiles, "LICENSE"].sort(), name);
  }
});

/** Returns all files below a folder, or for a file only the file itself. */
function filesIn(folder: string): string[] {
  if (statSync(folder).isFile()) return [""];
  return globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("__pycache__"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** The time limits of each start in milliseconds. They double while other tests run on the machine. */
const limitsMs = { empty: 6_000, kept: 3_000, completeJourney: 15_000 };
const patience = 2;

async function startInProject(): Promise<{
  readonly dev: RunningPart;
  readonly ready: Ready;
  readonly durationMs: number;
}> {
  const startedAtMs = performance.now();
  const dev = startProcess(
    "dev",
    [program, "dev", "--json", "--port", port, "--folder", join(project, ".tollgate")],
    {},
    startOptions,
  );
  after(() => dev.stop());
  const ready = JSON.parse(await waitForFirstLine(dev, "stdout")) as Ready;
  return { dev, ready, durationMs: performance.now() - startedAtMs };
}

async function tollgate(...words: readonly string[]): Promise<Record<string, string>> {
  const { stdout: line } = await run(program, [...words, "--json"], { cwd: project });
  return JSON.parse(line) as Record<string, string>;
}

test("in an empty folder: ready, paid, notified and refunded within the limits, and faster at the next start", async (t) => {
  const startedAtMs = performance.now();
  const firstStart = await startInProject();
  const { paymentId = "" } = await tollgate("pay");
  await tollgate("approve", paymentId);
  await tollgate("refund", paymentId, "2.50");
  const shop = await eventually(async () => {
    const page = await (await fetch(firstStart.ready.shopUrl)).text();
    return page.includes("paid, partly refunded") ? page : undefined;
  });
  assert.match(shop, /EUR 12\.50/);
  const journeyMs = performance.now() - startedAtMs;
  firstStart.dev.child.kill("SIGTERM");
  assert.equal(await firstStart.dev.exited, 0);
  const secondStart = await startInProject();
  assert.deepEqual(secondStart.ready, firstStart.ready);
  await secondStart.dev.stop();
  t.diagnostic(
    `ready in ${Math.round(firstStart.durationMs)} ms, the complete tour in ${Math.round(journeyMs)} ms, kept: ready in ${Math.round(secondStart.durationMs)} ms`,
  );
  assert.ok(firstStart.durationMs < limitsMs.empty * patience);
  assert.ok(secondStart.durationMs < limitsMs.kept * patience);
  assert.ok(journeyMs < limitsMs.completeJourney * patience);
});

test("in a terminal the complete tour takes three keys, and the terminal mode is restored at the end", async (t) => {
  const startedAtMs = performance.now();
  const terminal = await openTerminal(
    "keys",
    project,
    `${program} dev --port ${port}; echo "left with $?"; stty -a | grep -o ' [-]*icanon'`,
  );
  after(() => terminal.end());
  await terminal.shows(/Keys: p pays, a approves/);
  await terminal.press("p");
  await terminal.shows(/is waiting\. Press a to approve it/);
  await terminal.press("a");
  await terminal.shows(/notifyPayment +200, acknowledged/);
  await terminal.press("r");
  await terminal.shows(/notifyRefund +200, acknowledged/);
  t.diagnostic(
    `paid, notified and refunded in a terminal in ${Math.round(performance.now() - startedAtMs)} ms`,
  );
  await terminal.press("c");
  await terminal.shows(/An hour later: your test clock shows/);
  await terminal.press("f");
  await terminal.shows(/4 {2}a webhook is sent twice/);
  await terminal.press("4");
  await terminal.shows(/Injected: a webhook is sent twice\./);
  await terminal.press("x");
  await terminal.shows(/q {2}quit, as Ctrl-C does/);
  await run(program, ["call", "inquiryPayment", "{}"], { cwd: project }).catch(() => undefined);
  await terminal.shows(/inquiryPayment +PARAM_ILLEGAL.*\n +\S.*payment/);
  await terminal.press("q");
  await terminal.shows(/left with 0\n +icanon/);
});

test("in a terminal Ctrl-C stops the program, too", async () => {
  const terminal = await openTerminal(
    "interrupt",
    project,
    `${program} dev --port ${port}; echo "left with $?"; stty -a | grep -o ' [-]*icanon'`,
  );
  after(() => terminal.end());
  await terminal.shows(/Keys: p pays/);
  await terminal.press("C-c");
  await terminal.shows(/left with 0\n +icanon/);
});

test("as a background job of a terminal the program has no keys, and is not stopped by the terminal", async () => {
  const terminal = await openTerminal(
    "background",
    project,
    `${program} dev --port ${port} & wait; echo "left with $?"`,
  );
  after(() => terminal.end());
  const screen = await terminal.shows(/npx --no tollgate pay/);
  assert.doesNotMatch(screen, /Keys:|Stopped/);
  await run(
    "bash",
    ["-c", `kill "$(node -p 'JSON.parse(require("fs").readFileSync(".tollgate/running.json")).pid')"`],
    { cwd: project },
  );
  await terminal.shows(/left with 0/);
});

test("an old Node version gets an error with the required version", async () => {
  // Makes Node report an old version, so that the program rejects it.
  const versionPatch = join(home, "old.cjs");
  await writeFile(
    versionPatch,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.1" } });',
  );
  await assert.rejects(run(process.execPath, ["--require", versionPatch, program, "--version"]), (error) => {
    const { code, stderr } = error as { readonly code: number; readonly stderr: string };
    return (
      code === 1 &&
      stderr === "Tollgate needs Node 24.12 or newer, and this is 18.20.1. Install a newer one.\n"
    );
  });
});

async function eventually<Value>(read: () => Promise<Value | undefined>, withinMs = 5_000): Promise<Value> {
  const giveUpAtMs = performance.now() + withinMs;
  while (performance.now() < giveUpAtMs) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(50);
  }
  throw new Error(`Not within ${withinMs} ms.`);
}
