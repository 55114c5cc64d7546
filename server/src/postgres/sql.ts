import { createHash } from "node:crypto";

/** The type of a parameter. A bigint is sent as decimal text. */
export type SqlValue = SqlElement | readonly (SqlElement | null)[] | undefined;

export type SqlElement = string | number | bigint | boolean | Date | Uint8Array;

/** A prepared statement with its own name, so that a connection parses and plans it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: (Exclude<SqlValue, undefined> | null)[];
}

/**
 * The target of SQL: a transaction, or for reads the snapshot of one statement. Each target is limited to its
 * merchants.
 */
export interface Tx {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
  /**
   * Pipelines a statement whose result is not awaited. The statement is sent with the next one, at the latest with the
   * commit. If it fails, the transaction fails.
   */
  write(statement: Statement): void;
}

/** A piece of SQL that several statements share, such as a list of columns. It is constant text, never a value. */
export interface Fragment {
  readonly fragment: string;
}

/** Rows as one list per column, as `unnest` in column-table.ts uses them. The columns are constant, like a fragment. */
export interface ColumnLists {
  readonly columns: readonly (readonly [name: string, type: string, ...rest: unknown[]])[];
  readonly lists: readonly (readonly (SqlElement | null)[])[];
}

type Part = SqlValue | Fragment | ColumnLists;

export function fragment(strings: TemplateStringsArray): Fragment {
  return { fragment: strings.join("") };
}

/**
 * Plain SQL with parameters: `sql\`select … where client_id = ${clientId}\``. Only values and constant fragments can be
 * inserted, so SQL injection is impossible.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Statement {
  const { name, text } = statementsBySite.get(strings) ?? buildStatement(strings, parts);
  const values: Statement["values"] = [];
  for (const part of parts) {
    if (isColumnLists(part)) values.push(...part.lists);
    else if (!isFragment(part)) values.push(part ?? null);
  }
  return { name, text, values };
}

/** Cache of statements by call site: a template literal is one object per site, and its fragments are constant. */
const statementsBySite = new WeakMap<
  TemplateStringsArray,
  { readonly name: string; readonly text: string }
>();

function buildStatement(
  strings: TemplateStringsArray,
  parts: readonly Part[],
): { readonly name: string; readonly text: string } {
  let values = 0;
  const parameter = (): string => `$${(values += 1)}`;
  const text = strings.reduce((before, after, index) => before + textOf(parts[index - 1], parameter) + after);
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const statement = { name, text };
  statementsBySite.set(strings, statement);
  return statement;
}

function textOf(part: Part, parameter: () => string): string {
  if (isFragment(part)) return part.fragment;
  if (!isColumnLists(part)) return parameter();
  return `unnest(${part.columns.map(([, type]) => `${parameter()}::${type}[]`).join(", ")})`;
}

function isFragment(part: Part): part is Fragment {
  return typeof part === "object" && "fragment" in part;
}

function isColumnLists(part: Part): part is ColumnLists {
  return typeof part === "object" && "lists" in part;
}
