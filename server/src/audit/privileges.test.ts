import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser, type TestDatabase } from "../../test/start/test-database.ts";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { dualApprovalActs } from "./dual-approval.ts";
import {
  databaseRoles,
  memberships,
  privileges,
  sandboxPrivileges,
  staffDatabaseRoles,
  staffFunctions,
} from "./privileges.ts";

/** These tests compare the matrix of privileges with PostgreSQL's catalogue. */
const { database: live } = await prepareTestGateway("live");
const { database: sandbox } = await prepareTestGateway("sandbox");

const inCatalogue = `
  with tables as (
    select oid, relname::text as name, relacl from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  ), granted as (
    select name, grantee, lower(privilege_type) as privilege, null::text as column_name
    from tables, aclexplode(relacl)
    union all
    select name, grantee, lower(privilege_type), attname from tables join pg_attribute on attrelid = oid, aclexplode(attacl)
  ), texts as (
    select name, grantee, case when bool_or(column_name is null) then privilege
      else privilege || ' (' || string_agg(column_name, ', ' order by column_name) || ')' end as text
    from granted group by name, grantee, privilege
  )
  select name, coalesce(substr(rolname, 10), 'public') as role, string_agg(text, ', ' order by text) as granted
  from texts left join pg_roles on pg_roles.oid = grantee
  where grantee = 0 or rolname = any($1) group by 1, 2`;

type Grants = Record<string, Record<string, string>>;

async function findGrants({ superuserUrl }: TestDatabase): Promise<Grants> {
  const roles = databaseRoles.map((role) => `tollgate_${role}`);
  const found: Grants = {};
  for (const { name, role, granted } of await asSuperuser<{ name: string; role: string; granted: string }>(
    inCatalogue,
    [roles],
    superuserUrl,
  ))
    found[name] = { ...found[name], [role]: granted };
  return found;
}

function expectedGrants(overrides: typeof privileges = {}): Grants {
  return Object.fromEntries(
    Object.entries({ ...privileges, ...overrides }).map(([table, row]) => [
      table,
      Object.fromEntries(databaseRoles.flatMap((role) => (row[role] ? [[role, row[role]]] : []))),
    ]),
  );
}

test("live grants exactly the matrix, and the sandbox additionally test clocks", async () => {
  assert.deepEqual(await findGrants(live), expectedGrants());
  assert.deepEqual(await findGrants(sandbox), expectedGrants(sandboxPrivileges));
});

test("role memberships are those of the matrix", async () => {
  const rows = await asSuperuser<{ role: string; of: string }>(
    `select substr(member::regrole::text, 10) as role, substr(roleid::regrole::text, 10) as of from pg_auth_members
     where member::regrole::text = any($1) and roleid::regrole::text = any($1)`,
    [databaseRoles.map((role) => `tollgate_${role}`)],
  );
  const expected = Object.entries(memberships).flatMap(([role, of]) => of.map((each) => `${role} ${each}`));
  assert.deepEqual(rows.map(({ role, of }) => `${role} ${of}`).sort(), expected.sort());
});

interface RecordTrigger {
  readonly name: string;
  readonly operations: readonly string[];
  readonly isRowLevel: boolean;
  readonly rules: readonly string[];
}

/** Triggers that record changes, with their arguments. Bits of tgtype: 1 row, 4 insert, 8 delete, 16 update. */
async function findRecordTriggers(): Promise<readonly RecordTrigger[]> {
  const rows = await asSuperuser<Omit<RecordTrigger, "rules"> & { args: string }>(
    `select tgrelid::regclass::text as name, (tgtype & 1) > 0 as "isRowLevel", encode(tgargs, 'escape') as args,
       array_remove(array[case when tgtype & 4 > 0 then 'insert' end, case when tgtype & 8 > 0 then 'delete' end,
         case when tgtype & 16 > 0 then 'update' end], null) as operations
     from pg_trigger join pg_proc on pg_proc.oid = tgfoid
     where proname in ('record_row_change', 'record_bulk_insert') and tgenabled = 'O'`,
    [],
    live.superuserUrl,
  );
  return rows.map(({ args, ...trigger }) => ({ ...trigger, rules: args.split("\\000").filter(Boolean) }));
}

const writesOf = (granted = ""): readonly string[] =>
  ["insert", "update", "delete"].filter((operation) => new RegExp(`\\b${operation}\\b`).test(granted));

