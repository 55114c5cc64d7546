import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { bucketOf } from "../core/bucket.ts";
import { dropChecks, insertGeneratedRow } from "../../test/examples/generated-row.ts";
import { asSuperuser, newTestDatabase, ownerRole } from "../../test/start/test-database.ts";
import { openDatabase } from "./database.ts";
import { sql } from "./sql.ts";

/**
 * Row-level security is the second protection of tenants: even a query without a condition on the client id sees only
 * the merchant's rows. Every test reads the table names from the catalogue, so future tables are covered as well.
 */
const { appRole, appUrl, superuserUrl } = await newTestDatabase("sandbox");
const [coffee, flowers] = ["SANDBOX_COFFEE", "SANDBOX_FLOWERS"];

/** All tables with merchants' rows, including partitions. */
const tables = await names(
  `select c.oid::regclass::text as name from pg_class c
   join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
   where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
);
const partitions = await names(
  "select oid::regclass::text as name from pg_class where relispartition and relkind = 'r' order by 1",
);
const parents = tables.filter((table) => !partitions.includes(table));
const [superuser, app] = [await connect(superuserUrl), await connect(appUrl)];
before(async () => {
  await dropChecks(superuser);
  // The test disables triggers, whose own rules would reject a made-up row before the policy does.
  await superuser.query(
    `alter table payouts disable trigger payout_is_approved;
   alter table payout_file_lines disable trigger payout_file_line_is_frozen`,
  );
  for (const table of parents) {
    for (const clientId of [coffee, flowers]) {
      await insertGeneratedRow(superuser, table, { bucket: bucketOf(clientId), client_id: clientId });
    }
    // The test grants all privileges: missing grants are another protection, and this test is about row-level security
    // alone.
    await superuser.query(`grant select, insert, update, delete on ${table} to ${appRole}`);
  }
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The database is dropped while this client is connected to it.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function names(question: string): Promise<readonly string[]> {
  const rows = await asSuperuser<{ name: string }>(question, [], superuserUrl);
  return rows.map(({ name }) => name);
}

/** Runs one statement as a process that sees these merchants, and rolls it back. */
async function queryAsMerchants(
  clients: string | undefined,
  statement: string,
): Promise<readonly { client_id: string }[]> {
  await app.query("begin");
  try {
    if (clients !== undefined) await app.query("select set_config('app.clients', $1, true)", [clients]);
    return (await app.query<{ client_id: string }>(statement)).rows;
  } finally {
    await app.query("rollback");
  }
}

test("there are tables and partitions to test", () => {
  for (const table of ["clients", "client_keys", "payments", "request_log"])
    assert.ok(parents.includes(table));
  assert.ok(partitions.length >= 4);
});

for (const table of parents) {
  test(`${table}: without a merchant no row is visible`, async () => {
    assert.deepEqual(await queryAsMerchants(undefined, `select client_id from ${table}`), []);
    assert.deepEqual(await queryAsMerchants("", `select client_id from ${table}`), []);
    assert.deepEqual(await queryAsMerchants("{}", `select client_id from ${table}`), []);
    const { rowCount } = await superuser.query(`select from ${table}`);
    assert.equal(rowCount, 2);
  });

  test(`${table}: another merchant sees nothing`, async () => {
    assert.deepEqual(await queryAsMerchants("{SANDBOX_NOBODY}", `select client_id from ${table}`), []);
  });

  test(`${table}: a query without a condition, or for another merchant, sees only the merchant's own rows`, async () => {
    const all = await queryAsMerchants(`{${coffee}}`, `select client_id from ${table}`);
    assert.deepEqual(all, [{ client_id: coffee }]);
    const foreign = `select client_id from ${table} where client_id = '${flowers}' or bucket = ${bucketOf(flowers)}`;
    assert.deepEqual(await queryAsMerchants(`{${coffee}}`, foreign), []);
  });

  test(`${table}: another merchant's row can be neither written, changed, taken over nor deleted`, async () => {
    const { rows } = await superuser.query<{ row: string }>(
      `select t::text as row from ${table} t where client_id = $1`,
      [flowers],
    );
    const copy = `insert into ${table} select ('${rows[0]?.row.replaceAll("'", "''")}'::${table}).*`;
    await assert.rejects(queryAsMerchants(`{${coffee}}`, copy), { code: "42501" });
    const handOver = `update ${table} set client_id = '${flowers}'`;
    await assert.rejects(queryAsMerchants(`{${coffee}}`, handOver), ({ code }) =>
      /^(42501|23001)$/.test(code),
    );
    for (const act of [`update ${table} set bucket = 1`, `delete from ${table}`]) {
      const statement = `${act} where client_id = '${flowers}' returning client_id`;
      assert.deepEqual(await queryAsMerchants(`{${coffee}}`, statement).catch(appendOnly), []);
    }
  });
}

