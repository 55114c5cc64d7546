import assert from "node:assert/strict";
import { after, test } from "node:test";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { startCuttingProxy } from "../../test/start/cutting-proxy.ts";
import { newMeter } from "../telemetry/meter.ts";
import { openDatabase, type Database, type DatabaseOptions } from "./database.ts";
import { sql, type Tx } from "./sql.ts";
import { newBatchReader, newBatchWriter } from "./batcher.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const [coffee, flowers] = ["SANDBOX_COFFEE", "SANDBOX_FLOWERS"];
await asSuperuser(
  `create table orders (client_id text not null, item text primary key check (item <> 'poison'));
   alter table orders enable row level security;
   create policy orders_own_rows on orders
     using (client_id = any (nullif(current_setting('app.clients', true), '')::text[]));
   grant select, insert on orders to tollgate_app;`,
  [],
  superuserUrl,
);

interface Order {
  readonly clientId: string;
  readonly item: string;
}

function open(
  url = appUrl,
  limits: Partial<DatabaseOptions> = {},
): { readonly database: Database; readonly faults: readonly Error[] } {
  const faults: Error[] = [];
  const onFault = (error: Error): void => void faults.push(error);
  const database = openDatabase({ url, applicationName: "together", connectionsMax: 4, onFault, ...limits });
  after(() => database.close());
  return { database, faults };
}

async function insertOrders(tx: Tx, orders: readonly Order[]): Promise<readonly boolean[]> {
  const rows = await tx.query<{ item: string }>(sql`
    insert into orders
    select * from unnest(${orders.map(({ clientId }) => clientId)}::text[], ${orders.map(({ item }) => item)}::text[])
    on conflict do nothing returning item
  `);
  return orders.map(({ item }) => rows.some((row) => row.item === item));
}

const writeOrders = async (): Promise<readonly string[]> =>
  (await asSuperuser<{ item: string }>("select item from orders", [], superuserUrl)).map(({ item }) => item);

test("many concurrent writes need few transactions, each item in the scope of its merchant", async () => {
  const batches: number[] = [];
  const writer = newBatchWriter<Order>(open().database, async (tx, orders) => {
    batches.push(orders.length);
    return insertOrders(tx, orders);
  });
  const orders = Array.from({ length: 200 }, (_, index) => ({
    clientId: index % 2 === 0 ? coffee : flowers,
    item: `crowd ${index}`,
  }));
  const outcomes = await Promise.all(orders.map((order) => writer.write(order.clientId, order)));
  assert.deepEqual(new Set(outcomes), new Set(["written"]));
  assert.ok(batches.length <= 5, `${batches.length} transactions`);
  assert.equal(
    batches.reduce((sum, count) => sum + count, 0),
    200,
  );
});

test("an existing row writes nothing, and only its caller gets `nothing`", async () => {
  const together = newBatchWriter<Order>(open().database, insertOrders);
  const write = (item: string): Promise<string> => together.write(coffee, { clientId: coffee, item });
  assert.equal(await write("tea"), "written");
  assert.deepEqual(await Promise.all([write("tea"), write("cake")]), ["nothing", "written"]);
});

test("one invalid row rolls back the batch, and each item can be retried alone", async () => {
  const together = newBatchWriter<Order>(open().database, insertOrders);
  const items = ["good 1", "poison", "good 2"];
  const outcomes = await Promise.all(items.map((item) => together.write(coffee, { clientId: coffee, item })));
  assert.deepEqual(outcomes, ["alone", "alone", "alone"]);
  assert.ok(!(await writeOrders()).includes("good 1"));
});

test("a batch cannot write for a merchant that is not in it", async () => {
  const together = newBatchWriter<Order>(open().database, insertOrders);
  assert.equal(await together.write(coffee, { clientId: flowers, item: "foreign" }), "alone");
});

