import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "pg";
import { setRequestLogRetention } from "../operators/merchants/request-log-retention.ts";
import { asSuperuser, newTestDatabase, ownerRole, rolePassword } from "../../test/start/test-database.ts";
import { migrate } from "./migrate.ts";

const migrations = new URL("../../migrations/", import.meta.url);

interface Empty {
  readonly ownerUrl: string;
  query<Row extends object>(question: string): Promise<readonly Row[]>;
}

/** An empty database. */
async function emptyDatabase(): Promise<Empty> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const [row] = await asSuperuser<{ port: number }>("select inet_server_port() as port");
  await asSuperuser(`create database ${name} owner ${ownerRole}`);
  after(() => asSuperuser(`drop database ${name} with (force)`));
  const ownerUrl = `postgres://${ownerRole}:${rolePassword}@127.0.0.1:${row?.port}/${name}`;
  return { ownerUrl, query: (question) => asSuperuser(question, [], ownerUrl) };
}

interface Release {
  readonly folder: URL;
  write(name: string, text: string): Promise<void>;
}

/** The migrations of a small shop: its environment, and its stock. */
async function shopRelease(): Promise<Release> {
  const path = await mkdtemp(join(tmpdir(), "tollgate-migrations-"));
  after(() => rm(path, { recursive: true }));
  const write = (name: string, text: string): Promise<void> => writeFile(join(path, name), text);
  await mkdir(join(path, "generated"));
  await write("generated/lifecycles.sql", "select 'no lifecycles'");
  await cp(new URL("0001_environment.sql", migrations), join(path, "0001_environment.sql"));
  await write("0002_stock.sql", "create table stock (item text); insert into stock values ('beans')");
  return { folder: pathToFileURL(`${path}/`), write };
}

test("two concurrent migrators apply every migration once", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const files = (await readdir(migrations)).filter((name) => /^\d{4}_/.test(name)).sort();

  const applied = await Promise.all([migrate(ownerUrl, "sandbox"), migrate(ownerUrl, "sandbox")]);

  assert.deepEqual(
    applied.toSorted((a, b) => a.length - b.length),
    [[], files],
  );
  const recorded = await query<{ name: string }>("select name from migrations order by name");
  assert.deepEqual(
    recorded.map(({ name }) => name),
    files,
  );
});

test("an up-to-date database does not change, and only new files are applied", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  const first = ["0001_environment.sql", "0002_stock.sql"];
  assert.deepEqual(await migrate(ownerUrl, "live", folder), first);
  assert.deepEqual(await migrate(ownerUrl, "live", folder), []);

  await write("0003_more.sql", "insert into stock values ('milk')");
  assert.deepEqual(await migrate(ownerUrl, "live", folder), ["0003_more.sql"]);
  assert.deepEqual(await query("select item from stock order by item"), [
    { item: "beans" },
    { item: "milk" },
  ]);
  assert.deepEqual(await query("select name from environment"), [{ name: "live" }]);
});

test("a file that was changed after it was applied is rejected, and nothing else is applied", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  await migrate(ownerUrl, "sandbox", folder);

  await write("0002_stock.sql", "create table stock (item text not null)");
  await write("0003_more.sql", "insert into stock values ('milk')");
  const changed = /0002_stock\.sql was changed after it was applied\. Write a new migration instead/;
  await assert.rejects(migrate(ownerUrl, "sandbox", folder), changed);
  assert.deepEqual(await query("select item from stock"), [{ item: "beans" }]);
});

