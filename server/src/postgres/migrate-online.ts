import type { Client } from "pg";

/**
 * A migration of a table that may be long. Its statements run one by one, without a transaction around them. So an
 * index is built `concurrently` and rows are filled in small steps, while payments continue. After an interruption it
 * starts again with its first statement, so each statement must be safe to run twice.
 *
 * The file begins with `-- apart`. An empty line separates statements. A statement that begins with `-- in steps`
 * changes a limited number of rows, and runs until it changes none. Such a statement must change only rows from before
 * the migration, or it never ends while the previous release writes more of these rows.
 */
export function isOnlineMigration(text: string): boolean {
  return text.startsWith("-- apart");
}

interface Statement {
  readonly text: string;
  readonly isInSteps: boolean;
}

/** A pause after each step as long as the step, so that vacuum, standbys and payments keep up. */
const pauseRatio = 1;

export async function runOnlineMigration(client: Client, text: string, lockTimeoutMs: number): Promise<void> {
  for (const statement of statementsIn(text)) {
    await dropInvalidIndex(client, statement.text);
    // A concurrent index build waits for older transactions, and blocks no queries meanwhile.
    const timeoutMs = /\bconcurrently\b/i.test(statement.text) ? 0 : lockTimeoutMs;
    await client.query(`set lock_timeout = ${timeoutMs}`);
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
    const pauseMs = pauseRatio * (performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * Drops an invalid index. An interrupted concurrent build leaves one behind: it is written to but never read, and
 * `if not exists` treats it as valid.
 */
async function dropInvalidIndex(client: Client, statement: string): Promise<void> {
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
