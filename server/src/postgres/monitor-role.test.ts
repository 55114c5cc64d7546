import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { bucketOf } from "../core/bucket.ts";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { asSuperuser, newTestDatabase, rolePassword } from "../../test/start/test-database.ts";

/**
 * The test creates the monitoring role with the statement that operators run. It reads the table names from the
 * catalogue, so future tables are covered as well.
 */
const roles = readFileSync(new URL("../../../deploy/postgres/roles.sql", import.meta.url), "utf8");
const { superuserUrl } = await newTestDatabase("sandbox");
const name = new URL(superuserUrl).pathname.slice(1);
const login = `${name}_exporter`;
const clientId = "SANDBOX_COFFEE";
let exporter: Client;

before(async () => {
  const [, createStatement = ""] = /select '(create role tollgate_monitor [^']+)'/.exec(roles) ?? [];
  assert.match(createStatement, /in role pg_monitor$/);
  // The role may exist already: roles belong to the whole server, which other test files use at the same time.
  await asSuperuser(createStatement).catch(({ code }) => assert.match(code, /^(?:42710|23505)$/));
  await asSuperuser(
    `create role ${login} login password '${rolePassword}' in role tollgate_monitor;
     grant connect on database ${name} to tollgate_monitor`,
  );
  const url = new URL(superuserUrl);
  [url.username, url.password] = [login, rolePassword];
  exporter = new Client({ connectionString: url.href });
  exporter.on("error", () => undefined);
  await exporter.connect();
});
after(async () => {
  await exporter.end();
  // The database is dropped by now, and with it the role's privileges, so the role can be dropped.
  await asSuperuser(`drop role ${login}`);
});

async function names(question: string): Promise<readonly string[]> {
  return (await asSuperuser<{ name: string }>(question, [], superuserUrl)).map((row) => row.name);
}

test("the monitoring role sees no row of any table, with any session setting", async () => {
  const all = await names(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')`,
  );
  for (const table of ["payments", "request_log", "clients", "notifications", "audit", "gateway_keys"])
    assert.ok(all.includes(table), table);
  await exporter.query("select set_config('app.clients', '{SANDBOX_COFFEE}', false)");
  await exporter.query("select set_config('app.oversight', 'on', false)");
  for (const table of all)
    await assert.rejects(exporter.query(`select * from ${table}`), { code: "42501" }, table);
});

test("the monitoring role cannot act with the owner's privileges", async () => {
  const functions = await names(
    `select oid::regprocedure::text as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
  );
  assert.ok(functions.length > 5);
  for (const each of functions) {
    const { rows } = await exporter.query("select has_function_privilege($1, 'execute') as may", [each]);
    assert.deepEqual(rows, [{ may: false }], each);
  }
});

test("the monitoring role does not see column statistics, in which PostgreSQL keeps values", async () => {
  const superuser = new Client({ connectionString: superuserUrl });
  superuser.on("error", () => undefined);
  await superuser.connect();
  await dropChecks(superuser);
  for (let index = 0; index < 3; index += 1)
    await insertGeneratedRow(superuser, "clients", {
      bucket: bucketOf(clientId),
      client_id: `${clientId}${index}`,
    });
  await superuser.query("update clients set name = 'marked-name'; analyze clients");
  const values = "select most_common_vals::text from pg_stats where schemaname = 'public'";
  const { rows } = await superuser.query(values);
  assert.match(JSON.stringify(rows), /marked-name/);
  assert.deepEqual((await exporter.query(values)).rows, []);
  await superuser.end();
});

/** The queries of the Prometheus exporter for PostgreSQL, and those of our runbooks. */
const questions = [
  "select datname, numbackends, xact_commit, blks_read, deadlocks, temp_bytes from pg_stat_database",
  "select pg_database_size(datname) from pg_database where datname = current_database()",
  "select state, wait_event_type, usename, application_name, query, xact_start from pg_stat_activity",
  "select application_name, state, sync_state, replay_lag, pg_wal_lsn_diff(sent_lsn, replay_lsn) from pg_stat_replication",
  "select slot_name, active, restart_lsn from pg_replication_slots",
  "select archived_count, failed_count, last_failed_time from pg_stat_archiver",
  "select checkpoints_timed, buffers_alloc from pg_stat_bgwriter",
  "select mode, count(*) from pg_locks group by mode",
  "select name, setting from pg_settings where name = 'data_directory'",
  "select relname, n_live_tup, n_dead_tup, last_autovacuum, pg_total_relation_size(relid) from pg_stat_user_tables",
  "select indexrelname, idx_scan from pg_stat_user_indexes",
  "select age(datfrozenxid) from pg_database",
  "select count(*), sum(size) from pg_ls_waldir()",
  "select pg_is_in_recovery(), pg_current_wal_lsn(), pg_postmaster_start_time()",
];

for (const question of questions)
  test(`the monitoring role may run the exporter's query: ${question.slice(0, 60)}`, async () => {
    const { fields } = await exporter.query(question);
    assert.ok(fields.length > 0);
  });

test("the monitoring role sees the activity of other logins, but no values in their statements", async () => {
  const otherClient = new Client({ connectionString: superuserUrl });
  otherClient.on("error", () => undefined);
  await otherClient.connect();
  await otherClient.query("select $1::text as secret", ["marked-value"]);
  const { rows } = await exporter.query<{ query: string }>(
    "select query from pg_stat_activity where usename <> $1 and datname = $2",
    [login, name],
  );
  await otherClient.end();
  assert.ok(rows.some(({ query }) => query === "select $1::text as secret"));
  assert.doesNotMatch(JSON.stringify(rows), /marked-value/);
});
