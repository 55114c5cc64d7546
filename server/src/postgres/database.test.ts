import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError } from "pg";
import { startCuttingProxy } from "../../test/start/cutting-proxy.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { newMeter } from "../telemetry/meter.ts";
import { openDatabase, type Database, type TransactionOutcome } from "./database.ts";
import { sql, type Tx } from "./sql.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const [coffee, flowers] = ["SANDBOX_COFFEE", "SANDBOX_FLOWERS"];

// `orders` represents any table with merchants' rows. The column `house_table` has a deferred constraint, which fails
// at the commit. The insert of a slow order is still running when the commit is sent.
await asSuperuser(
  `create table orders (
     client_id text not null, item text not null,
     house_table integer constraint orders_one_a_table unique deferrable initially deferred
   );
   alter table orders enable row level security;
   create policy orders_own_rows on orders
     using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
   grant select, insert on orders to tollgate_app;
   create function takes_long() returns trigger language plpgsql as
     'begin perform pg_sleep(20); return new; end';
   create constraint trigger takes_long after insert on orders deferrable initially deferred
     for each row when (new.item = 'a slow roast') execute function takes_long();`,
  [],
  superuserUrl,
);

interface Opened {
  readonly database: Database;
  readonly faults: readonly Error[];
  /** The name of the database's connections in pg_stat_activity. */
  readonly name: string;
}

function open({ url = appUrl, connectionsMax = 2 } = {}): Opened {
  const faults: Error[] = [];
  const name = `test ${randomBytes(6).toString("hex")}`;
  const onFault = (error: Error): void => void faults.push(error);
  const database = openDatabase({ url, applicationName: name, connectionsMax, onFault });
  after(() => database.close());
  return { database, faults, name };
}

function order(tx: Tx, item: string, table?: number, clientId = coffee): Promise<object[]> {
  return tx.query(sql`insert into orders values (${clientId}, ${item}, ${table})`);
}

async function orders(item: string): Promise<number> {
  const rows = await asSuperuser("select from orders where item = $1", [item], superuserUrl);
  return rows.length;
}

async function items(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.query<{ item: string }>(sql`select item from orders order by item`);
  return rows.map(({ item }) => item);
}

function causeOf(done: TransactionOutcome<unknown>): unknown {
  assert.ok(done.outcome !== "committed");
  return done.cause;
}

function codeOf(done: TransactionOutcome<unknown>): string | undefined {
  const cause = causeOf(done);
  assert.ok(cause instanceof DatabaseError, String(cause));
  return cause.code;
}

test("committed rows exist, and the work's value is returned", async () => {
  const { database } = open();
  const done = await database.transaction([coffee], async (tx) => {
    await order(tx, "espresso");
    return "thank you";
  });
  assert.deepEqual(done, { outcome: "committed", value: "thank you" });
  assert.equal(await orders("espresso"), 1);
});

test("work that throws is rolled back, and the connection can be used again", async () => {
  const { database } = open({ connectionsMax: 1 });
  const spilled = new Error("Spilled.");
  const done = await database.transaction([coffee], async (tx) => {
    await order(tx, "a spilled cup");
    throw spilled;
  });
  assert.deepEqual(done, { outcome: "not committed", cause: spilled });
  assert.equal(await orders("a spilled cup"), 0);

  const next = await database.transaction([coffee], (tx) => order(tx, "a second cup"));
  assert.equal(next.outcome, "committed");
  // The next transaction on the same connection does not commit the row either.
  assert.equal(await orders("a spilled cup"), 0);
});

test("a failed statement whose error is ignored does not become a success", async () => {
  const { database } = open({ connectionsMax: 1 });
  const done = await database.transaction([coffee], async (tx) => {
    await order(tx, "a cup for nobody");
    await tx.query(sql`select 1 / 0`).catch(() => undefined);
  });
  assert.equal(done.outcome, "not committed");
  assert.match(String(causeOf(done)), /ROLLBACK/);
  assert.equal(await orders("a cup for nobody"), 0);

  const next = await database.transaction([coffee], (tx) => order(tx, "a cup for somebody"));
  assert.equal(next.outcome, "committed");
});

test("a constraint that fails at the commit: not committed", async () => {
  const { database } = open();
  const done = await database.transaction([coffee], async (tx) => {
    await order(tx, "a table for two", 7);
    await order(tx, "a table for two", 7);
  });
  assert.equal(done.outcome, "not committed");
  assert.equal(codeOf(done), "23505");
  assert.equal(await orders("a table for two"), 0);
});

