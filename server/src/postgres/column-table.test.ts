import assert from "node:assert/strict";
import { test } from "node:test";
import { columnNames, unnest, type ColumnTable } from "./column-table.ts";
import { sql } from "./sql.ts";

interface Cup {
  readonly guest: string;
  readonly sugars: number | undefined;
}

const columns: ColumnTable<Cup> = [
  ["guest", "text", ({ guest }) => guest],
  ["sugars", "smallint", ({ sugars }) => sugars],
];
const names = columnNames(columns);

const insert = (table: number, cups: readonly Cup[], at: string): ReturnType<typeof sql> => sql`
  insert into cups (number, ${names}, at)
  select ${table}, given.*, ${at} from ${unnest(columns, cups)} as given (${names})`;

test("a table of columns names each one, and sends a list of its values", () => {
  const two = insert(
    7,
    [
      { guest: "Ada", sugars: 2 },
      { guest: "Max", sugars: undefined },
    ],
    "noon",
  );
  assert.equal(
    two.text,
    `
  insert into cups (number, guest, sugars, at)
  select $1, given.*, $2 from unnest($3::text[], $4::smallint[]) as given (guest, sugars)`,
  );
  assert.deepEqual(two.values, [7, "noon", ["Ada", "Max"], [2, null]]);
});

test("the prepared statement is the same for any number of rows", () => {
  const [withoutGuests, withGuest] = [insert(7, [], "noon"), insert(8, [{ guest: "Ada", sugars: 1 }], "one")];
  assert.equal(withoutGuests.name, withGuest.name);
  assert.deepEqual(withoutGuests.values, [7, "noon", [], []]);
});

test("a column whose type does not match its value does not compile", () => {
  // @ts-expect-error: a guest is no number.
  const wrong: ColumnTable<Cup> = [["guest", "smallint", ({ guest }) => guest]];
  assert.equal(wrong.length, 1);
});
