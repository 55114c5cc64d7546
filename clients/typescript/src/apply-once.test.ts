import assert from "node:assert/strict";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { test } from "node:test";
import { applyOnce, applyOnceSql } from "./apply-once.ts";

const paid = { subject: "notifyPayment 1", sequence: 3 };

test("each change of a record is applied once, and never after a newer one", async () => {
  const shop = openShop();
  const tell = (subject: string, sequence: number): Promise<string> =>
    shop.inTransaction(() => shop.apply({ subject, sequence }));
  assert.equal(await tell("notifyPayment 1", 0), "applied");
  assert.equal(await tell("notifyPayment 1", 2), "applied");
  assert.equal(await tell("notifyPayment 1", 2), "old news");
  assert.equal(await tell("notifyPayment 1", 1), "old news");
  assert.equal(await tell("notifyRefund 1", 1), "applied");
  assert.equal(await tell("notifyPayment 1", 3), "applied");
  assert.deepEqual(shop.applied(), [0, 2, 1, 3]);
});

test("after a failed change and a commit, the next delivery applies the change", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  await assert.rejects(shop.failing(paid), /no such order/);
  // This shop does not roll back its transaction, so the next user of the connection commits what remains in
  // it.
  shop.database.exec("commit");
  assert.deepEqual(shop.applied(), []);
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "applied");
  assert.deepEqual(shop.applied(), [3]);
});

test("a failed change leaves nothing in a transaction that continues", async () => {
  const shop = openShop();
  await shop.inTransaction(async () => {
    await assert.rejects(shop.failing(paid), /no such order/);
    assert.deepEqual(shop.applied(), []);
    assert.equal(await shop.apply(paid), "applied");
  });
  assert.deepEqual(shop.applied(), [3]);
});

test("earlier changes stay when a later change fails", async () => {
  const shop = openShop();
  await shop.inTransaction(() => shop.apply(paid));
  await shop.inTransaction(() => assert.rejects(shop.failing({ ...paid, sequence: 5 })));
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "old news");
  assert.equal(await shop.inTransaction(() => shop.apply({ ...paid, sequence: 4 })), "applied");
});

test("a change that is rolled back counts as not applied", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  assert.equal(await shop.apply(paid), "applied");
  shop.database.exec("rollback");
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "applied");
});

test("a change that commits too early and then fails is delivered again", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  const early = applyOnce(shop, paid, () => {
    shop.database.exec("commit");
    throw new Error("There is no such order.");
  });
  await assert.rejects(early, /no such order/);
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "applied");
});

test("a change that commits the transaction itself is an error", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  await assert.rejects(
    applyOnce(shop, paid, () => shop.database.exec("commit")),
    /no such savepoint/,
  );
});

test("without a transaction, the change and its mark are still atomic", async () => {
  const shop = openShop();
  await assert.rejects(shop.failing(paid), /no such order/);
  assert.deepEqual(shop.applied(), []);
  assert.equal(await shop.apply(paid), "applied");
  assert.equal(await shop.apply(paid), "old news");
});

test("a lost savepoint is detected before anything is applied", async () => {
  // Simulates MySQL outside a transaction: the savepoint statement succeeds, but the savepoint is lost
  // immediately.
  const execute = (sql: string): number => {
    if (sql.startsWith("rollback to")) throw new Error("SAVEPOINT tollgate_apply_once does not exist");
    return 1;
  };
  const applied: string[] = [];
  await assert.rejects(
    applyOnce({ dialect: "mysql", execute }, paid, () => void applied.push("applied")),
    /does not exist/,
  );
  assert.deepEqual(applied, []);
});

type Told = typeof paid;

function openShop() {
  const database = new DatabaseSync(":memory:");
  database.exec(applyOnceSql.sqlite.createTable);
  database.exec("create table changes (sequence integer)");
  const execute = (sql: string, parameters: readonly (string | number)[]): number =>
    Number(database.prepare(sql).run(...(parameters as SQLInputValue[])).changes);
  const shop = { database, dialect: "sqlite", execute } as const;
  const write = ({ sequence }: Told): void => void execute("insert into changes values (?)", [sequence]);
  return {
    ...shop,
    apply: (told: Told) => applyOnce(shop, told, () => write(told)),
    /** An `apply` function that fails after it has written one of two rows. */
    failing: (told: Told) =>
      applyOnce(shop, told, async () => {
        write(told);
        await Promise.resolve();
        throw new Error("There is no such order.");
      }),
    async inTransaction<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
      database.exec("begin");
      const outcome = await work();
      database.exec("commit");
      return outcome;
    },
    applied: () =>
      database.prepare("select sequence from changes order by rowid").all().map(Object.values).flat(),
  };
}
