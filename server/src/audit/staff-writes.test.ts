import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { dropChecks, insertGeneratedRow, exampleValue } from "../../test/examples/generated-row.ts";
import { createStaffLogins } from "../../test/start/staff-logins.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { findAudit } from "../operators/audit/audit-log.ts";
import { databaseRoles, memberships, privileges, type DatabaseRole } from "./privileges.ts";

/**
 * These tests try each write of each role on each table by plain SQL in live. PostgreSQL must reject the write or
 * record it in the audit log, as the matrix of privileges says.
 */
const { database } = await prepareTestGateway("live");
const { clientId } = await newMerchant(database);
const people = { olga: "operator", fay: "finance", iris: "admin", sam: "support" } as const;
const { urlOf } = await createStaffLogins(database, people);
const urls: Readonly<Record<DatabaseRole, string>> = {
  app: database.appUrl,
  work: database.workUrl,
  support: urlOf("sam"),
  operator: urlOf("olga"),
  finance: urlOf("fay"),
  admin: urlOf("iris"),
  console: database.staffUrl,
};
const owner = { url: database.ownerUrl, environment: "live" } as const;
const operations = ["insert", "update", "delete"] as const;
type Operation = (typeof operations)[number];

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly isKey: boolean;
  readonly isIdentity: boolean;
}

const superuser = new Client({ connectionString: database.superuserUrl });
superuser.on("error", () => undefined);
const columnsOf = new Map<string, readonly Column[]>();

