import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { test } from "node:test";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { staffVariables } from "../../test/start/test-console.ts";
import { version } from "../core/version.ts";
import { findStartProblems } from "./find-start-problems.ts";
import { readPackageInfo } from "./read-package-info.ts";
import { readSettings } from "../settings/settings.ts";

const live = await prepareTestGateway("live");

function findProblemsWith(variables: Readonly<Record<string, string>>): ReturnType<typeof findStartProblems> {
  return findStartProblems(readSettings({ ...live.variables, ...variables }));
}

test("a release reports its newest migration", async () => {
  assert.match(version, /^\d+\.\d+\.\d+(?:-rc\.\d+)?$/);
  assert.match((await readPackageInfo()).migration, /^\d{4}_\w+\.sql$/);
});

test("a gateway that can start has no problem", async () => {
  assert.deepEqual(await findProblemsWith({}), []);
});

test("all problems are reported together, each with a fix", async () => {
  const found = await findProblemsWith({
    TOLLGATE_EGRESS_LOOPBACK: "allow",
    TOLLGATE_OWNER_DATABASE_URL: live.database.ownerUrl,
    TOLLGATE_DATABASE_URL: live.database.superuserUrl,
    TOLLGATE_KEY_FILE: "/nowhere/key",
  });
  const problems = found.map(({ problem }) => problem).join("\n");
  for (const sentence of [
    /EGRESS_LOOPBACK is set/,
    /OWNER_DATABASE_URL is set/,
    /superuser/,
    /\/nowhere\/key/,
  ])
    assert.match(problems, sentence);
  assert.ok(found.every(({ whatToDo }) => whatToDo.endsWith(".")));
});

test("the settings of serve-staff are checked for serve-staff, and are a problem of every other process", async () => {
  const staffSettings = staffVariables(live.database);
  const staffProblems = (more: Readonly<Record<string, string>>): ReturnType<typeof findStartProblems> =>
    findStartProblems(readSettings({ ...live.variables, ...staffSettings, ...more }), "staff");
  assert.deepEqual(await staffProblems({}), []);
  const [ofServe, ...otherProblems] = await findProblemsWith(staffSettings);
  assert.match(ofServe?.problem ?? "", /only `tollgate serve-staff` may hold/);
  assert.deepEqual(otherProblems, []);
  const found = await staffProblems({
    TOLLGATE_STAFF_DATABASE_URL: live.database.ownerUrl,
    TOLLGATE_ACCOUNTS_KEYS_FILE: "/nowhere/accounts.pem",
  });
  assert.match(found.map(({ problem }) => problem).join(), /owner's login.*,.*\/nowhere\/accounts\.pem/);
});

test("a database that does not answer is reported as a problem, not as a crash", async () => {
  const [found, ...others] = await findProblemsWith({
    TOLLGATE_DATABASE_URL: "postgres://serve:x@127.0.0.1:1/live",
  });
  assert.match(found?.problem ?? "", /127\.0\.0\.1:1/);
  assert.match(found?.whatToDo ?? "", /Start PostgreSQL/);
  assert.deepEqual(others, []);
});

test("a key file that did not wrap the keys is reported", async () => {
  const liveGateway = await prepareTestGateway("live");
  const found = await findProblemsWith({
    TOLLGATE_KEY_FILE: liveGateway.variables["TOLLGATE_KEY_FILE"] ?? "",
  });
  assert.equal(found.length, 1);
  assert.match(found[0]?.whatToDo ?? "", /TOLLGATE_KEY_FILE/);
});

test("a key file that others can read is reported", async () => {
  const open = await prepareTestGateway("sandbox");
  const file = open.variables["TOLLGATE_KEY_FILE"] ?? "";
  await chmod(file, 0o444);
  const [found] = await findStartProblems(readSettings(open.variables));
  assert.match(found?.problem ?? "", /others can read or change it/);
});

test("the exit code shows if the release can start", () => {
  const main = new URL("../main.ts", import.meta.url).pathname;
  const run = (args: readonly string[], more: object = {}): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, [main, ...args], { encoding: "utf8", env: { ...live.variables, ...more } });
  assert.match(run(["version"]).stdout, /^release +\S+\ncommit .*\nmigration +\d{4}_\w+\.sql\n$/);
  const { status, stdout } = run(["preflight"]);
  assert.deepEqual([status, stdout], [0, "live can start.\n"]);
  const refused = run(["preflight", "--json"], { TOLLGATE_EGRESS_LOOPBACK: "allow" });
  assert.equal(refused.status, 1);
  assert.match(refused.stdout, /^\{"environment":"live","problems":\[\{"problem":"TOLLGATE_EGRESS_LOOPBACK /);
});
