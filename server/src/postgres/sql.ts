import { createHash } from "node:crypto";

/** What a parameter may be. A bigint is sent as its decimal text. */
export type SqlValue = SqlElement | readonly (SqlElement | null)[] | undefined;

export type SqlElement = string | number | bigint | boolean | Date | Uint8Array;

/** A prepared statement: under a name of its own, so that a connection parses and plans it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: (Exclude<SqlValue, undefined> | null)[];
}

/** Where SQL runs: a transaction, or for reads the snapshot of one statement. Both name their merchants. */
export interface Tx {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
  /**
   * Pipelines a statement whose answer nobody awaits: it travels with the next one, the commit at the latest.
   * If it fails, so does the transaction.
   */
  write(statement: Statement): void;
}

/** A piece of SQL that several statements share, such as a list of columns. Constant text, never a value. */
export interface Fragment {
  readonly fragment: string;
}

export function fragment(strings: TemplateStringsArray): Fragment {
  return { fragment: strings.join("") };
}

/**
 * Plain SQL with parameters: `sql\`select … where client_id = ${clientId}\``. Only values and constant
 * fragments can be put in, so there is nothing to inject into.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Fragment)[]): Statement {
  const { name, text } = written.get(strings) ?? write(strings, parts);
  const values = parts.filter((part): part is SqlValue => !isFragment(part));
  return { name, text, values: values.map((value) => value ?? null) };
}

/** Cache by call site: a template literal is one object per site, and its fragments are constants. */
const written = new WeakMap<TemplateStringsArray, { readonly name: string; readonly text: string }>();

function write(
  strings: TemplateStringsArray,
  parts: readonly (SqlValue | Fragment)[],
): { readonly name: string; readonly text: string } {
  let values = 0;
  const text = strings.reduce((before, after, index) => {
    const part = parts[index - 1];
    if (isFragment(part)) return before + part.fragment + after;
    values += 1;
    return `${before}$${values}${after}`;
  });
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const statement = { name, text };
  written.set(strings, statement);
  return statement;
}

function isFragment(part: SqlValue | Fragment): part is Fragment {
  return typeof part === "object" && "fragment" in part;
}
