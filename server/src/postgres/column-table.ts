import type { Fragment, ColumnLists, SqlElement } from "./sql.ts";

/**
 * Columns with the value that each one takes from a row, so that a bulk insert has a column and its value in one place.
 * Values in a separate list could be in the wrong order and would still compile.
 */
export type ColumnTable<Row> = readonly Column<Row>[];

/**
 * A column: its name, its PostgreSQL type, and the value from a row. The type must match the value. Undefined is
 * written as null.
 */
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

/** The column names as a list in SQL. Use the list in a constant, so that the statement's text is built only once. */
export function columnNames(columns: ColumnTable<never>): Fragment {
  return { fragment: columns.map(([name]) => name).join(", ") };
}

/** Builds `unnest($1::smallint[], $2::text[], …)`: the rows as one parameter per column, for any number of rows. */
export function unnest<Row>(columns: ColumnTable<Row>, rows: readonly Row[]): ColumnLists {
  return {
    columns,
    lists: columns.map(([, , read]) => rows.map((row): SqlElement | null => read(row) ?? null)),
  };
}

/** A row as a query returns it: named like the columns, with null for undefined fields. */
export type RowOf<Columns extends ColumnTable<never>> = {
  readonly [Each in Columns[number] as Each[0]]: Selected<ReturnType<Each[2]>>;
};

/** The value as `pg` returns it. A bigint is text, because a number would lose digits. */
type Selected<Value> = Value extends undefined
  ? null
  : Value extends bigint
    ? string
    : Value extends Uint8Array
      ? Buffer
      : Value;