/**
 * The result for a row of another merchant: an append-only table rejects the statement; in all other tables the row is
 * not visible, so nothing is changed.
 */
function appendOnly(error: { readonly code?: string }): readonly [] {
  assert.equal(error.code, "23001");
  return [];
}

test("a sandbox contains no live client, and live no sandbox client", async () => {
  const [sandbox, live] = [await newTestDatabase("sandbox"), await newTestDatabase("live")];
  await assert.rejects(insertClient(sandbox.superuserUrl, "COFFEE"), {
    constraint: "clients_of_the_sandbox_carry_its_prefix",
  });
  await assert.rejects(insertClient(live.superuserUrl, "SANDBOX_COFFEE"), {
    constraint: "clients_of_live_never_carry_the_sandbox_prefix",
  });
  // The underscore in the pattern is literal, not a wildcard of LIKE.
  await assert.rejects(insertClient(sandbox.superuserUrl, "SANDBOXXCOFFEE"), { code: "23514" });
  await insertClient(sandbox.superuserUrl, "SANDBOX_COFFEE");
  await insertClient(live.superuserUrl, "COFFEE");
});

async function insertClient(url: string, clientId: string): Promise<void> {
  await asSuperuser(
    `with pair as (
       insert into gateway_keys (version, public_key, wrapped_private_key) values (1, '', '') returning version
     )
     insert into clients (bucket, client_id, name, gateway_key_version) select 1, $1, 'A merchant', version from pair`,
    [clientId],
    url,
  );
}

test("a reader sees only its own rows, with any ids", async () => {
  const database = openDatabase({
    url: appUrl,
    applicationName: "wall",
    connectionsMax: 1,
    onFault: () => undefined,
  });
  after(() => database.close());
  const reader = database.reader([coffee]);
  const ofOthers = await superuser.query<{ payment_id: string }>(
    "select payment_id from payments where client_id = $1",
    [flowers],
  );
  const ids = ofOthers.rows.map(({ payment_id }) => payment_id);
  assert.equal(ids.length, 1);
  assert.deepEqual(await reader.query(sql`select from payments where payment_id = any (${ids})`), []);
  assert.deepEqual(await reader.query(sql`select client_id from payments`), [{ client_id: coffee }]);
});

test("row-level security is enabled and forced in every table with a client id, partitions included", async () => {
  const unwalled = await names(
    `select oid::regclass::text as name from pg_class
     where oid = any ('{${tables.join(",")}}'::regclass[]) and not (relrowsecurity and relforcerowsecurity)`,
  );
  assert.deepEqual(unwalled, []);
});

const listed = "(client_id = ANY ((NULLIF(current_setting('app.clients'::text, true), ''::text))::text[]))";
/**
 * Tables that are read for thousands of merchants at once: their policy parses the list of merchants once, not for each
 * row.
 */
const forManyAtOnce = ["clients", "client_keys", "key_uses", "request_log"];
const listTakenApart =
  "(client_id IN ( SELECT unnest((NULLIF(current_setting('app.clients'::text, true), ''::text))::text[]) AS unnest))";

/** Fee rules for all merchants are visible to each merchant; the serving role may not write one. */
const orEverybodys = `((client_id = 'HOUSE'::text) OR ${listed})`;

/** The owner, and staff, see the rows of all merchants only after they have enabled one of these settings. */
const switchedOn =
  /^\(current_setting\('app\.(?:oversight|rolls_up|numbers_events|keeps_universes|fills_search)'::text, true\) = 'on'::text\)$/;

