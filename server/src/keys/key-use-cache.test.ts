import assert from "node:assert/strict";
import { after, test } from "node:test";
import { findKeyReport } from "./key-use.sql.ts";
import type { KeyUse } from "./key-use.ts";
import { openDatabase, type Database } from "../postgres/database.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { openKeyUseCache } from "./key-use-cache.ts";

const { database: testDatabase } = await prepareTestGateway("sandbox");
const merchants = [await newMerchant(testDatabase, "One"), await newMerchant(testDatabase, "Two")] as const;
const [one, two] = [merchants[0].clientId, merchants[1].clientId];
const database = openDatabase({
  url: testDatabase.appUrl,
  applicationName: "keys",
  connectionsMax: 2,
  onFault: () => undefined,
});
after(() => database.close());

function failed(cause: unknown): void {
  assert.fail(String(cause));
}

function use(clientId: string, overrides: Partial<KeyUse> = {}): KeyUse {
  return { clientId, messageKind: "REQUEST", version: 1, at: new Date(), ...overrides };
}

function storedUses(clientId: string): Promise<readonly object[]> {
  return asSuperuser(
    `select day::text, signed, version, times::int, first_at, last_at from key_uses where client_id = $1
     order by day, signed, version`,
    [clientId],
    testDatabase.superuserUrl,
  );
}

test("counts of several processes add up: one row per key and day, with its first and its last use", async () => {
  const caches = [openKeyUseCache(database, failed), openKeyUseCache(database, failed)];
  const [early, middle, late] = [9, 12, 15].map((hour) => new Date(Date.UTC(2026, 10, 14, hour)));
  assert(early && middle && late);
  for (const [index, cache] of caches.entries()) {
    for (const at of index === 0 ? [middle, late] : [early, middle]) cache.add(use(one, { at }));
    cache.add(use(one, { at: middle, version: 2 }));
    cache.add(use(two, { at: middle, messageKind: "ANSWER" }));
  }
  await Promise.all(caches.map((cache) => cache.flush()));
  await Promise.all(caches.map((book) => book.flush()));

  const day = "2026-11-14";
  const rowOf = (version: number, times: number, first_at: Date, last_at: Date): object => {
    return { day, signed: "REQUEST", version, times, first_at, last_at };
  };
  assert.deepEqual(await storedUses(one), [rowOf(1, 4, early, late), rowOf(2, 2, middle, middle)]);
  assert.deepEqual(await storedUses(two), [{ ...rowOf(1, 2, middle, middle), signed: "ANSWER" }]);
});

test("days beyond the retention are deleted, and a day begins at midnight UTC", async () => {
  const book = openKeyUseCache(database, failed);
  for (const at of ["2026-08-01T23:59:59.999Z", "2026-08-02T00:00:00Z", "2026-10-01T00:00:00Z"]) {
    book.add(use(two, { at: new Date(at) }));
    await book.flush();
  }
  const days = (await storedUses(two)).map((row) => Object.values(row)[0]);
  assert.deepEqual(days, ["2026-08-02", "2026-10-01", "2026-11-14"]);
});

test("while the database is down counts are kept, and written when it is back", async () => {
  const faults: unknown[] = [];
  let isAway = true;
  const flaky: Database = {
    ...database,
    transaction: async (clientIds, work) =>
      isAway ? { outcome: "not committed", cause: new Error("away") } : database.transaction(clientIds, work),
  };
  const { clientId } = await newMerchant(testDatabase, "Three");
  const book = openKeyUseCache(flaky, (cause) => faults.push(cause));
  book.add(use(clientId));
  await book.flush();
  book.add(use(clientId));
  await book.flush();
  assert.deepEqual([await storedUses(clientId), faults.length], [[], 2]);

  isAway = false;
  await book.flush();
  const report = await findKeyReport(database.reader([clientId]), clientId, 7);
  assert.equal(report?.merchantKeys[0]?.requests, 2);
});

test("counts of thousands of merchants are written in a few statements", async () => {
  const book = openKeyUseCache(database, failed);
  for (let index = 0; index < 1_200; index += 1) book.add(use(`SANDBOX_MANY_${index}`));
  await book.flush();
  const [counted] = await asSuperuser(
    `select count(*)::int as rows, count(distinct xmin::text)::int as transactions from key_uses
     where client_id like 'SANDBOX\\_MANY\\_%'`,
    [],
    testDatabase.superuserUrl,
  );
  assert.deepEqual(counted, { rows: 1_200, transactions: 3 });
});
