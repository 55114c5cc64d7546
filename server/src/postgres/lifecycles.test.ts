import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { lifecycles } from "../catalog/lifecycles.ts";
import { statesOf } from "../core/lifecycle.ts";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";

/** A trigger has to enforce each lifecycle (a state machine). The test tries every pair of states in the database. */
const { superuserUrl } = await newTestDatabase("sandbox");
const statusChecks = await asSuperuser<{ table: string; definition: string }>(
  `select conrelid::regclass::text as table, pg_get_constraintdef(c.oid) as definition
   from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
   where contype = 'c' and a.attname = 'status'`,
  [],
  superuserUrl,
);
const guards = await asSuperuser<{ name: string; table: string }>(
  `select tgname as name, tgrelid::regclass::text as table from pg_trigger
   where tgname like '%_follows_its_lifecycle' and tgenabled = 'O'`,
  [],
  superuserUrl,
);
const client = new Client({ connectionString: superuserUrl });
// The database is dropped while this client is connected to it.
client.on("error", () => undefined);
await client.connect();
await dropChecks(client);
// The test disables other triggers, whose rules a made-up row violates.
for (const { name, table } of guards)
  await client.query(
    `alter table ${table} disable trigger user; alter table ${table} enable trigger ${name}`,
  );

test("there are lifecycles", () => assert.ok("payment" in lifecycles));

for (const [noun, lifecycle] of Object.entries(lifecycles)) {
  const states = statesOf(lifecycle);
  const guard = `${noun}_follows_its_lifecycle`;
  const guardDefinition = guards.find(({ name }) => name === guard);

  test(`${noun}: the table accepts exactly the states of the lifecycle`, () => {
    const check = statusChecks.find(({ table }) => table === guardDefinition?.table);
    const allowedStates = [...(check?.definition ?? "").matchAll(/'(\w+)'::text/g)].map(([, state]) => state);
    assert.deepEqual(new Set(allowedStates), new Set(states));
  });

  test(`${noun}: the table accepts exactly the transitions of the lifecycle`, async () => {
    assert.ok(guardDefinition, `No table has the trigger ${guard}.`);
    const { table } = guardDefinition;
    for (const from of states) {
      for (const to of states) {
        await client.query("begin");
        await insertGeneratedRow(client, table, { status: from });
        const changing = client.query(`update ${table} set status = $1 returning status`, [to]);
        if (from === to || lifecycle[from]?.includes(to))
          assert.deepEqual((await changing).rows, [{ status: to }]);
        else await assert.rejects(changing, { code: "23514", constraint: guard }, `${from} to ${to}`);
        await client.query("rollback");
      }
    }
  });
}

test("every table with a status has a lifecycle, except those that are no records of money", async () => {
  const unguarded = await asSuperuser<{ table: string }>(
    `select a.attrelid::regclass::text as table from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'status' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_trigger where tgrelid = c.oid and tgname like '%_follows_its_lifecycle')`,
    [],
    superuserUrl,
  );
  // Tables without a lifecycle trigger, in addition to event tables. A client may be suspended and reactivated any
  // number of times. The search tables and counts are copies, which may lag and skip a status.
  const free = ["clients", "search_payments", "payment_counts"];
  assert.deepEqual(
    unguarded
      .map(({ table }) => table)
      .filter((table) => !free.includes(table) && !table.endsWith("_events")),
    [],
  );
});
