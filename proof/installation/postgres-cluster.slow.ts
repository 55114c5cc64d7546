import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startCluster } from "./postgres-cluster.ts";
import { execute } from "./postgres-server.ts";

const cluster = await startCluster({ durable: false });
const proxy = await cluster.newProxy();
const url = cluster.urlThrough(proxy, "postgres");
await execute(url, "create table acknowledged (id int primary key)");
after(() => cluster.stop());

async function countOfRows(): Promise<number> {
  const [row] = await execute<{ count: number }>(url, "select count(*)::int as count from acknowledged");
  return row?.count ?? 0;
}

test("acknowledged rows exist after the primary was killed and restarted", async () => {
  await execute(url, "insert into acknowledged select generate_series(1, 100)");
  await cluster.killPrimary();
  await assert.rejects(countOfRows());
  await cluster.restartPrimary();
  assert.equal(await countOfRows(), 100);
});

test("a frozen primary does not respond, and continues after the thaw", async () => {
  await cluster.freezePrimary();
  const pending = countOfRows();
  const first = await Promise.race([
    pending,
    new Promise((resolve) => setTimeout(() => resolve("nothing"), 300)),
  ]);
  assert.equal(first, "nothing");
  await cluster.thawPrimary();
  assert.equal(await pending, 100);
});

for (const frozenFirst of [false, true]) {
  test(`a primary that is lost permanently, ${frozenFirst ? "frozen" : "killed"}, loses no acknowledged row`, async () => {
    const before = await countOfRows();
    const oldUrl = cluster.primaryUrl("postgres");
    await execute(url, `insert into acknowledged select generate_series(${before + 1}, ${before + 100})`);
    const { promotedMs, outageMs } = await cluster.failOver({ frozenFirst });
    assert.equal(await countOfRows(), before + 100);
    assert(promotedMs <= outageMs);
    await assert.rejects(execute(oldUrl, "select 1"));
    assert.equal(cluster.isProtected(), false);
    await cluster.buildStandby();
    assert.equal(cluster.isProtected(), true);
    await execute(url, `insert into acknowledged values (${before + 101})`);
  });
}