test("a commit without a response is unknown to every caller of the batch", async () => {
  const proxy = await startCuttingProxy(appUrl, "after");
  const together = newBatchWriter<Order>(open(proxy.url).database, insertOrders);
  const outcomes = await Promise.all(
    ["lost 1", "lost 2"].map((item) => together.write(coffee, { clientId: coffee, item })),
  );
  assert.deepEqual(outcomes, ["unknown", "unknown"]);
  assert.equal(proxy.cuts(), 1);
});

const shortages: readonly (readonly [string, () => Database])[] = [
  ["time", () => open(appUrl, { statementTimeoutMs: 100 }).database],
  ["a connection", () => open(appUrl.replace(/:\d+\//, ":1/")).database],
];
for (const [shortage, database] of shortages) {
  test(`a batch that failed for lack of ${shortage} is not retried item by item`, async () => {
    let tries = 0;
    const together = newBatchWriter<Order>(database(), async (tx, orders) => {
      tries += 1;
      await tx.query(sql`select pg_sleep(2)`);
      return insertOrders(tx, orders);
    });
    const orders = Array.from({ length: 20 }, (_, index) => ({ clientId: coffee, item: `late ${index}` }));
    const outcomes = await Promise.allSettled(orders.map((order) => together.write(coffee, order)));
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(["rejected"]));
    assert.ok(tries <= 1, `${tries} tries`);
  });
}

async function findItems(tx: Tx, orders: readonly Order[]): Promise<readonly (string | undefined)[]> {
  const rows = await tx.query<{ item: string }>(sql`
    select orders.item from orders
    join unnest(${orders.map(({ clientId }) => clientId)}::text[], ${orders.map(({ item }) => item)}::text[])
      as given (client_id, item) using (client_id, item)
  `);
  return orders.map(({ item }) => rows.find((row) => row.item === item)?.item);
}

test("many concurrent look-ups need few statements, and each finds its own row", async () => {
  const meter = newMeter();
  const { database } = open(appUrl, { meter });
  const write = newBatchWriter<Order>(database, insertOrders);
  const orders = Array.from({ length: 100 }, (_, index) => ({
    clientId: index % 2 === 0 ? coffee : flowers,
    item: `looked up ${index}`,
  }));
  await Promise.all(orders.map((order) => write.write(order.clientId, order)));
  let statements = 0;
  const find = newBatchReader<Order, string>(database, async (tx, items) => {
    statements += 1;
    return findItems(tx, items);
  });
  const unknownItem = { clientId: coffee, item: "nobody's" };
  const found = await Promise.all([...orders, unknownItem].map((order) => find(order.clientId, order)));
  assert.deepEqual(found, [...orders.map(({ item }) => item), undefined]);
  assert.ok(statements <= 3, `${statements} statements`);
  const counted = /_batch_items_total\{access="read",batch="shared"\} (\d+)$/m.exec(meter.text())?.[1];
  assert.ok(Number(counted) >= 99, `${counted} of 101 items shared a statement`);
});

test("a batch cannot read a merchant that is not in it", async () => {
  const { database } = open();
  await newBatchWriter<Order>(database, insertOrders).write(flowers, { clientId: flowers, item: "a rose" });
  const find = newBatchReader<Order, string>(database, findItems);
  assert.equal(await find(coffee, { clientId: flowers, item: "a rose" }), undefined);
});

test("a value that PostgreSQL rejects makes each caller of its batch read alone; faults are thrown", async () => {
  const find = newBatchReader<Order, string>(open().database, findItems);
  const asked = ["tea", "\0"].map((item) => find(coffee, { clientId: coffee, item }));
  assert.deepEqual(await Promise.all(asked), [undefined, undefined]);
  const cutOff = newBatchReader<Order, string>(open(appUrl.replace(/:\d+\//, ":1/")).database, findItems);
  await assert.rejects(cutOff(coffee, { clientId: coffee, item: "tea" }), /ECONNREFUSED/);
});
