import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../../test/start/test-process.ts";
import { findFreePort } from "./temporary-postgres.ts";
import {
  asSuperuser,
  newTestDatabase,
  ownerRole,
  rolePassword,
  type TestDatabase,
} from "../../test/start/test-database.ts";
import { runPreflight } from "./preflight.ts";

const database = await newTestDatabase("sandbox");

/** A login with the serving role and additional attributes, in the test's database. */
async function loginWith(attributes: string): Promise<{ readonly role: string; readonly url: string }> {
  const url = database.superuserUrl;
  const role = `test_login_${randomBytes(6).toString("hex")}`;
  await asSuperuser(
    `create role ${role} login password '${rolePassword}' in role tollgate_app;
     grant connect on database ${nameOf(database)} to ${role}`,
  );
  after(() => asSuperuser(`drop owned by ${role}; drop role ${role}`, [], url));
  if (attributes) await asSuperuser(attributes.replaceAll("ROLE", role), [], url);
  const login = new URL(url);
  login.username = role;
  login.password = rolePassword;
  return { role, url: login.href };
}

function nameOf({ superuserUrl }: TestDatabase): string {
  return new URL(superuserUrl).pathname.slice(1);
}

/** Returns the preflight problems of a login with these attributes in the sandbox. */
async function problems(more: string): Promise<readonly string[]> {
  const { role, url } = await loginWith(more);
  const found = await runPreflight(url, "sandbox");
  return found.map((problem) => problem.replaceAll(role, "ROLE"));
}

test("a login with only the serving role may serve", async () => {
  assert.deepEqual(await problems(""), []);
});

test("a superuser must not serve", async () => {
  const found = await problems("alter role ROLE superuser");
  assert.equal(found[0], "The role ROLE is, or can become, a superuser.");
});

test("a login that bypasses row-level security must not serve", async () => {
  const bypasses = ["The role ROLE bypasses, or can bypass, row-level security."];
  assert.deepEqual(await problems("alter role ROLE bypassrls"), bypasses);
});

test("a login that can become one that bypasses row-level security must not serve", async () => {
  const strong = `test_strong_${randomBytes(6).toString("hex")}`;
  await asSuperuser(`create role ${strong} nologin bypassrls`);
  after(() => asSuperuser(`drop role ${strong}`));
  assert.deepEqual(await problems(`grant ${strong} to ROLE`), [
    "The role ROLE bypasses, or can bypass, row-level security.",
  ]);
});

test("a login that can create roles could become the owner, and must not serve", async () => {
  assert.deepEqual(await problems("alter role ROLE createrole"), ["The role ROLE can create roles."]);
});

test("the owner of a table must not serve", async () => {
  const { role, url } = await loginWith("alter table payments owner to ROLE");
  const found = await runPreflight(url, "sandbox");
  await asSuperuser(`alter table payments owner to ${ownerRole}`, [], database.superuserUrl);
  assert.deepEqual(found, [`The role ${role} owns, or can become the owner of, payments.`]);
});

test("a member of the owner must not serve", async () => {
  const found = await problems(`grant ${ownerRole} to ROLE`);
  assert.match(found.join(), /owns, or can become the owner of, .*clients.*payments/);
});

test("a login that lacks the privileges of the serving role gets an explanation", async () => {
  const lacking = ["The login does not have the privileges of tollgate_app."];
  assert.deepEqual(await problems("revoke tollgate_app from ROLE"), lacking);
});

for (const [state, apply, undo, table] of [
  [
    "switched off",
    "alter table payments disable row level security",
    "alter table payments enable row level security",
    "payments",
  ],
  [
    "not forced upon the owner",
    "alter table payments no force row level security",
    "alter table payments force row level security",
    "payments",
  ],
  [
    "missing on a table that the serving role may read",
    "create table receipts (client_id text); grant select on receipts to tollgate_app",
    "drop table receipts",
    "receipts",
  ],
  [
    "missing on a table of which staff may change one column",
    "create table receipts (client_id text, paid boolean); grant update (paid) on receipts to tollgate_operator",
    "drop table receipts",
    "receipts",
  ],
  [
    "missing on a table that every login may read",
    "create table receipts (client_id text); grant select on receipts to public",
    "drop table receipts",
    "receipts",
  ],
] as const) {
  test(`a database in which row-level security is ${state} must not be served`, async () => {
    await asSuperuser(apply, [], database.superuserUrl);
    const found = await runPreflight(database.appUrl, "sandbox");
    await asSuperuser(undo, [], database.superuserUrl);
    assert.deepEqual(found, [`Row-level security is not forced on ${table}.`]);
    assert.deepEqual(await runPreflight(database.appUrl, "sandbox"), []);
  });
}

