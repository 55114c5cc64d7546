import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import { openDatabase, type Database } from "../postgres/database.ts";
import { newBatchReader, newBatchWriter } from "../postgres/batcher.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { assignPositions, eventValues, insertEvent } from "../../test/shop/test-feed.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";

const fencedDatabases = await newTestDatabase("sandbox");
const { appUrl, superuserUrl } = fencedDatabases;
const [coffee, flowers] = ["SANDBOX_COFFEE", "SANDBOX_FLOWERS"];
const database = openDatabaseAs(appUrl);

function openDatabaseAs(url: string): Database {
  const roleDatabase = openDatabase({
    url,
    applicationName: "fence",
    connectionsMax: 4,
    onFault: () => undefined,
  });
  after(() => roleDatabase.close());
  return roleDatabase;
}

async function setHome(clientId: string, state: string): Promise<void> {
  await asSuperuser(
    `insert into client_homes (bucket, client, state, epoch, cell) values ($1, $2, $3, 1, 'b')
     on conflict (bucket, client) do update set state = excluded.state`,
    [bucketOf(clientId), clientId, state],
    superuserUrl,
  );
}

async function renameClient(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`
    insert into brands (bucket, client_id, colour) values (${bucketOf(clientId)}, ${clientId}, '#00ff00')
    on conflict (bucket, client_id) do update set colour = '#00ff00'
  `);
}

const listRenamed = (clientIds: readonly string[]): Promise<readonly object[]> =>
  database.reader(clientIds).query(sql`select client_id from brands order by client_id`);

test("a client that has not moved is read and written as usual", async () => {
  for (const clientId of [coffee, flowers])
    assert.equal(
      (await database.transaction([clientId], (tx) => renameClient(tx, clientId))).outcome,
      "committed",
    );
  assert.deepEqual(await listRenamed([coffee, flowers]), [{ client_id: coffee }, { client_id: flowers }]);
});

for (const state of ["leaving", "gone", "arriving", "ready"]) {
  test(`${state}: nothing is read or written for the client, whatever the caller does with the result`, async () => {
    await setHome(coffee, state);
    const written = await database.transaction([coffee], (tx) => renameClient(tx, coffee));
    assert.ok(written.outcome === "not committed" && written.cause instanceof WrongCellError);
    const readNothing = await database.transaction([coffee], async () => "nothing found");
    assert.ok(readNothing.outcome === "not committed" && readNothing.cause instanceof WrongCellError);
    await assert.rejects(listRenamed([coffee]), WrongCellError);
  });

  test(`${state}: other clients are not affected, whether in the same transaction or not`, async () => {
    assert.deepEqual(await listRenamed([flowers]), [{ client_id: flowers }]);
    assert.deepEqual(await listRenamed([coffee, flowers]), [{ client_id: flowers }]);
    assert.equal(
      (await database.transaction([flowers], (tx) => renameClient(tx, flowers))).outcome,
      "committed",
    );
    assert.deepEqual([...(await database.findClientsInThisCell([coffee, flowers]))], [flowers]);
    const batchWriter = newBatchWriter<string>(database, async (tx, clientIds) => {
      for (const clientId of clientIds) await renameClient(tx, clientId);
      return clientIds.map(() => true);
    });
    const both = await Promise.all(
      [coffee, flowers].map((clientId) => batchWriter.write(clientId, clientId)),
    );
    assert.deepEqual(both, ["alone", "alone"]);
    const find = newBatchReader<string, string>(database, async (tx, clientIds) => {
      const rows = await tx.query<{ client_id: string }>(sql`select client_id from brands`);
      return clientIds.map((clientId) => rows.find(({ client_id }) => client_id === clientId)?.client_id);
    });
    const found = await Promise.all([coffee, flowers].map((clientId) => find(clientId, clientId)));
    assert.deepEqual(found, [undefined, flowers]);
  });

  test(`${state}: its events get no feed positions here, and events of other clients do`, async () => {
    for (const clientId of [coffee, flowers])
      await asSuperuser(insertEvent, eventValues(clientId, `${state} ${clientId}`), superuserUrl);
    await assignPositions(fencedDatabases);
    const numbered = await asSuperuser(
      "select client_id from notifications where position is not null and notification_id like $1 || ' %'",
      [state],
      superuserUrl,
    );
    assert.deepEqual(numbered, [{ client_id: flowers }]);
  });
}

test("a client that has returned is read and written again", async () => {
  await setHome(coffee, "here");
  assert.equal((await database.transaction([coffee], (tx) => renameClient(tx, coffee))).outcome, "committed");
  assert.deepEqual(await listRenamed([coffee]), [{ client_id: coffee }]);
  await assignPositions(fencedDatabases);
  assert.deepEqual(
    await asSuperuser("select from notifications where position is null", [], superuserUrl),
    [],
  );
});