test("if all connections are in use, the caller fails after a short wait", async () => {
  const { database } = open({ connectionsMax: 1 });
  const release = Promise.withResolvers<void>();
  const holding = database.transaction([coffee], () => release.promise);

  const startedAtMs = performance.now();
  const [done, read] = await Promise.all([
    database.transaction([coffee], (tx) => order(tx, "one too many")),
    database
      .reader([coffee])
      .query(sql`select 1`)
      .catch(String),
  ]);
  const tookMs = performance.now() - startedAtMs;
  release.resolve();

  assert.equal(done.outcome, "not committed");
  assert.match(JSON.stringify(read), /timeout exceeded/);
  assert.ok(tookMs > 300 && tookMs < 3_500, `It took ${tookMs} ms.`);
  assert.equal((await holding).outcome, "committed");
  assert.equal(await orders("one too many"), 0);
});

test("a connection that breaks before the commit arrives: unknown, and no row exists", async () => {
  const proxy = await startCuttingProxy(appUrl, "before");
  const { database } = open({ url: proxy.url });
  const done = await database.transaction([coffee], (tx) => order(tx, "a cup on its way"));
  assert.equal(done.outcome, "unknown");
  assert.equal(proxy.cuts(), 1);
  assert.deepEqual(
    await database.reader([coffee]).query(sql`select item from orders where item = 'a cup on its way'`),
    [],
  );
});

test("a connection that breaks after the commit arrived: also unknown, and the row exists", async () => {
  const proxy = await startCuttingProxy(appUrl, "after");
  const { database } = open({ url: proxy.url });
  const done = await database.transaction([coffee], (tx) => order(tx, "a cup on the table"));
  assert.equal(done.outcome, "unknown");
  assert.equal(proxy.cuts(), 1);
  assert.deepEqual(
    await database.reader([coffee]).query(sql`select item from orders where item = 'a cup on the table'`),
    [{ item: "a cup on the table" }],
  );
});

test("a server process that is terminated during a commit: unknown", async () => {
  const { database, name } = open();
  const running = database.transaction([coffee], (tx) => order(tx, "a slow roast"));
  await terminateBackend(`application_name = '${name}' and query = 'commit' and wait_event = 'PgSleep'`);
  const done = await running;
  assert.equal(done.outcome, "unknown");
  assert.equal(codeOf(done), "57P01");
});

test("a server process that is terminated during the work: not committed", async () => {
  const { database, name } = open();
  const running = database.transaction([coffee], async (tx) => {
    await order(tx, "a half cup");
    await tx.query(sql`select pg_sleep(20)`);
  });
  await terminateBackend(`application_name = '${name}' and wait_event = 'PgSleep'`);
  const done = await running;
  assert.equal(done.outcome, "not committed");
  assert.equal(await orders("a half cup"), 0);
});

test("idle connections that break neither end the process nor stay in the pool", async () => {
  const { database, faults, name } = open({ connectionsMax: 3 });
  const reader = database.reader([coffee]);
  const queryAll = (): Promise<{ pid: number }[][]> =>
    Promise.all([1, 2, 3].map(() => reader.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)));
  const before = new Set((await queryAll()).flat().map(({ pid }) => pid));
  assert.equal(before.size, 3);

  await asSuperuser("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
    name,
  ]);
  for (let tries = 0; faults.length < 3 && tries < 200; tries += 1) await delay(10);
  assert.equal(faults.length, 3);

  const afterwards = (await queryAll()).flat().map(({ pid }) => pid);
  assert.deepEqual(
    afterwards.filter((pid) => before.has(pid)),
    [],
  );
  assert.equal(
    (await database.transaction([coffee], (tx) => order(tx, "after the storm"))).outcome,
    "committed",
  );
});

test("one connection to a read-only server is enough to discard the whole pool", async () => {
  const { database } = open({ connectionsMax: 2 });
  const bothStarted = barrier(2);
  const demote = (): Promise<TransactionOutcome<void>> =>
    database.transaction([coffee], async (tx) => {
      await tx.query(sql`set session characteristics as transaction read only`);
      await bothStarted();
    });
  await Promise.all([demote(), demote()]);

  const refused = await database.transaction([coffee], (tx) => order(tx, "to the wrong house"));
  assert.equal(refused.outcome, "not committed");
  assert.equal(codeOf(refused), "25006");
  const next = await Promise.all(
    [1, 2].map(() => database.transaction([coffee], (tx) => order(tx, "to the right house"))),
  );
  assert.deepEqual(
    next.map(({ outcome }) => outcome),
    ["committed", "committed"],
  );
});

test("row-level security lets a connection see a merchant's rows only during the transaction", async () => {
  const { database } = open({ connectionsMax: 1 });
  const clientsSeen: unknown[] = [];
  await database.transaction([coffee], async (tx) => {
    const readClients = sql`select current_setting('app.clients', true) as clients`;
    clientsSeen.push(...(await tx.query(readClients)));
    await tx.query(sql`commit`);
    clientsSeen.push(...(await tx.query(readClients)), await items(tx));
  });
  assert.deepEqual(clientsSeen, [{ clients: `{${coffee}}` }, { clients: "" }, []]);
});