test("a copy of a table that no login of Tollgate may use is only a warning", async () => {
  const make = "create table payments_before_update as table payments";
  const warnings: string[] = [];
  await asSuperuser(make, [], database.superuserUrl);
  const found = await runPreflight(database.appUrl, "sandbox", (warning) => warnings.push(warning));
  await asSuperuser("drop table payments_before_update", [], database.superuserUrl);
  assert.deepEqual(found, []);
  assert.deepEqual(warnings, [
    "Tables with merchants' rows and without row-level security: payments_before_update. " +
      "No login of Tollgate may use them. Drop them when they are no longer needed.",
  ]);
});

const aboutLogins = "A login must serve only one database, but these may connect to another as well: ";

for (const privilege of ["connect", "temporary"] as const) {
  test(`a database on which everyone (public) has ${privilege} must not be served`, async () => {
    const name = nameOf(database);
    await asSuperuser(`grant ${privilege} on database ${name} to public`);
    const found = await runPreflight(database.appUrl, "sandbox");
    await asSuperuser(`revoke ${privilege} on database ${name} from public`);
    const command = `\`revoke connect, temporary on database ${name} from public\``;
    // The other problems are about logins of databases that other test files have at the same time.
    const otherProblems = found.filter((problem) => !problem.startsWith(aboutLogins));
    assert.deepEqual(otherProblems, [
      `Every login (public) has ${privilege} on the database. Run ${command}.`,
    ]);
  });
}

test("a database to which another database's login may connect must not be served", async () => {
  const live = await newTestDatabase("live");
  const grant = `connect on database ${nameOf(live)}`;
  await asSuperuser(`grant ${grant} to ${database.appRole}`);
  assert.deepEqual(await runPreflight(live.appUrl, "live"), [
    `${aboutLogins}${database.appRole} (${nameOf(database)}).`,
  ]);
  await asSuperuser(`revoke ${grant} from ${database.appRole}`);
  assert.deepEqual(await runPreflight(live.appUrl, "live"), []);
  // The worker role includes the serving role.
  await asSuperuser(`grant ${grant} to ${database.workRole}`);
  assert.deepEqual(await runPreflight(live.appUrl, "live"), [
    `${aboutLogins}${database.workRole} (${nameOf(database)}).`,
  ]);
});

test("a live process does not serve the sandbox's database, nor the reverse", async () => {
  const wrong = ["The database is sandbox, this process is live."];
  assert.deepEqual(await runPreflight(database.appUrl, "live"), wrong);
  const live = await newTestDatabase("live");
  assert.deepEqual(await runPreflight(live.appUrl, "sandbox"), [
    "The database is live, this process is sandbox.",
  ]);
  assert.deepEqual(await runPreflight(live.appUrl, "live"), []);
});

test("a database without migrations is not served", async () => {
  const empty = new URL(database.appUrl);
  empty.pathname = "/template1";
  assert.deepEqual(await runPreflight(empty.href, "sandbox"), ["The database has not been migrated."]);
});

test("serve with the wrong database reports the reason and exits", async () => {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const env = {
    PATH: process.env["PATH"],
    TOLLGATE_ENVIRONMENT: "live",
    TOLLGATE_DATABASE_URL: database.appUrl,
    TOLLGATE_KEY_FILE: "never-read",
  };
  const served = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  served.stderr.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const code = await new Promise((resolve) => served.on("close", resolve));
  assert.equal(code, 1);
  assert.match(output, /^This process must not .+:\n  The database is sandbox, this process is live\.\n$/);
});

/** Starts PgBouncer in front of the test's database; returns the address of a login through it. */
async function preflightThroughPgBouncer(mode: string): Promise<string> {
  const { role, url } = await loginWith("");
  const address = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-pooler-"));
  chmodSync(folder, 0o755);
  const [port, file] = [await findFreePort(), join(folder, "pgbouncer.ini")];
  writeFileSync(join(folder, "users.txt"), `"${role}" "${rolePassword}"\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${address.hostname} port=${address.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users.txt")}
pool_mode = ${mode}
ignore_startup_parameters = options, statement_timeout, idle_in_transaction_session_timeout
`,
  );
  // PgBouncer refuses to run as root.
  const userOptions = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const pooler = spawn("pgbouncer", [...userOptions, file], { stdio: "ignore" });
  after(() => {
    pooler.kill();
    rmSync(folder, { recursive: true });
  });
  address.port = String(port);
  return address.href;
}

const isInstalled = spawnSync("pgbouncer", ["--version"]).status === 0;
const skip = isInstalled ? false : "pgbouncer is not installed";

for (const mode of ["session", "transaction"]) {
  test(`a pooler in ${mode} mode is rejected`, { skip }, async () => {
    const url = await preflightThroughPgBouncer(mode);
    const found = await eventually(
      10_000,
      () => runPreflight(url, "sandbox").catch(String),
      (answer) => Array.isArray(answer),
    );
    assert.match(String(found), /^There is a pooler between this process and PostgreSQL/);
  });
}
