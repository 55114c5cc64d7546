import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { Client } from "pg";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { asSuperuser, newTestDatabase, type TestDatabase } from "../../test/start/test-database.ts";
import { rowCountsOf } from "../../test/start/test-universe.ts";
import { bucketOf } from "../core/bucket.ts";
import { providerReference } from "../core/provider-reference.ts";
import { requireCommitted, openDatabase, systemScope, type Database } from "../postgres/database.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import {
  deleteClosedUniverses,
  insertUniverses,
  listUniverses,
  updateUniverseClosed,
} from "./universe.sql.ts";

const sandbox = await newTestDatabase("sandbox");
await addGatewayKey(sandbox);
const [app, owner] = [openTestDatabase(sandbox.appUrl), openTestDatabase(sandbox.ownerUrl)];
const superuser = new Client({ connectionString: sandbox.superuserUrl });
superuser.on("error", () => undefined);
await superuser.connect();

function openTestDatabase(url: string): Database {
  const database = openDatabase({
    url,
    applicationName: "universes",
    connectionsMax: 2,
    onFault: () => undefined,
  });
  after(() => database.close());
  return database;
}

async function addGatewayKey({ superuserUrl }: TestDatabase): Promise<void> {
  await asSuperuser(
    "insert into gateway_keys (version, public_key, wrapped_private_key) values (1, '', '')",
    [],
    superuserUrl,
  );
}

async function runTransaction<Value>(database: Database, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  return requireCommitted(await database.transaction(systemScope, work));
}

const newUniverse = { name: "A test merchant", publicKey: Buffer.from("key"), lifetimeSeconds: undefined };

async function openUniverse(): Promise<string> {
  const [universe] = await runTransaction(app, (tx) => insertUniverses(tx, [newUniverse]));
  return universe?.clientId ?? "";
}

const closeUniverse = (clientId: string): Promise<Date | undefined> =>
  runTransaction(app, (tx) => updateUniverseClosed(tx, clientId));
const sweep = (): Promise<number> => runTransaction(owner, (tx) => deleteClosedUniverses(tx, 0));

test("the database and our code calculate the same bucket of a client", async () => {
  const ids = ["", "SANDBOX_U1", "ü", ...Array.from({ length: 500 }, () => randomBytes(9).toString("hex"))];
  const { rows } = await superuser.query<{ bucket: number }>(
    "select bucket_of(id) as bucket from unnest($1::text[]) with ordinality as given (id, nth) order by nth",
    [ids],
  );
  assert.deepEqual(
    rows.map(({ bucket }) => bucket),
    ids.map(bucketOf),
  );
});

test("an id is never reused, even after a sweep or a rollback", async () => {
  const numbers: number[] = [];
  const recordNumber = (clientId: string): void =>
    void numbers.push(Number(/^SANDBOX_U(\d+)_/.exec(clientId)?.[1]));
  for (let times = 0; times < 3; times += 1) {
    const clientId = await openUniverse();
    recordNumber(clientId);
    await closeUniverse(clientId);
    assert.equal(await sweep(), 1);
    await app.transaction(systemScope, async (tx) => {
      const [lost] = await insertUniverses(tx, [newUniverse]);
      recordNumber(lost?.clientId ?? "");
      throw new Error("rolled back");
    });
  }
  assert.equal(new Set(numbers).size, 6);
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, other) => one - other),
  );
});

test("a batch returns one test merchant per request, in the order of the requests", async () => {
  const requests = ["one", "two", "three"].map((name) => ({ ...newUniverse, name }));
  const created = await runTransaction(app, (tx) => insertUniverses(tx, requests));
  const listed = await runTransaction(app, listUniverses);
  const names = created.map((each) => listed.find(({ clientId }) => clientId === each?.clientId)?.name);
  assert.deepEqual(names, ["one", "two", "three"]);
  // The scope of the transaction is unchanged: the owner's functions, which it calls, give it access to no merchant.
  await app.transaction(["SANDBOX_COFFEE"], async (tx) => {
    await insertUniverses(tx, [newUniverse]);
    await listUniverses(tx);
    await updateUniverseClosed(tx, created[0]?.clientId ?? "");
    const [setting] = await tx.query<{ clients: string; kept: string | null }>(
      sql`select current_setting('app.clients') as clients, current_setting('app.keeps_universes', true) as kept`,
    );
    assert.deepEqual(setting, { clients: "{SANDBOX_COFFEE}", kept: "off" });
  });
});

test("a closed test merchant has no jobs, and its own status", async () => {
  const clientId = await openUniverse();
  const job = { bucket: bucketOf(clientId), client_id: clientId, subject_id: "1", job: "notify" };
  await insertGeneratedRow(superuser, "jobs", job);
  assert.equal((await rowCountsOf(sandbox, [clientId]))["jobs"], 1);
  const at = await closeUniverse(clientId);
  assert.ok(at);
  assert.equal((await rowCountsOf(sandbox, [clientId]))["jobs"], undefined);
  const { rows } = await superuser.query("select status from clients where client_id = $1", [clientId]);
  assert.deepEqual(rows, [{ status: "CLOSED" }]);
  assert.deepEqual(await closeUniverse(clientId), at);
});

