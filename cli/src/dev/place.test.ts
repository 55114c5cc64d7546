import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openOrderBook } from "../shop/order-book.ts";
import { writeEnvFile } from "./env-file.ts";
import { lockPlace } from "./lock.ts";
import { openKeptPlace } from "./place.ts";
import { demandPort, readPort } from "./ports.ts";
import { refuseOtherMajor } from "./postgres-programs.ts";
import { filesIn, makeSecrets } from "./files.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-place-"));
after(() => rm(home, { recursive: true, force: true }));
const client = { clientId: "SANDBOX_1", keyVersion: 1 };
const anew = { reset: false };

test("what was kept is found at the next start", async () => {
  const folder = join(home, "kept");
  const first = await openKeptPlace(folder, anew);
  await first.keep({ ...first.kept, port: 9000, client });
  await first.close();
  const second = await openKeptPlace(folder, anew);
  assert.equal(second.kept.port, 9000);
  assert.equal(second.kept.secret, first.kept.secret);
  assert.deepEqual(second.kept.client, client);
  await second.close();
  assert.equal(await readFile(join(folder, ".gitignore"), "utf8"), "*\n");
});

test("a second start in the same folder is told where the first one runs", async () => {
  const folder = join(home, "twice");
  await mkdir(folder);
  const holder = spawn("sleep", ["60"]);
  after(() => holder.kill());
  const running = { pid: holder.pid, baseUrl: "http://127.0.0.1:8484" };
  await writeFile(join(folder, "running.json"), JSON.stringify(running));
  await assert.rejects(
    lockPlace(folder),
    /already runs in .*twice, at http:\/\/127\.0\.0\.1:8484 \(process \d+\)\. Use that one, end it with `kill \d+`, or start another with --folder OTHER\./,
  );
});

test("the file of a start that was killed is no lock", async () => {
  const folder = join(home, "killed");
  await mkdir(folder);
  await writeFile(join(folder, "running.json"), '{"pid":4194304}');
  const lock = await lockPlace(folder);
  await lock.release();
  assert.deepEqual(await readdir(folder), []);
});

test("a start that was cut off before its set-up was done begins again from nothing", async () => {
  const folder = join(home, "half-way");
  const first = await openKeptPlace(folder, anew);
  await first.close();
  await mkdir(join(folder, "postgres/data"), { recursive: true });
  await writeFile(join(folder, "merchant-private.pem"), "half");
  const second = await openKeptPlace(folder, anew);
  await second.close();
  assert.deepEqual((await readdir(folder)).sort(), [".gitignore", "dev.json"]);
});

test("--reset forgets all, also what another version has left", async () => {
  const folder = join(home, "reset");
  await mkdir(folder);
  await writeFile(join(folder, "dev.json"), '{"format":99,"version":"9.0.0","client":{}}');
  await assert.rejects(
    openKeptPlace(folder, anew),
    /was made by Tollgate 9\.0\.0.* Go on with Tollgate 9\.0\.0, or start anew with `tollgate dev --reset`/,
  );
  const place = await openKeptPlace(folder, { reset: true });
  assert.equal(place.kept.client, undefined);
  await place.close();
});

test("a folder that holds other things is neither used nor emptied", async () => {
  const folder = join(home, "foreign");
  await mkdir(folder);
  await writeFile(join(folder, "thesis.tex"), "…");
  for (const reset of [false, true])
    await assert.rejects(
      openKeptPlace(folder, { reset }),
      /foreign holds other things than Tollgate's\. Choose another with --folder FOLDER\./,
    );
  await assert.rejects(openKeptPlace(join(folder, "thesis.tex"), anew), /is a file\. Choose another/);
  assert.deepEqual(await readdir(folder), ["thesis.tex"]);
});

test("a database of another major version is named, with both ways on", async () => {
  const folder = join(home, "major");
  await mkdir(join(folder, "data"), { recursive: true });
  await writeFile(join(folder, "data/PG_VERSION"), "15\n");
  await refuseOtherMajor(folder, { binFolder: "", major: 15 });
  await assert.rejects(
    refuseOtherMajor(folder, { binFolder: "", major: 18 }),
    /made by PostgreSQL 15, and this machine would start 18\. .* `tollgate dev --reset`/,
  );
});

test("a port that is taken, or none, is told before anything is started", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  after(() => other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const address = other.address();
  assert.ok(typeof address === "object" && address);
  await assert.rejects(
    demandPort(address.port, "port"),
    /^Error: Port \d+ is taken by another program, .*: --port \d+\.$/,
  );
  for (const text of ["0", "65536", "many", "80.5"])
    assert.throws(() => readPort("port", text), /--port is a number from 1 to 65535, and not/);
});

test("a .env of somebody else's is left alone, and ours is written again", async () => {
  const folder = join(home, "project/.tollgate");
  await mkdir(folder, { recursive: true });
  const files = filesIn(folder);
  await makeSecrets(files);
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
  const beside = join(home, "project/.env");
  const ignore = join(home, "project/.gitignore");
  const written = { envFile: beside, hasOtherEnv: false, isIgnoredByGit: true };
  assert.deepEqual(await writeEnvFile(folder, ready), written);
  assert.equal(await readFile(ignore, "utf8"), ".env\n", "the file has a secret");
  for (const line of ["/.env", ".env*", "*.env", ".env"]) {
    await writeFile(ignore, `node_modules\n${line}\r\n`);
    assert.deepEqual(await writeEnvFile(folder, ready), written, line);
  }
  await writeFile(ignore, "node_modules\n#.env\n!.env\n");
  assert.deepEqual(await writeEnvFile(folder, ready), { ...written, isIgnoredByGit: false });
  assert.equal(await readFile(ignore, "utf8"), "node_modules\n#.env\n!.env\n");
  await writeEnvFile(folder, { ...ready, baseUrl: "http://127.0.0.1:9000" });
  assert.match(await readFile(beside, "utf8"), /^TOLLGATE_BASE_URL=http:\/\/127\.0\.0\.1:9000$/m);
  await writeFile(beside, "DATABASE_URL=mine\n");
  assert.deepEqual(await writeEnvFile(folder, ready), {
    envFile: join(folder, ".env"),
    hasOtherEnv: true,
    isIgnoredByGit: true,
  });
  assert.equal(await readFile(beside, "utf8"), "DATABASE_URL=mine\n");
});

test("only its owner reads the shop's orders", async () => {
  const file = join(home, "shop.sqlite");
  // From a release that left it to the umask.
  await writeFile(file, "", { mode: 0o644 });
  const book = openOrderBook(file);
  for (const each of [file, `${file}-wal`, `${file}-shm`])
    assert.equal(((await stat(each)).mode & 0o777).toString(8), "600", each);
  book.close();
});