test("concurrent transactions of two merchants see and write only their own rows", async () => {
  const { database } = open({ connectionsMax: 2 });
  const tulips = ["SANDBOX_TULIPS", "a yellow tulip", "a red tulip"] as const;
  const teas = ["SANDBOX_TEAS", "a black tea", "a green tea"] as const;
  for (const [clientId, before] of [tulips, teas]) {
    await database.transaction([clientId], (tx) => order(tx, before, undefined, clientId));
  }
  const together = barrier(2);
  const seen = await Promise.all(
    [tulips, teas].map(([clientId, , now]) =>
      database.transaction([clientId], async (tx) => {
        await together();
        await order(tx, now, undefined, clientId);
        return items(tx);
      }),
    ),
  );
  assert.deepEqual(seen, [
    { outcome: "committed", value: ["a red tulip", "a yellow tulip"] },
    { outcome: "committed", value: ["a black tea", "a green tea"] },
  ]);
});

test("a reader sees only the merchants that it names, and writes nothing", async () => {
  const { database } = open();
  await database.transaction([flowers], (tx) => order(tx, "a tulip", undefined, flowers));
  const ask = sql`select distinct client_id from orders order by client_id`;
  assert.deepEqual(await database.reader([flowers]).query(ask), [{ client_id: flowers }]);
  assert.deepEqual(await database.reader([coffee, flowers]).query(ask), [
    { client_id: coffee },
    { client_id: flowers },
  ]);
  assert.deepEqual(await database.reader(["SANDBOX_NOBODY"]).query(ask), []);
  await assert.rejects(order(database.reader([coffee]), "by the way"), { code: "25006" });
});

test("a transaction without a merchant throws", async () => {
  const { database } = open();
  await assert.rejects(
    database.transaction([], async () => undefined),
    { name: "AssertionError" },
  );
  await assert.rejects(database.reader([]).query(sql`select 1`), { name: "AssertionError" });
});

test("a statement is prepared once per connection", async () => {
  const { database } = open({ connectionsMax: 1 });
  const reader = database.reader([coffee]);
  const count = (least: number): Promise<{ count: string }[]> =>
    reader.query(sql`select count(*) from orders where length(item) > ${least}`);
  for (const least of [1, 2, 3]) await count(least);

  const prepared = await reader.query<{ name: string; uses: string }>(sql`
    select name, generic_plans + custom_plans as uses from pg_prepared_statements
    where statement like '%where length(item) > $1%' and statement not like '%pg_prepared%'`);
  assert.equal(prepared.length, 1);
  assert.equal(prepared[0]?.uses, "3");
  assert.match(prepared[0].name, /^[\w-]{16}$/);
});

/** Waits until PostgreSQL has a matching process, and terminates it. */
async function terminateBackend(condition: string): Promise<void> {
  const giveUpAtMs = performance.now() + 5_000;
  for (;;) {
    const terminated = await asSuperuser(
      `select pg_terminate_backend(pid) from pg_stat_activity where ${condition}`,
    );
    if (terminated.length > 0) return;
    assert.ok(performance.now() < giveUpAtMs, "There was no such process.");
  }
}

/** Resolves for all callers when `count` callers have arrived. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === count) resolve();
    return promise;
  };
}

test("a read-only pool rejects every write", async () => {
  const options = { applicationName: "looker", connectionsMax: 1, onFault: () => undefined };
  const looking = openDatabase({ url: appUrl, ...options, readsOnly: true });
  after(() => looking.close());
  const written = await looking.transaction(["SANDBOX_COFFEE"], (tx) =>
    tx.query(sql`insert into clocks (bucket, client_id, ahead_ms) values (1, 'SANDBOX_COFFEE', 0)`),
  );
  assert.equal(written.outcome, "not committed");
  assert.match(String("cause" in written && written.cause), /read-only transaction/);
});

test("resources that PostgreSQL lacks are counted, starting at zero", async () => {
  const meter = newMeter();
  const options = { applicationName: "counted", connectionsMax: 1, onFault: () => undefined, meter };
  const counted = openDatabase({ url: appUrl, ...options });
  after(() => counted.close());
  assert.match(meter.text(), /^tollgate_database_troubles_total\{trouble="disk full"\} 0$/m);
  const full = sql`do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`;
  for (const statement of [full, sql`select 1 / 0`])
    assert.equal(
      (await counted.transaction(["SANDBOX_COFFEE"], (tx) => tx.query(statement))).outcome,
      "not committed",
    );
  assert.match(meter.text(), /^tollgate_database_troubles_total\{trouble="disk full"\} 1$/m);
  assert.doesNotMatch(meter.text(), /troubles_total\{trouble="[^"]*"\} [2-9]/);
});
