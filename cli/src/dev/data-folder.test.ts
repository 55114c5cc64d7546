import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openOrderStore } from "../shop/order-store.ts";
import { writeEnvFile } from "./env-file.ts";
import { lockDataFolder } from "../running-file.ts";
import { openDataFolder } from "./data-folder.ts";
import { requirePort, readPort } from "./ports.ts";
import { rejectOtherMajor } from "./postgres-programs.ts";
import { dataFilesIn, createSecrets } from "./data-files.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-place-"));
after(() => rm(home, { recursive: true, force: true }));
const client = { clientId: "SANDBOX_1", keyVersion: 1 };
const withoutReset = { reset: false };

test("the next start reads the stored data", async () => {
  const folder = join(home, "kept");
  const first = await openDataFolder(folder, withoutReset);
  await first.saveState({ ...first.state, port: 9000, client });
  await first.close();
  const second = await openDataFolder(folder, withoutReset);
  assert.equal(second.state.port, 9000);
  assert.equal(second.state.secret, first.state.secret);
  assert.deepEqual(second.state.client, client);
  await second.close();
  assert.equal(await readFile(join(folder, ".gitignore"), "utf8"), "*\n");
});

test("a second start in the same folder reports where the first one runs", async () => {
  const folder = join(home, "twice");
  await mkdir(folder);
  const holder = spawn("sleep", ["60"]);
  after(() => holder.kill());
  const running = { pid: holder.pid, baseUrl: "http://127.0.0.1:8484" };
  await writeFile(join(folder, "running.json"), JSON.stringify(running));
  await assert.rejects(
    lockDataFolder(folder),
    /already runs in .*twice, at http:\/\/127\.0\.0\.1:8484 \(process \d+\)\. Use it, stop it with `kill \d+`, or start another with --folder OTHER\./,
  );
});

test("the lock file of a killed start does not lock the folder", async () => {
  const folder = join(home, "killed");
  await mkdir(folder);
  await writeFile(join(folder, "running.json"), '{"pid":4194304}');
  const lock = await lockDataFolder(folder);
  await lock.release();
  assert.deepEqual(await readdir(folder), []);
});

test("a start that was killed during its set-up begins again with an empty folder", async () => {
  const folder = join(home, "half-way");
  const first = await openDataFolder(folder, withoutReset);
  await first.close();
  await mkdir(join(folder, "postgres/data"), { recursive: true });
  await writeFile(join(folder, "merchant-private.pem"), "half");
  const second = await openDataFolder(folder, withoutReset);
  await second.close();
  assert.deepEqual((await readdir(folder)).sort(), [".gitignore", "dev.json"]);
});

test("--reset deletes all data, also those of another version", async () => {
  const folder = join(home, "reset");
  await mkdir(folder);
  await writeFile(join(folder, "dev.json"), '{"format":99,"version":"9.0.0","client":{}}');
  await assert.rejects(
    openDataFolder(folder, withoutReset),
    /was made by Tollgate 9\.0\.0.* Use Tollgate 9\.0\.0, or delete the data with `tollgate dev --reset`/,
  );
  const dataFolder = await openDataFolder(folder, { reset: true });
  assert.equal(dataFolder.state.client, undefined);
  await dataFolder.close();
});

test("a folder with other contents is neither used nor emptied", async () => {
  const folder = join(home, "foreign");
  await mkdir(folder);
  await writeFile(join(folder, "thesis.tex"), "…");
  for (const reset of [false, true])
    await assert.rejects(
      openDataFolder(folder, { reset }),
      /foreign contains files that are not Tollgate's\. Choose another with --folder FOLDER\./,
    );
  await assert.rejects(
    openDataFolder(join(folder, "thesis.tex"), withoutReset),
    /is a file\. Choose another/,
  );
  assert.deepEqual(await readdir(folder), ["thesis.tex"]);
});

test("an error about a database of another major version names both solutions", async () => {
  const folder = join(home, "major");
  await mkdir(join(folder, "data"), { recursive: true });
  await writeFile(join(folder, "data/PG_VERSION"), "15\n");
  await rejectOtherMajor(folder, { binFolder: "", major: 15 });
  await assert.rejects(
    rejectOtherMajor(folder, { binFolder: "", major: 18 }),
    /created by PostgreSQL 15, and this machine would start 18\. .* `tollgate dev --reset`/,
  );
});

test("an invalid or used port is reported before any part starts", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  after(() => other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const address = other.address();
  assert.ok(typeof address === "object" && address);
  await assert.rejects(
    requirePort(address.port, "port"),
    /^Error: Port \d+ is used by another program, .*: --port \d+\.$/,
  );
  for (const text of ["0", "65536", "many", "80.5"])
    assert.throws(() => readPort("port", text), /--port is a number from 1 to 65535, and not/);
});

test("another program's .env is not changed, and our own is written again", async () => {
  const folder = join(home, "project/.tollgate");
  await mkdir(folder, { recursive: true });
  const files = dataFilesIn(folder);
  await createSecrets(files);
  const ready = {
    ...client,
    baseUrl: "http://127.0.0.1:8484",
    merchantPrivateKeyFile: files.merchantPrivateKeyFile,
    gatewayPublicKeyFile: files.merchantPublicKeyFile,
    walletUrl: "http://127.0.0.1:8485",
    controlSecret: "secret",
    shopUrl: "http://127.0.0.1:8486",
    cardUrl: "http://127.0.0.1:8492",
    tillUrl: "http://127.0.0.1:8491",
    docsUrl: "",
    serveMetricsUrl: "",
    workMetricsUrl: "",
    effectsFile: "",
  };
  const projectFile = join(home, "project/.env");
  const ignore = join(home, "project/.gitignore");
  const expected = { envFile: projectFile, hasOtherEnv: false, isIgnoredByGit: true };
  assert.deepEqual(await writeEnvFile(folder, ready), expected);
  assert.equal(await readFile(ignore, "utf8"), ".env\n", "the file has a secret");
  for (const line of ["/.env", ".env*", "*.env", ".env"]) {
    await writeFile(ignore, `node_modules\n${line}\r\n`);
    assert.deepEqual(await writeEnvFile(folder, ready), expected, line);
  }
  await writeFile(ignore, "node_modules\n#.env\n!.env\n");
  assert.deepEqual(await writeEnvFile(folder, ready), { ...expected, isIgnoredByGit: false });
  assert.equal(await readFile(ignore, "utf8"), "node_modules\n#.env\n!.env\n");
  await writeEnvFile(folder, { ...ready, baseUrl: "http://127.0.0.1:9000" });
  assert.match(await readFile(projectFile, "utf8"), /^TOLLGATE_BASE_URL=http:\/\/127\.0\.0\.1:9000$/m);
  await writeFile(projectFile, "DATABASE_URL=mine\n");
  assert.deepEqual(await writeEnvFile(folder, ready), {
    envFile: join(folder, ".env"),
    hasOtherEnv: true,
    isIgnoredByGit: true,
  });
  assert.equal(await readFile(projectFile, "utf8"), "DATABASE_URL=mine\n");
});

test("only its owner can read the shop's orders", async () => {
  const file = join(home, "shop.sqlite");
  // The file is from a release that left the file mode to the umask.
  await writeFile(file, "", { mode: 0o644 });
  const orderStore = openOrderStore(file);
  for (const each of [file, `${file}-wal`, `${file}-shm`])
    assert.equal(((await stat(each)).mode & 0o777).toString(8), "600", each);
  orderStore.close();
});
