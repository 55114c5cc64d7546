import assert from "node:assert/strict";
import type { Client } from "pg";

/**
 * Inserts a row into any table by its catalog description: columns without a given value get some value of their type.
 * So a test covers every table, including future ones. Foreign keys and triggers are ignored; for check constraints see
 * `dropChecks`.
 */
export async function insertGeneratedRow(
  client: Client,
  table: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, atttypid::regtype::text as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = ''`,
    [table],
  );
  const made = Object.fromEntries(rows.map(({ name, type }) => [name, exampleValue(type)]));
  const row = Object.entries({ ...made, ...values });
  const places = row.map((_, index) => `$${index + 1}`).join(", ");
  await client.query("set session_replication_role = replica");
  await client.query(
    `insert into ${table} (${row.map(([name]) => name).join(", ")}) values (${places})`,
    row.map(([, value]) => value),
  );
  await client.query("set session_replication_role = origin");
}

/** `dropChecks` drops check constraints that a generated row cannot satisfy. Use it only in a temporary database. */
export async function dropChecks(client: Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
     from pg_constraint
     where contype = 'c' and coninhcount = 0 and connamespace = 'public'::regnamespace and conrelid <> 0`,
  );
  for (const { statement } of rows) await client.query(statement);
}

let valueCount = 0;

export function exampleValue(type: string): unknown {
  valueCount += 1;
  const values: Readonly<Record<string, unknown>> = {
    text: `some text ${valueCount}`,
    smallint: 1,
    integer: valueCount,
    bigint: valueCount,
    numeric: valueCount,
    real: valueCount,
    xid8: String(valueCount),
    boolean: false,
    bytea: Buffer.from([valueCount % 256]),
    json: "{}",
    jsonb: "{}",
    "text[]": [],
    "bytea[]": [],
    date: "2026-11-15",
    "timestamp with time zone": new Date(),
  };
  assert.ok(type in values, `There is no value of type ${type} yet: add one.`);
  return values[type];
}
