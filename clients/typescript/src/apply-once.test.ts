import assert from "node:assert/strict";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { test } from "node:test";
import { applyOnce, applyOnceSql } from "./apply-once.ts";

const paid = { subject: "notifyPayment 1", sequence: 3 };

test("of all that is told of a record, each is applied once, and nothing after something newer", async () => {
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

test("a commit after a change that failed loses nothing: the next delivery applies it", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  await assert.rejects(shop.failing(paid), /no such order/);
  // A shop that forgets to roll back: the next one on this connection commits what is left.
  shop.database.exec("commit");
  assert.deepEqual(shop.applied(), []);
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "applied");
  assert.deepEqual(shop.applied(), [3]);
});

test("a change that failed leaves nothing in a transaction that goes on", async () => {
  const shop = openShop();
  await shop.inTransaction(async () => {
    await assert.rejects(shop.failing(paid), /no such order/);
    assert.deepEqual(shop.applied(), []);
    assert.equal(await shop.apply(paid), "applied");
  });
  assert.deepEqual(shop.applied(), [3]);
});

test("what was applied before stays when a later change fails", async () => {
  const shop = openShop();
  await shop.inTransaction(() => shop.apply(paid));
  await shop.inTransaction(() => assert.rejects(shop.failing({ ...paid, sequence: 5 })));
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "old news");
  assert.equal(await shop.inTransaction(() => shop.apply({ ...paid, sequence: 4 })), "applied");
});

test("what is rolled back was not applied", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  assert.equal(await shop.apply(paid), "applied");
  shop.database.exec("rollback");
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "applied");
});

test("a change that commits too early and then fails is told of again", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  const early = applyOnce(shop, paid, () => {
    shop.database.exec("commit");
    throw new Error("There is no such order.");
  });
  await assert.rejects(early, /no such order/);
  assert.equal(await shop.inTransaction(() => shop.apply(paid)), "applied");
});

test("a change that commits by itself is told to its author", async () => {
  const shop = openShop();
  shop.database.exec("begin");
  await assert.rejects(
    applyOnce(shop, paid, () => shop.database.exec("commit")),
    /no such savepoint/,
  );
});

test("without a transaction, the change and the mark are still written together or not at all", async () => {
  const shop = openShop();
  await assert.rejects(shop.failing(paid), /no such order/);
  assert.deepEqual(shop.applied(), []);
  assert.equal(await shop.apply(paid), "applied");
  assert.equal(await shop.apply(paid), "old news");
});

test("a savepoint that the database has forgotten stops everything before anything is applied", async () => {
  // As MySQL does it outside of a transaction: the savepoint is taken without a word, and is gone at once.
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
    /** Fails when half of it is written. */
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
