import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "./installation.ts";

/** A statement as the server sent it, with its parameters as text. */
export interface Sent {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/**
 * The statements of one transaction, without its BEGIN and COMMIT; a read-only question is a transaction of
 * its own.
 */
export type Transaction = readonly Sent[];

/** A line of PostgreSQL's statement log. */
interface Line {
  readonly pid: number;
  readonly vxid?: string;
  readonly message?: string;
  readonly detail?: string;
}

/**
 * Records every statement that the server sends while `work` runs, from PostgreSQL's own log. The bare
 * measurement replays these, so it cannot drift from the server's code.
 */
export async function record(
  { query, logFolder }: Installation,
  work: () => Promise<void>,
): Promise<readonly Transaction[]> {
  await query("alter system set log_statement = 'all'");
  await query("select pg_reload_conf()");
  await settle();
  const before = linesIn(logFolder).length;
  await work();
  await settle();
  const lines = linesIn(logFolder).slice(before);
  await query("alter system reset log_statement");
  await query("select pg_reload_conf()");
  return transactionsOf(lines);
}

/** Waits for PostgreSQL's logging collector, a process of its own, to flush. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 700));
}

function linesIn(folder: string): readonly Line[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

/**
 * In order of their start. A virtual transaction id belongs to one connection and is new for every
 * transaction.
 */
function transactionsOf(lines: readonly Line[]): readonly Transaction[] {
  const byTransaction = new Map<string, Sent[]>();
  for (const line of lines) {
    const sent = sentIn(line);
    if (!sent) continue;
    const key = `${line.pid} ${line.vxid ?? ""}`;
    const earlier = byTransaction.get(key) ?? [];
    byTransaction.set(key, [...earlier, sent]);
  }
  return [...byTransaction.values()];
}

function sentIn({ message = "", detail = "" }: Line): Sent | undefined {
  const text = /^execute [^:]*: ([\s\S]*)$/.exec(message)?.[1];
  if (text === undefined) return undefined;
  const values = [...detail.matchAll(/\$\d+ = (?:(NULL)|'((?:[^']|'')*)')/g)].map(([, isNull, value]) =>
    isNull ? null : (value ?? "").replaceAll("''", "'"),
  );
  return { text, values };
}

/**
 * The transaction with other names: the payment's own are replaced wherever they stand, in lists and bodies
 * too.
 */
export function renamed(transaction: Transaction, names: ReadonlyMap<string, string>): Transaction {
  const rename = (value: string): string =>
    [...names].reduce((text, [from, to]) => text.replaceAll(from, to), value);
  return transaction.map(({ text, values }) => ({
    text,
    values: values.map((value) => (value === null ? null : rename(value))),
  }));
}
