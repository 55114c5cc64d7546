import assert from "node:assert/strict";
import { after, test } from "node:test";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { openDatabase, type Database } from "./database.ts";
import { sql } from "./sql.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const merchants = Array.from({ length: 60 }, (_, index) => `SANDBOX_${index}`);

await asSuperuser(
  `create table orders (client_id text not null, item text not null);
   alter table orders enable row level security;
   create policy orders_own_rows on orders
     using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
   grant select, insert on orders to tollgate_app;`,
  [],
  superuserUrl,
);
await asSuperuser(
  "insert into orders select client_id, 'a cup for ' || client_id from unnest($1::text[]) as client_id",
  [merchants],
  superuserUrl,
);

function open(connectionsMax: number): Database {
  const onFault = (error: Error): void => assert.fail(error);
  const database = openDatabase({ url: appUrl, applicationName: "pipelines", connectionsMax, onFault });
  after(() => database.close());
  return database;
}

test("concurrent queries of several merchants share a few connections, and see only their own rows", async () => {
  const database = open(16);
  const results = await Promise.all(
    merchants.map((clientId) =>
      database
        .reader([clientId])
        .query<{ item: string; pid: number }>(sql`select item, pg_backend_pid() as pid from orders`),
    ),
  );
  assert.deepEqual(
    results.map((rows) => rows.map(({ item }) => item)),
    merchants.map((clientId) => [`a cup for ${clientId}`]),
  );
  assert.equal(new Set(results.flat().map(({ pid }) => pid)).size, 3);
});

test("a query that fails does not affect the other queries in the pipeline", async () => {
  const database = open(16);
  const answers = await Promise.allSettled(
    merchants.map((clientId, index) =>
      database
        .reader([clientId])
        .query<{ item: string }>(sql`select item, 1 / ${index % 3}::int as share from orders`),
    ),
  );
  answers.forEach((answer, index) => {
    if (index % 3 === 0) assert.equal(answer.status === "rejected" && answer.reason.code, "22012");
    else
      assert.equal(answer.status === "fulfilled" && answer.value[0]?.item, `a cup for ${merchants[index]}`);
  });
});

test("a query leaves no setting on its connection", async () => {
  const database = open(1);
  await database.reader([merchants[0]!]).query(sql`select 1`);
  let left: unknown;
  await database.transaction([merchants[1]!], async (tx) => {
    await tx.query(sql`commit`);
    left = await tx.query(sql`
      select current_setting('app.clients', true) as clients, current_setting('transaction_read_only') as read_only`);
  });
  assert.deepEqual(left, [{ clients: "", read_only: "off" }]);
});

test("a statement prepared by a transaction works in a pipelined query, and the reverse", async () => {
  const database = open(1);
  const selectOrders = sql`select client_id, item from orders`;
  const [first, second] = merchants.map((clientId) => ({
    client_id: clientId,
    item: `a cup for ${clientId}`,
  }));
  assert.deepEqual(await database.transaction([merchants[0]!], (tx) => tx.query(selectOrders)), {
    outcome: "committed",
    value: [first],
  });
  assert.deepEqual(await database.reader([merchants[1]!]).query(selectOrders), [second]);

  const selectItems = sql`select item from orders`;
  assert.deepEqual(await database.reader([merchants[1]!]).query(selectItems), [{ item: second?.item }]);
  assert.deepEqual(await database.transaction([merchants[0]!], (tx) => tx.query(selectItems)), {
    outcome: "committed",
    value: [{ item: first?.item }],
  });
});

test("every kind of value is parsed equally in pipelined queries and in transactions", async () => {
  const database = open(2);
  const texts = ["", "null", "NULL", 'a "quote"', "back\\slash", "{braces, commas}", "Käse 🧀", "two\nlines"];
  const day = new Date("2026-03-01T12:34:56.789Z");
  const bytes = Buffer.from([0, 34, 92, 255]);
  const statement = sql`select ${"it's"}::text as text, ${undefined}::text as nothing, ${true}::boolean as truth,
    ${-7}::int as number, ${9_007_199_254_740_993n}::bigint as bigint, ${day}::timestamptz as day,
    ${new Uint8Array(bytes)}::bytea as bytes, ${texts}::text[] as words, ${[...texts, null]}::text[] as more,
    ${[1n, 2n]}::bigint[] as bigints, ${[day, null]}::timestamptz[] as days, ${[bytes]}::bytea[] as raw,
    ${[]}::text[] as none`;
  const [row] = await database.reader([merchants[0]!]).query(statement);
  assert.deepEqual(row, {
    text: "it's",
    nothing: null,
    truth: true,
    number: -7,
    bigint: "9007199254740993",
    day,
    bytes,
    words: texts,
    more: [...texts, null],
    bigints: ["1", "2"],
    days: [day, null],
    raw: [bytes],
    none: [],
  });
  assert.deepEqual(await database.transaction([merchants[0]!], (tx) => tx.query(statement)), {
    outcome: "committed",
    value: [row],
  });
});

test("a transaction gets its connection although pipelined queries never stop", async () => {
  const database = open(1);
  const reader = database.reader([merchants[0]!]);
  let asking = true;
  const askers = [1, 2, 3, 4].map(async () => {
    while (asking) await reader.query(sql`select pg_sleep(0.005)`);
  });
  const done = await database.transaction([merchants[0]!], (tx) => tx.query(sql`select 1 as one`));
  asking = false;
  await Promise.all(askers);
  assert.deepEqual(done, { outcome: "committed", value: [{ one: 1 }] });
});
