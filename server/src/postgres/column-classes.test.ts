import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { findColumnClass, listColumnsAboutPeople } from "./column-classes.ts";

const schema = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");

/** Text columns of all tables with merchants' rows. */
const columns = [...schema.matchAll(/^create table ([a-z_]+) \(\n([^]*?)^\)/gm)].flatMap(
  ([, table = "", body = ""]) =>
    /^ {2}client_id /m.test(body)
      ? [...body.matchAll(/^ {2}"?([a-z_0-9]+)"? (?:text|jsonb?|bytea)\b/gm)].map(([, column = ""]) => ({
          table,
          column,
        }))
      : [],
);

test("every text column has a class, so that each new column is classified", () => {
  assert.ok(columns.length > 150);
  const undecided = columns.filter(({ table, column }) => findColumnClass(table, column) === undefined);
  assert.deepEqual(undecided, []);
});

test("the columns declared as personal exist", () => {
  for (const { table, columns: named } of listColumnsAboutPeople())
    for (const column of named)
      assert.ok(
        columns.some((each) => each.table === table && each.column === column),
        `${table}.${column}`,
      );
});

test("erasing a buyer's data covers every personal column", () => {
  const [erase = ""] = /^create or replace function erase_buyer\([^]*?^\$function\$;/m.exec(schema) ?? [];
  for (const { table, class: each, columns: named } of listColumnsAboutPeople()) {
    if (each !== "personal") continue;
    const [statement = ""] =
      new RegExp(`update ${table} set [^;]*;`).exec(erase.replaceAll(/\s+/g, " ")) ?? [];
    for (const column of named) assert.match(statement, new RegExp(`\\b${column} = `), `${table}.${column}`);
  }
});