test("each table has one policy for all roles, which compares the client id, and no wider one", async () => {
  const rows = await asSuperuser<{ table: string; roles: string; command: string; using: string }>(
    `select polrelid::regclass::text as table, polroles::regrole[]::text as roles, polcmd as command,
       pg_get_expr(polqual, polrelid) as using
     from pg_policy
     -- The audit is the operator's own, and has walls and tests of its own.
     where polrelid <> 'audit'::regclass and coalesce(polwithcheck::text, polqual::text) = polqual::text order by 1`,
    [],
    superuserUrl,
  );
  const everybody = rows.filter(({ roles }) => roles === "{-}");
  assert.deepEqual(
    everybody.map(({ table }) => table),
    parents,
  );
  for (const { table, command, using } of everybody) {
    assert.equal(command, "*", table);
    const usual = forManyAtOnce.includes(table) ? listTakenApart : listed;
    assert.equal(using.replaceAll(/\s+/g, " "), table === "fee_rules" ? orEverybodys : usual, table);
  }
  const wider = rows
    .filter(({ roles }) => roles !== "{-}")
    .filter(({ roles, command, using }) => {
      const isStaff = roles === "{tollgate_support}" && command === "r" && using.includes("app.oversight");
      return !((roles === `{${ownerRole}}` || isStaff) && switchedOn.test(using));
    })
    .map(({ table, roles }) => `${table} for ${roles}`);
  assert.deepEqual(
    // A worker sees the due jobs of all merchants, paused queues and test clocks, and nothing else across merchants.
    wider.filter((policy) => !/^(?:jobs|paused_queues|clocks) for \{tollgate_work\}$/.test(policy)),
    [],
  );
});

test("audit: the serving role sees only rows about the merchants of its transaction", async () => {
  const entry = "insert into audit (actor_kind, actor, role, act, subject, about_client)";
  for (const about of [coffee, flowers, null])
    await superuser.query(`${entry} values ('command', 'ada', 'owner', 'merchant set', 'x', $1)`, [about]);
  const auditQuery = "select about_client as client_id from audit";
  assert.deepEqual(await queryAsMerchants(`{${coffee}}`, auditQuery), [{ client_id: coffee }]);
  assert.deepEqual(
    await queryAsMerchants(`{${coffee}}`, `${auditQuery} where about_client = '${flowers}'`),
    [],
  );
  for (const clients of [undefined, "", "{}", "{SANDBOX_NOBODY}"])
    assert.deepEqual(await queryAsMerchants(clients, auditQuery), [], clients);
});

test("a partition cannot be accessed directly", async () => {
  for (const partition of partitions) {
    for (const statement of [
      `select from ${partition}`,
      `insert into ${partition} default values`,
      `delete from ${partition}`,
    ]) {
      await assert.rejects(queryAsMerchants(`{${coffee}}`, statement), { code: "42501" }, statement);
    }
    // Even if the role has a grant by mistake, no policy lets a row of a partition through.
    await superuser.query(`grant select, insert on ${partition} to ${appRole}`);
    assert.deepEqual(await queryAsMerchants(`{${coffee}}`, `select client_id from ${partition}`), []);
  }
});

test("every primary key of merchants' rows starts with the bucket", async () => {
  const keys = await asSuperuser<{ name: string; first: string }>(
    `select c.conrelid::regclass::text as name, a.attname as first from pg_constraint c
     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'p' and c.conrelid = any ('{${tables.join(",")}}'::regclass[]) order by 1`,
    [],
    superuserUrl,
  );
  assert.deepEqual(
    keys.map(({ name }) => name),
    tables,
  );
  assert.deepEqual(
    keys.filter(({ first }) => first !== "bucket"),
    [],
  );
});

test("the serving role owns nothing, creates nothing and can become no other role", async () => {
  const owned = await names(
    `select oid::regclass::text as name from pg_class where relowner = '${appRole}'::regrole`,
  );
  assert.deepEqual(owned, []);
  for (const statement of ["create table mine ()", "set role tollgate_test_owner", "set role postgres"]) {
    await assert.rejects(queryAsMerchants(undefined, statement), { code: "42501" }, statement);
  }
});

test("security definer functions use no temporary tables, and are not executable by public", async () => {
  const functions = await asSuperuser<{ name: string; path: string | null; public: boolean }>(
    `select p.oid::regprocedure::text as name,
       (select setting from unnest(proconfig) as setting where setting like 'search_path=%') as path,
       has_function_privilege('public', p.oid, 'execute') as public
     from pg_proc p where prosecdef and pronamespace = 'public'::regnamespace`,
    [],
    superuserUrl,
  );
  assert.ok(functions.some(({ name }) => name === "maintain_request_log(integer)"));
  for (const { name, path, public: everybodys } of functions) {
    assert.match(path ?? "", /^search_path=pg_catalog, .*pg_temp$/, name);
    assert.equal(everybodys, false, name);
  }
});
