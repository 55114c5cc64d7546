import type { Fragment, Lists, SqlElement } from "./sql.ts";

/**
 * Columns with what each one holds of a row, so that a bulk insert names a column and its value in one place: two
 * lists that are matched by eye can be swapped, and still compile.
 */
export type ColumnTable<Row> = readonly Column<Row>[];

/** The type has to fit the value. What is undefined is written as null. */
type Column<Row> = {
  [Type in keyof SqlTypes]: readonly [
    name: string,
    type: Type,
    read: (row: Row) => SqlTypes[Type] | undefined,
  ];
}[keyof SqlTypes];

interface SqlTypes {
  readonly smallint: number;
  readonly int: number;
  readonly bigint: bigint | number;
  readonly real: number;
  readonly boolean: boolean;
  readonly text: string;
  readonly bytea: Uint8Array;
  readonly date: string;
  readonly timestamptz: Date;
}

/** The names, for a list of columns. Meant for a constant beside the table: a statement's text is made once. */
export function namesOf(columns: ColumnTable<never>): Fragment {
  return { fragment: columns.map(([name]) => name).join(", ") };
}

/** `unnest($1::smallint[], $2::text[], …)`: the rows as one parameter a column, however many there are. */
export function unnest<Row>(columns: ColumnTable<Row>, rows: readonly Row[]): Lists {
  return {
    columns,
    lists: columns.map(([, , read]) => rows.map((row): SqlElement | null => read(row) ?? null)),
  };
}

/** A row as a query gives it: named like the columns, and null where the field is undefined. */
export type RowOf<Columns extends ColumnTable<never>> = {
  readonly [Each in Columns[number] as Each[0]]: Selected<ReturnType<Each[2]>>;
};

/** `pg` gives a bigint as text, because a number would lose digits. */
type Selected<Value> = Value extends undefined
  ? null
  : Value extends bigint
    ? string
    : Value extends Uint8Array
      ? Buffer
      : Value;