test("the role of `serve` can only open, list and close test merchants", async () => {
  const merchant = "SANDBOX_COFFEE";
  const bucket = bucketOf(merchant);
  await insertGeneratedRow(superuser, "clients", { bucket, client_id: merchant, gateway_key_version: 1 });
  assert.equal(await closeUniverse(merchant), undefined);
  const { rows } = await superuser.query("select status from clients where client_id = $1", [merchant]);
  assert.deepEqual(rows, [{ status: "ACTIVE" }]);
  await sweep();
  assert.deepEqual(await rowCountsOf(sandbox, [merchant]), { clients: 1 });

  for (const [url, statement] of [
    [sandbox.appUrl, "select from universes"],
    [sandbox.appUrl, "update universes set closed_at = null"],
    [sandbox.appUrl, "select from universe_limits"],
    [sandbox.appUrl, "update universe_limits set open_max = 1"],
    [sandbox.appUrl, "select nextval('universe_numbers')"],
    [sandbox.appUrl, "select setval('universe_numbers', 1)"],
    [sandbox.appUrl, "select sweep_universes(interval '0')"],
    [sandbox.appUrl, "select close_expired_universes()"],
    [sandbox.workUrl, "select sweep_universes(interval '0')"],
    [sandbox.workUrl, "delete from ledger_transfers"],
  ] as const) {
    await assert.rejects(asSuperuser(statement, [], url), { code: "42501" }, statement);
  }
});

test("ledger rows of a merchant cannot be deleted, even by the owner", async () => {
  for (const clientId of ["SANDBOX_COFFEE", "SANDBOX_V1"]) {
    const ids = { bucket: bucketOf(clientId), client_id: clientId, credit_account: "b" };
    await insertGeneratedRow(superuser, "ledger_transfers", { ...ids, amount_minor: 1 });
    const statement = `select set_config('app.clients', '{${clientId}}', false); delete from ledger_transfers`;
    await assert.rejects(asSuperuser(statement, [], sandbox.ownerUrl), { code: "23001" });
  }
  for (const statement of ["update ledger_transfers set line = 2", "truncate ledger_transfers"])
    await assert.rejects(asSuperuser(statement, [], sandbox.superuserUrl), { code: "23001" });
});

test("live has no isolated test merchants, not even for the owner", async () => {
  const live = await newTestDatabase("live");
  await addGatewayKey(live);
  const opening = "open_universes(array['x'], array['\\x00'::bytea], array[60])";
  await assert.rejects(asSuperuser(`select ${opening}`, [], live.appUrl), { code: "42501" });
  await assert.rejects(asSuperuser(`select ${opening}`, [], live.ownerUrl), {
    constraint: "clients_of_live_never_carry_the_sandbox_prefix",
  });
  for (const [clientId, constraint] of [
    ["LIVE1", "universes_carry_their_prefix"],
    ["SANDBOX_U1", "universes_bucket_client_id_fkey"],
  ] as const) {
    await assert.rejects(
      asSuperuser(
        "insert into universes (bucket, client_id, opened_at, closes_at) values (1, $1, now(), now())",
        [clientId],
        live.superuserUrl,
      ),
      { constraint },
    );
  }
  await assert.rejects(
    asSuperuser("delete from ledger_transfers", [], live.superuserUrl),
    { code: "23001" },
    "In live nothing is deleted from the ledger.",
  );
});

test("a provider reference shows whether it is of an isolated test merchant, and has the same length", () => {
  const [ofUniverse, ofMerchant] = ["SANDBOX_U1_0", "SANDBOX_V1_0"].map((clientId) =>
    providerReference("sandbox", clientId, "pay", "1"),
  );
  assert.match(ofUniverse ?? "", /^U[0-9a-f]{39}$/);
  assert.match(ofMerchant ?? "", /^[0-9a-f]{40}$/);
});

const tablesAtCreation = ["clients", "client_keys", "universes"];

// This test is last, because it drops constraints that invented rows could not satisfy.
test("a sweep deletes all rows of a test merchant in every table, and no row of its neighbours", async () => {
  const [closedId, openId, merchant] = [await openUniverse(), await openUniverse(), "SANDBOX_FLOWERS"];
  await dropChecks(superuser);
  const { rows: tables } = await superuser.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition`,
  );
  const tablesByClient = {
    [closedId]: tablesAtCreation,
    [openId]: tablesAtCreation,
    [merchant]: ["universes"],
  };
  for (const [clientId, existingTables] of Object.entries(tablesByClient)) {
    for (const { name } of tables.filter((each) => !existingTables.includes(each.name)))
      await insertGeneratedRow(superuser, name, { bucket: bucketOf(clientId), client_id: clientId });
  }
  assert.equal(Object.keys(await rowCountsOf(sandbox, [closedId])).length, tables.length);
  const neighbours = await rowCountsOf(sandbox, [openId, merchant]);
  // The sweep deletes neither an open test merchant nor one that was closed a moment ago.
  assert.equal(await runTransaction(owner, (tx) => deleteClosedUniverses(tx, 60)), 0);
  await closeUniverse(closedId);
  assert.equal(await runTransaction(owner, (tx) => deleteClosedUniverses(tx, 60)), 0);
  assert.equal(Object.keys(await rowCountsOf(sandbox, [closedId])).length, tables.length - 1);

  assert.equal(await sweep(), 1);
  assert.deepEqual(await rowCountsOf(sandbox, [closedId]), {});
  assert.deepEqual(await rowCountsOf(sandbox, [openId, merchant]), neighbours);
  assert.ok(tables.length > 30);
});
