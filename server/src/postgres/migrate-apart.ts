import type { Client } from "pg";

/**
 * A migration of a table that may be long: its statements run one by one, without a transaction around them, so that an
 * index is built `concurrently` and rows are filled in small steps, while payments go on. Cut off, it begins again with its first
 * statement: each has to bear being run twice.
 *
 * The file begins with `-- apart`. Statements are apart by an empty line. One that begins with `-- in steps` changes a limited
 * number of rows, and is run until it changes none: rows of before alone, or it never ends while the release before writes more of them.
 */
export function isApart(text: string): boolean {
  return text.startsWith("-- apart");
}

interface Statement {
  readonly text: string;
  readonly isInSteps: boolean;
}

/** A pause after each step as long as the step: vacuum, standbys and payments keep up. */
const pauseByStep = 1;

export async function runApart(client: Client, text: string, lockTimeoutMs: number): Promise<void> {
  for (const statement of statementsIn(text)) {
    await dropHalfBuilt(client, statement.text);
    // An index that is built concurrently waits for older transactions, and blocks nobody meanwhile.
    const waitsMs = /\bconcurrently\b/i.test(statement.text) ? 0 : lockTimeoutMs;
    await client.query(`set lock_timeout = ${waitsMs}`);
    await (statement.isInSteps ? runInSteps(client, statement.text) : client.query(statement.text));
  }
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
}

function statementsIn(text: string): readonly Statement[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => ({ text: part.trim(), isInSteps: /^-- in steps$/m.test(part) }))
    .filter((part) => part.text.replaceAll(/^--.*$/gm, "").trim() !== "");
}

async function runInSteps(client: Client, text: string): Promise<void> {
  for (;;) {
    const startedMs = performance.now();
    const { rowCount } = await client.query(text);
    if (!rowCount) return;
    const pauseMs = pauseByStep * (performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** An index whose building was cut off stays behind as invalid: it is written to, never read, and `if not exists` takes it for the real one. */
async function dropHalfBuilt(client: Client, statement: string): Promise<void> {
  const name = /create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i.exec(
    statement,
  )?.[1];
  if (name === undefined) return;
  const { rows } = await client.query(
    "select from pg_index where indexrelid = to_regclass($1) and not indisvalid",
    [name],
  );
  if (rows.length > 0) await client.query(`drop index if exists ${name}`);
}
