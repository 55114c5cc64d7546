import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { printSchema } from "../postgres/print-schema.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { schemaFile } from "./generate.ts";

const committedSchema = await readFile(new URL(`../../../${schemaFile}`, import.meta.url), "utf8");

/** The lines that only the first text has, so that a failed test is readable. */
function linesOnlyIn(left: string, right: string): string[] {
  const others = new Set(right.split("\n"));
  return left.split("\n").filter((line) => !others.has(line));
}

test("the committed schema equals the schema after all migrations", async () => {
  const printed = await printSchema((await newTestDatabase("sandbox")).ownerUrl);
  const [gone, added] = [linesOnlyIn(committedSchema, printed), linesOnlyIn(printed, committedSchema)];
  assert.deepEqual({ gone, added }, { gone: [], added: [] }, "Run npm run generate.");
  assert.ok(printed === committedSchema, "The same lines in another order: run npm run generate.");
});

test("live differs from the sandbox only in client ids, clocks, faults and deletions from the ledger", async () => {
  const live = await printSchema((await newTestDatabase("live")).ownerUrl);
  assert.deepEqual(linesOnlyIn(live, committedSchema), [
    "  constraint clients_of_live_never_carry_the_sandbox_prefix check (client_id !~~ 'SANDBOX\\_%'),",
    "grant select on clock_turns to tollgate_app;",
    "grant select on clocks to tollgate_app;",
    "create trigger ledger_is_append_only before delete or update or truncate on ledger_transfers for each statement execute function ledger_is_append_only();",
    "grant select on notification_faults to tollgate_app;",
  ]);
});

test("a table is printed with all its parts, so that every change is visible", async () => {
  const { ownerUrl, superuserUrl } = await newTestDatabase("sandbox");
  const change = (statement: string): Promise<unknown> => asSuperuser(statement, [], superuserUrl);
  await change(`
    create table cups (
      size   smallint not null generated always as identity,
      colour text default 'It''S white' constraint cups_have_a_colour check (colour <> ''),
      at     timestamptz,
      primary key (size)
    );
    create index cups_by_colour on cups (colour);
    alter table cups enable row level security;
    create policy cups_seen on cups for select to tollgate_app using (size > 1);
    grant select, update (colour) on cups to tollgate_app`);
  const cups = `create table cups (
  size smallint not null generated always as identity,
  colour text default 'It''S white',
  at timestamptz,
  constraint cups_pkey primary key (size),
  constraint cups_have_a_colour check (colour <> '')
);
create index cups_by_colour on cups using btree (colour);
alter table cups enable row level security;
create policy cups_seen on cups for select to tollgate_app using (size > 1);
grant select, update (colour) on cups to tollgate_app;
`;
  let before = await printSchema(ownerUrl);
  assert.ok(before.includes(cups), before.slice(before.indexOf("create table cups")).slice(0, 800));

  for (const statement of [
    "alter table cups alter column colour set not null",
    "alter table cups alter column colour drop default",
    "alter table cups drop constraint cups_have_a_colour",
    "drop index cups_by_colour",
    "alter policy cups_seen on cups using (size > 2)",
    "alter table cups force row level security",
    "grant delete on cups to tollgate_work",
    "create function fill() returns trigger language plpgsql as 'begin return new; end'",
    "create trigger cups_are_full before insert on cups for each row execute function fill()",
    "drop table cups",
  ]) {
    await change(statement);
    const after = await printSchema(ownerUrl);
    assert.notEqual(after, before, statement);
    before = after;
  }
});
