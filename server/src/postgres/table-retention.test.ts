import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { tableRetention } from "./table-retention.ts";

const schema = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");

test("every table has a retention rule, and every rule a table", () => {
  const tables = [...schema.matchAll(/^create table ([a-z_]+) \(/gm)].map(([, name = ""]) => name);
  assert.ok(tables.length > 40);
  assert.deepEqual(Object.keys(tableRetention).sort(), tables.sort());
});

test("rows with limited retention are deleted where the table of rules says", () => {
  for (const [table, { retention, removedBy }] of Object.entries(tableRetention)) {
    assert.equal(removedBy === undefined, retention === "not removed", table);
    if (!removedBy) continue;
    const text = "sql" in removedBy ? extractFunction(schema, removedBy.sql) : readSourceFile(removedBy.file);
    assert.match(
      text,
      "sql" in removedBy ? /delete from|drop table/ : new RegExp(`delete from ${table}\\b`),
      table,
    );
  }
});

function extractFunction(text: string, name: string): string {
  return new RegExp(`^create or replace function ${name}\\(.*?^\\$function\\$;`, "ms").exec(text)?.[0] ?? "";
}

function readSourceFile(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}