test("a database from before the migrations were squashed is rejected, and not changed", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const before = await shopRelease();
  await before.write("0003_prices.sql", "alter table stock add column minor bigint");
  await migrate(ownerUrl, "sandbox", before.folder);

  const squashed = await shopRelease();
  await squashed.write("0002_stock.sql", "create table stock (item text, minor bigint)");
  await squashed.write("0003_customers.sql", "create table customers ()");
  await squashed.write("0004_more.sql", "insert into stock values ('milk')");
  await squashed.write("generated/lifecycles.sql", "insert into stock values ('a lifecycle')");
  const sentence =
    /migrated by 0003_prices\.sql.* from before they were squashed.* Start with an empty database/;
  await assert.rejects(migrate(ownerUrl, "sandbox", squashed.folder), sentence);
  assert.deepEqual(await query("select item, to_regclass('customers') as customers from stock"), [
    { item: "beans", customers: null },
  ]);
  const recorded = await query("select name from migrations order by name");
  assert.deepEqual(recorded.at(-1), { name: "0003_prices.sql" });
});

test("a migrator of the previous release does nothing in a database of the next one", async () => {
  const { ownerUrl } = await emptyDatabase();
  const { folder: releaseBefore } = await shopRelease();
  const next = await shopRelease();
  await next.write("0003_more.sql", "insert into stock values ('milk')");
  await migrate(ownerUrl, "sandbox", next.folder);
  assert.deepEqual(await migrate(ownerUrl, "sandbox", releaseBefore), []);
});

test("a migrator of the other environment is rejected before it changes anything", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  await migrate(ownerUrl, "live", folder);

  await write("0003_more.sql", "insert into stock values (current_setting('tollgate.environment'))");
  await write("generated/lifecycles.sql", "insert into stock values ('a lifecycle')");
  await assert.rejects(migrate(ownerUrl, "sandbox", folder), /This database is live, not sandbox/);
  assert.deepEqual(await query("select item from stock"), [{ item: "beans" }]);
});

test("a file that fails is rolled back, and can be corrected", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  await write("0003_prices.sql", "create table prices (minor bigint); insert into prices values (1 / 0)");
  await write("0004_never.sql", "create table never ()");

  await assert.rejects(migrate(ownerUrl, "sandbox", folder), { code: "22012" });
  const exists =
    "select to_regclass('prices') as prices, to_regclass('never') as never, to_regclass('stock') as stock";
  assert.deepEqual(await query(exists), [{ prices: null, never: null, stock: "stock" }]);

  await write("0003_prices.sql", "create table prices (minor bigint); insert into prices values (1)");
  assert.deepEqual(await migrate(ownerUrl, "sandbox", folder), ["0003_prices.sql", "0004_never.sql"]);
});

