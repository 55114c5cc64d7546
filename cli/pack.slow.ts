import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { firstLineOf, startProcess } from "./src/dev/processes.ts";
import { root } from "./src/dev/programs.ts";
import type { Ready } from "./src/dev/ready.ts";
import { languages } from "./src/init/languages.ts";

/** The package as its users get it: packed, installed into an empty folder without scripts, and run from there. */
const run = promisify(execFile);
const home = await mkdtemp(join(tmpdir(), "tollgate-package-"));
await chmod(home, 0o755);
after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
const { stdout } = await run(process.execPath, [join(import.meta.dirname, "pack.ts")]);
const archive = stdout.trim().split("\n").at(-1) ?? "";
await writeFile(join(home, "package.json"), "{}\n");
// Without the optional packages: PostgreSQL's binaries are 24 MB, and the machine has its own.
const flags = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent"];
await run("npm", ["install", ...flags, archive], { cwd: home });
const program = join(home, "node_modules/.bin/tollgate");

test("the package brings nothing along", async () => {
  assert.match(archive, /tollgate-\d+\.\d+\.\d+.*\.tgz$/);
  const installed = (await readdir(join(home, "node_modules"))).filter((name) => !name.startsWith("."));
  assert.deepEqual(installed, ["tollgate"]);
});

test("the installed program starts a whole gateway, with its pages, and leaves nothing behind", async () => {
  const folder = await mkdtemp(join(home, "tmp-"));
  await chmod(folder, 0o755);
  const words = [program, "dev", "--json", "--ephemeral"];
  const dev = startProcess("dev", words, { TMPDIR: folder }, { stopTimeoutMs: 20_000 });
  after(() => dev.stop());
  const ready = JSON.parse(await firstLineOf(dev, "stdout")) as Ready;
  for (const path of ["/docs", "/openapi.json", "/changes"])
    assert.equal((await fetch(ready.baseUrl + path)).status, 200, path);
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

test("init finds each language's file in the package, and all of its library", async () => {
  for (const [name, { file, library }] of Object.entries(languages)) {
    const folder = await mkdtemp(join(home, `${name}-`));
    await run(program, ["init", name], { cwd: folder });
    assert.equal(
      await readFile(join(folder, file), "utf8"),
      await readFile(join(root, "cli/templates", file), "utf8"),
    );
    const there = filesIn(join(folder, library.to));
    const wanted = library.take.flatMap((taken) =>
      filesIn(join(root, library.from, taken)).map((path) => join(taken, path)),
    );
    assert.ok(wanted.length > 30, name);
    assert.deepEqual(there.sort(), [...wanted, "LICENSE"].sort(), name);
  }
});

/** All files below a folder; of a file nothing but itself. */
function filesIn(place: string): string[] {
  if (statSync(place).isFile()) return [""];
  return globSync("**/*", { cwd: place, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("__pycache__"))
    .map((entry) => relative(place, join(entry.parentPath, entry.name)));
}

test("an old Node is told which one it takes", async () => {
  // As old as the program believes it to be.
  const pretend = join(home, "old.cjs");
  await writeFile(
    pretend,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.1" } });',
  );
  await assert.rejects(run(process.execPath, ["--require", pretend, program, "--version"]), (error) => {
    const { code, stderr } = error as { readonly code: number; readonly stderr: string };
    return (
      code === 1 &&
      stderr === "Tollgate needs Node 24.12 or newer, and this is 18.20.1. Install a newer one.\n"
    );
  });
});