before(async () => {
  await superuser.connect();
  await dropChecks(superuser);
  // The test drops constraints that a made-up row cannot satisfy: foreign keys and lifecycle triggers.
  const { rows } = await superuser.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace
     union all
     select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) from pg_trigger
     where tgname like '%_follows_its_lifecycle' or tgname like 'jobs_live%'`,
  );
  for (const { statement } of rows) await superuser.query(statement);
  const { rows: columns } = await superuser.query<Column & { table: string }>(
    `select attrelid::regclass::text as table, attname as name, atttypid::regtype::text as type,
       attnotnull and not atthasdef and attidentity = '' as "isNeeded", attidentity <> '' as "isIdentity",
       exists (select from pg_index where indrelid = attrelid and indisprimary and attnum = any(indkey)) as "isKey"
     from pg_attribute where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p'))
       and attnum > 0 and not attisdropped order by attrelid, attnum`,
  );
  for (const { table, ...column } of columns) columnsOf.set(table, [...(columnsOf.get(table) ?? []), column]);
});
after(() => superuser.end());

/** Returns the columns that a role may write by an operation, including inherited privileges. */
function mayWrite(role: DatabaseRole, table: string, operation: Operation): readonly Column[] {
  const roles = inheritedRoles(role);
  return (columnsOf.get(table) ?? []).filter(({ name }) =>
    roles.some((each) => {
      const granted = privileges[table]?.[each] ?? "";
      const [, columns] = new RegExp(`\\b${operation}\\b(?: \\(([^)]*)\\))?`).exec(granted) ?? [undefined];
      if (!new RegExp(`\\b${operation}\\b`).test(granted)) return false;
      return columns === undefined || columns.split(", ").includes(name);
    }),
  );
}

function inheritedRoles(role: DatabaseRole): readonly DatabaseRole[] {
  return [role, ...memberships[role].flatMap(inheritedRoles)];
}

async function as<Value>(role: DatabaseRole, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: urls[role] });
  await client.connect();
  try {
    await client.query("select set_config('app.clients', $1, false)", [`{${clientId},HOUSE}`]);
    return await work(client);
  } finally {
    await client.end();
  }
}

for (const role of databaseRoles)
  test(`PostgreSQL rejects tollgate_${role} for every column and table that the matrix does not name`, async () => {
    await as(role, async (client) => {
      const isRejected = async (statement: string): Promise<boolean> => {
        try {
          await client.query(`begin; ${statement}; rollback`);
          return false;
        } catch (error) {
          await client.query("rollback");
          // Any other error than 42501 (insufficient privilege) means that the role may run the statement.
          return (error as { code?: string }).code === "42501";
        }
      };
      for (const table of Object.keys(privileges)) {
        const deletable = mayWrite(role, table, "delete").length > 0;
        assert.equal(await isRejected(`delete from ${table} where false`), !deletable, `delete ${table}`);
        for (const { name, isIdentity } of columnsOf.get(table) ?? []) {
          if (isIdentity) continue;
          const isIn = (operation: Operation): boolean =>
            mayWrite(role, table, operation).some((column) => column.name === name);
          const inserted = `insert into ${table} (${name}) select null where false`;
          assert.equal(await isRejected(inserted), !isIn("insert"), `insert ${table} (${name})`);
          const updated = `update ${table} set ${name} = null where false`;
          assert.equal(await isRejected(updated), !isIn("update"), `update ${table} (${name})`);
        }
      }
    });
  });

const fixedValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  jobs: { job: "deliver-notification", due_at: new Date() },
  notifications: { kind: "notifyPayout" },
};

/** Inserts a made-up row into a table, in the columns that a role may insert. */
async function insert(client: Client, role: DatabaseRole, table: string): Promise<void> {
  const writableColumns = mayWrite(role, table, "insert").map(({ name }) => name);
  const needed = (columnsOf.get(table) ?? []).filter(({ isNeeded }) => isNeeded);
  const values = Object.fromEntries(needed.map(({ name, type }) => [name, exampleValue(type)]));
  const row = Object.entries({ ...values, ...ownOf(table) }).filter(([name]) =>
    writableColumns.includes(name),
  );
  const placeholders = row.map((_, index) => `$${index + 1}`).join(", ");
  const names = row.map(([name]) => name).join(", ");
  await client.query(
    `insert into ${table} (${names}) values (${placeholders})`,
    row.map(([, value]) => value),
  );
}

const ownOf = (table: string): Readonly<Record<string, unknown>> => ({
  ...fixedValues[table],
  ...(hasColumn(table, "client_id") && { client_id: clientId }),
});

/** Prepares the table with one made-up row, or empties it. */
async function arrange(table: string, hasRow: boolean): Promise<void> {
  await superuser.query(`set session_replication_role = replica; delete from ${table}`);
  if (hasRow) await insertGeneratedRow(superuser, table, ownOf(table));
  await superuser.query("set session_replication_role = origin");
}

/** Changes the value of a column. */
async function update(client: Client, table: string, { name, type }: Column): Promise<void> {
  const other = {
    boolean: `not coalesce(${name}, false)`,
    smallint: `coalesce(${name}, 0) + 1`,
    date: `coalesce(${name}, '2026-11-15') + 1`,
    jsonb: `jsonb_build_object('at', clock_timestamp())`,
    "text[]": "array[clock_timestamp()::text]",
  }[type];
  await client.query(`update ${table} set ${name} = ${other ?? "$1"}`, other ? [] : [exampleValue(type)]);
}

const hasColumn = (table: string, name: string): boolean =>
  (columnsOf.get(table) ?? []).some((column) => column.name === name);

interface Attempt {
  readonly table: string;
  readonly operation: Operation;
  readonly column?: string;
  readonly needsApproval: boolean;
  run(client: Client): Promise<unknown>;
}

/** Returns all writes that the matrix allows a role, with their need for approval. */
function attemptsOf(role: DatabaseRole): readonly Attempt[] {
  return Object.entries(privileges).flatMap(([table, { approval }]): readonly Attempt[] => {
    if (table === "audit") return [];
    const of = approval?.operations ?? "";
    const columnsInRule = /update \((.*)\)/.exec(of)?.[1]?.split(", ");
    const isRule = (operation: Operation): boolean => new RegExp(`\\b${operation}\\b(?! \\()`).test(of);
    const wholeRowAttempts = (["insert", "delete"] as const)
      .filter((operation) => mayWrite(role, table, operation).length > 0)
      .map((operation) => ({
        table,
        operation,
        needsApproval: isRule(operation),
        run: (client: Client): Promise<unknown> =>
          operation === "insert" ? insert(client, role, table) : client.query(`delete from ${table}`),
      }));
    const columns = mayWrite(role, table, "update").filter(({ isKey, isIdentity }) => !isKey && !isIdentity);
    const updates = columns.map((column) => ({
      table,
      operation: "update" as const,
      column: column.name,
      needsApproval: isRule("update") || (columnsInRule?.includes(column.name) ?? false),
      run: (client: Client): Promise<unknown> => update(client, table, column),
    }));
    return [...wholeRowAttempts, ...updates];
  });
}

/** Writes that a rule of the table itself rejects, with or without approval, and the error. */
const ownRules: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ["currency", "holder", "iban", "bic", "wait_hours", "asked_by", "asked_login", "asked_at"].map(
      (column) => [`update bank_accounts ${column}`, /A bank account cannot be changed/],
    ),
  ),
  "insert ledger_transfers": /No record with the same amount exists for this posting/,
  "insert payout_file_lines": /A line is planned in the transaction of its file/,
  "update payout_holds released_by": /can only be released, and only once/,
  "update payout_holds released_login": /can only be released, and only once/,
  "insert payouts": /is not a line of a released payout file/,
};

for (const role of ["operator", "finance", "admin", "console"] as const)
  test(`writes of tollgate_${role} by plain SQL are audited, or need approval and are rejected`, async () => {
    for (const { table, operation, column = "", needsApproval, run } of attemptsOf(role)) {
      const name = `${role}: ${operation} ${table} ${column}`;
      await arrange(table, operation !== "insert");
      const error = await as(role, run).then(
        () => undefined,
        (cause: Error & { constraint?: string }) => cause,
      );
      const rule = ownRules[`${operation} ${table} ${column}`.trim()] ?? ownRules[`${operation} ${table}`];
      if (rule) assert.match(error?.message ?? "", rule, name);
      else if (needsApproval)
        assert.equal(error?.constraint, "changes_need_approval", `${name}: ${error?.message}`);
      else {
        assert.equal(error, undefined, `${name}: ${error?.message}`);
        const [entry] = await findAudit(owner, {}, 1);
        assert.equal(entry?.login, new URL(urls[role]).username, name);
        assert.ok(
          entry.rowChanges.some((each) => each.table === table && each.operation === operation),
          name,
        );
      }
    }
  });