test("a change that waits for a long reader does not block other readers, and is applied later", async () => {
  const { ownerUrl } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  await migrate(ownerUrl, "sandbox", folder);
  await write("0003_shelf.sql", "alter table stock add column shelf integer");
  const [longReader, otherReader] = [await connect(ownerUrl), await connect(ownerUrl)];
  await longReader.query("begin; select * from stock");

  let applied: readonly string[] | undefined;
  const migrating = migrate(ownerUrl, "sandbox", folder).then((names) => (applied = names));
  // The lock is held longer than the migrator's lock timeout, so the migrator has retried at least once.
  const untilMs = performance.now() + 900;
  let slowestMs = 0;
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    await otherReader.query("select * from stock");
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    await delay(10);
  }
  assert.equal(applied, undefined);
  assert.ok(slowestMs > 100 && slowestMs < 500, `A reader waited ${slowestMs} ms.`);

  await longReader.query("commit");
  assert.deepEqual(await migrating, ["0003_shelf.sql"]);
  assert.deepEqual((await otherReader.query("select shelf from stock")).rows, [{ shelf: null }]);
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The database is dropped while this client is connected to it.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

test("the request log has a partition for today and for each of the next three days", async () => {
  const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
  await asSuperuser("select maintain_request_log()", [], appUrl);
  assert.deepEqual(await days(superuserUrl), [0, 1, 2, 3]);
});

test("partitions of the request log start at midnight UTC, in any session time zone", async () => {
  const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
  for (const day of await days(superuserUrl))
    await asSuperuser(`drop table ${nameOf(day)}`, [], superuserUrl);
  assert.deepEqual(await days(superuserUrl), []);

  const caller = await connect(appUrl);
  await caller.query("set timezone = 'Asia/Tokyo'; set datestyle = 'German'");
  await caller.query("select maintain_request_log()");
  await caller.end();
  assert.deepEqual(await days(superuserUrl), [0, 1, 2, 3]);
  const bounds = await asSuperuser<{ bound: string }>(
    "select pg_get_expr(relpartbound, oid) as bound from pg_class where relname = $1",
    [nameOf(0)],
    `${superuserUrl}?options=-c%20timezone%3DUTC`,
  );
  const [today, tomorrow] = [dateOf(0), dateOf(1)];
  assert.equal(bounds[0]?.bound, `FOR VALUES FROM ('${today} 00:00:00+00') TO ('${tomorrow} 00:00:00+00')`);
});

async function insertDays(superuserUrl: string, dayNumbers: readonly number[]): Promise<void> {
  for (const day of dayNumbers) {
    const range = `from ('${dateOf(day)} 00:00+00') to ('${dateOf(day + 1)} 00:00+00')`;
    await asSuperuser(
      `create table ${nameOf(day)} partition of request_log for values ${range}`,
      [],
      superuserUrl,
    );
  }
}

test("only partitions of the request log older than the owner's limit are dropped", async () => {
  const { appUrl, ownerUrl, superuserUrl } = await newTestDatabase("sandbox");
  await insertDays(superuserUrl, [-400, -31, -30, -29, -1]);
  await asSuperuser("select maintain_request_log()", [], appUrl);
  assert.deepEqual(await days(superuserUrl), [-30, -29, -1, 0, 1, 2, 3]);
  await setRequestLogRetention({ url: ownerUrl, environment: "sandbox" }, 1);
  await asSuperuser("select maintain_request_log()", [], appUrl);
  assert.deepEqual(await days(superuserUrl), [-1, 0, 1, 2, 3]);
});

test("the serving role can neither drop nor truncate the request log", async () => {
  const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
  await insertDays(superuserUrl, [-30, -1]);
  // The function is called as a process of the previous release calls it, and as an attacker would.
  for (const keepDays of [30, 0, -2])
    await asSuperuser(`select maintain_request_log(${keepDays})`, [], appUrl);
  assert.deepEqual(await days(superuserUrl), [-30, -1, 0, 1, 2, 3]);
  for (const statement of [
    "select days from request_log_retention",
    "update request_log_retention set days = 1",
    "insert into request_log_retention (days) values (1)",
    "delete from request_log_retention",
    "truncate request_log_retention",
    "drop table request_log_retention",
  ]) {
    await assert.rejects(asSuperuser(statement, [], appUrl), { code: "42501" }, statement);
  }
});

test("apart from its upkeep the serving role can only insert into the request log, and read the results of its requests", async () => {
  const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
  for (const statement of [
    "select request_body from request_log",
    "select answer_body from request_log",
    "select request_sha256 from request_log",
    "delete from request_log",
    "truncate request_log",
    "update request_log set path = ''",
    "drop table request_log",
    `drop table ${nameOf(0)}`,
    `alter table request_log detach partition ${nameOf(0)}`,
    "alter function maintain_request_log(integer) security invoker",
  ]) {
    await assert.rejects(asSuperuser(statement, [], appUrl), { code: "42501" }, statement);
  }
  assert.deepEqual(await days(superuserUrl), [0, 1, 2, 3]);
});

test("the upkeep of the request log cannot be misused to drop other tables", async () => {
  const { appRole, appUrl, superuserUrl } = await newTestDatabase("sandbox");
  const attacker = await connect(appUrl);
  await assert.rejects(attacker.query("create temp table mine ()"), { code: "42501" });
  // Even with the privilege to create temporary tables, the attack fails.
  const name = new URL(superuserUrl).pathname.slice(1);
  await asSuperuser(`grant temporary on database ${name} to ${appRole}`);
  await attacker.query(`
    create temp table pg_class as select 1::oid as oid, 'payments'::text as relname;
    create temp table pg_inherits as select 1::oid as inhrelid, 'request_log'::regclass::oid as inhparent;
    grant select on pg_temp.pg_class, pg_temp.pg_inherits to public;
    select maintain_request_log();`);
  await attacker.end();
  const [left] = await asSuperuser<{ payments: string | null }>(
    "select to_regclass('public.payments') as payments",
    [],
    superuserUrl,
  );
  assert.equal(left?.payments, "payments");
});

function dateOf(day: number): string {
  return new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10);
}

