import { createHash } from "node:crypto";

/** What a parameter may be. A bigint is sent as its decimal text. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | readonly (string | number | bigint | boolean | Date | Uint8Array | null)[]
  | undefined;

/** One statement under a name of its own, so that a connection parses and plans it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: (Exclude<SqlValue, undefined> | null)[];
}

/** Where SQL runs: a transaction, or for reads the snapshot of a statement. Both name their merchants. */
export interface Tx {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
}

/**
 * Plain SQL with parameters: `sql\`select … where client_id = ${clientId}\``. Only values can be
 * put in, never text, so there is nothing to inject into.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Statement {
  const { name, text } = written.get(strings) ?? write(strings);
  return { name, text, values: values.map((value) => value ?? null) };
}

const written = new WeakMap<TemplateStringsArray, { readonly name: string; readonly text: string }>();

function write(strings: TemplateStringsArray): { readonly name: string; readonly text: string } {
  const text = strings.reduce((before, after, index) => `${before}$${index}${after}`);
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const statement = { name, text };
  written.set(strings, statement);
  return statement;
}