test("every table that a staff role may write is recorded for the audit log", async () => {
  const triggers = await findRecordTriggers();
  for (const [table, row] of Object.entries(privileges)) {
    const writeOperations = new Set(staffDatabaseRoles.flatMap((role) => writesOf(row[role])));
    // Writes to the audit table need no further record, because the table is the record.
    if (table === "audit") continue;
    const tableTriggers = triggers.filter(({ name }) => name === table);
    assert.equal(row.recorded !== undefined, writeOperations.size > 0, table);
    assert.equal(tableTriggers.length > 0, writeOperations.size > 0, table);
    for (const operation of writeOperations)
      assert.ok(
        tableTriggers.some(
          (each) => each.operations.includes(operation) && each.isRowLevel === (row.recorded === "rows"),
        ),
        `${operation} ${table}`,
      );
  }
});

test("each approval rule has its trigger, and each trigger its rule", async () => {
  const found = new Map<string, Set<string>>();
  for (const { name, rules } of await findRecordTriggers())
    for (const rule of rules)
      if (rule.startsWith("!")) found.set(name, (found.get(name) ?? new Set()).add(rule.slice(1)));
  const expected = Object.entries(privileges).flatMap(([table, { approval }]) =>
    approval ? [[table, rulesIn(approval.operations)] as const] : [],
  );
  assert.deepEqual(
    Object.fromEntries([...found].map(([table, rules]) => [table, [...rules].sort()])),
    Object.fromEntries(expected),
  );
});

/** Parses the operations of an approval rule: `insert, update (a, b)` becomes insert, a, b. */
function rulesIn(of: string): readonly string[] {
  const columns = /update \((.*)\)/.exec(of)?.[1]?.split(", ") ?? [];
  const operations = of.replace(/, update \(.*\)|^update \(.*\)/, "").split(", ");
  return [...operations.filter(Boolean), ...columns].sort();
}

test("the acts that need approval at the command line are those of the matrix", () => {
  const acts = Object.values(privileges).flatMap(({ approval }) => approval?.acts ?? []);
  // The owner of the tables sets up connectors during installation, without an approval. So the matrix names these acts
  // and the command line does not.
  const ofStaff = ["connector add", "connector set"];
  assert.deepEqual(
    [...new Set(acts.filter((act) => !ofStaff.includes(act)))].sort(),
    Object.keys(dualApprovalActs).sort(),
  );
});

test("staff roles may run the functions of the matrix, and none of our other functions", async () => {
  const rows = await asSuperuser<{ name: string; role: string }>(
    `select proname as name, substr(rolname, 10) as role from pg_proc, aclexplode(proacl), pg_roles
     where pronamespace = 'public'::regnamespace and pg_roles.oid = grantee and rolname = any($1)`,
    [staffDatabaseRoles.map((role) => `tollgate_${role}`)],
    live.superuserUrl,
  );
  const expected = Object.entries(staffFunctions).flatMap(([name, roles]) =>
    roles.map((role) => `${name} ${role}`),
  );
  assert.deepEqual(rows.map(({ name, role }) => `${name} ${role}`).sort(), expected.sort());
  const open = await asSuperuser<{ name: string }>(
    `select proname as name from pg_proc
     where pronamespace = 'public'::regnamespace and prosecdef and proname <> all ($1)
       and has_function_privilege('tollgate_support', oid, 'execute')`,
    [Object.keys(staffFunctions).filter((name) => staffFunctions[name]?.includes("support"))],
    live.superuserUrl,
  );
  assert.deepEqual(open, [], "other functions with the owner's privileges are for no one by default");
});

test("the console inserts into no table with money", () => {
  const writable = Object.entries(privileges).flatMap(([table, row]) =>
    writesOf(row.console).map((operation) => `${operation} ${table}`),
  );
  assert.deepEqual(writable, [
    "insert audit",
    "update breaks",
    "update clients",
    "update connectors",
    "insert console_approvals",
    "insert jobs",
    "update jobs",
    "update notifications",
    "insert provider_accounts",
    "update provider_accounts",
    "delete provider_accounts",
  ]);
});

test("of staff, only admin can read wrapped private keys and the wrapped secret of the installation", async () => {
  const readers = await asSuperuser<{ name: string }>(
    `select distinct concat(column_name, ' ', role) as name
     from (values ('gateway_keys', 'wrapped_private_key'), ('gateway_keys', 'wrapped_ed25519_private_key'),
       ('installation', 'wrapped_secret')) as wrapped (table_name, column_name), unnest($1::text[]) as role
     where has_column_privilege('tollgate_' || role, table_name, column_name, 'select') order by 1`,
    [staffDatabaseRoles],
    live.superuserUrl,
  );
  assert.deepEqual(
    readers.map(({ name }) => name),
    ["wrapped_ed25519_private_key admin", "wrapped_private_key admin", "wrapped_secret admin"],
  );
});