function nameOf(day: number): string {
  return `request_log_${dateOf(day).replaceAll("-", "")}`;
}

/** The days from today on that have a partition. */
async function days(url: string): Promise<readonly number[]> {
  const rows = await asSuperuser<{ day: number }>(
    `select to_date(right(relname, 8), 'YYYYMMDD') - (clock_timestamp() at time zone 'utc')::date as day
     from pg_class where relispartition and relkind = 'r' and relname like 'request_log_%' order by 1`,
    [],
    url,
  );
  return rows.map(({ day }) => day);
}

/** An online migration that fills a column in steps, and builds an index concurrently. */
const longMove = `-- apart
-- Prices of what was in stock before there were prices.

alter table stock add column if not exists minor bigint;

-- in steps
update stock set minor = length(item) 
where item in (select item from stock where minor is null and item like 'item %' limit 1000);

create index concurrently if not exists stock_by_price on stock (minor);
`;

test("a migration without a transaction fills rows in steps and builds its index while others write", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  await migrate(ownerUrl, "sandbox", folder);
  await query("insert into stock select 'item ' || n from generate_series(1, 5000) as n");
  await write("0003_prices.sql", longMove);
  const seller = new Client({ connectionString: ownerUrl });
  await seller.connect();
  let [sold, isOver] = [0, false];
  const selling = (async () => {
    while (!isOver) {
      await seller.query("insert into stock (item) values ('sold')");
      sold += 1;
    }
  })();
  assert.deepEqual(await migrate(ownerUrl, "sandbox", folder), ["0003_prices.sql"]);
  isOver = true;
  await selling;
  await seller.end();
  const unpriced = "select count(*)::int as left from stock where minor is null and item like 'item %'";
  assert.deepEqual(await query(unpriced), [{ left: 0 }]);
  assert.ok(sold > 0, "No payment was made meanwhile.");
  assert.deepEqual(
    await query("select indisvalid from pg_index where indexrelid = 'stock_by_price'::regclass"),
    [{ indisvalid: true }],
  );
  assert.deepEqual(await migrate(ownerUrl, "sandbox", folder), []);
});

test("an interrupted migration starts again, and rebuilds a half-built index", async () => {
  const { ownerUrl, query } = await emptyDatabase();
  const { folder, write } = await shopRelease();
  await migrate(ownerUrl, "sandbox", folder);
  await write(
    "0003_index.sql",
    "-- apart\n\ncreate index concurrently if not exists stock_by_item on stock (item);\n",
  );
  // A transaction is older than the index: the build waits for it, and the test interrupts the build during this wait.
  const older = new Client({ connectionString: ownerUrl });
  await older.connect();
  await older.query("begin; insert into stock (item) values ('held')");
  const cutOff = assert.rejects(migrate(ownerUrl, "sandbox", folder));
  const building =
    "from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'";
  while ((await query(`select ${building}`)).length === 0) await delay(20);
  await query(`select pg_terminate_backend(pid) ${building}`);
  await cutOff;
  const index = "select indisvalid from pg_index where indexrelid = to_regclass('stock_by_item')";
  assert.deepEqual(
    await query(index),
    [{ indisvalid: false }],
    "Nothing was half built: this test shows nothing.",
  );
  await older.query("commit");
  await older.end();
  assert.deepEqual(await migrate(ownerUrl, "sandbox", folder), ["0003_index.sql"]);
  assert.deepEqual(await query(index), [{ indisvalid: true }]);
});
