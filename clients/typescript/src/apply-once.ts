import type { News } from "./notification.ts";

/** The SQL dialect of a database. */
export type Dialect = "postgresql" | "mysql" | "sqlite";

/** The statements that `applyOnce` runs. */
export interface Statements {
  /** The statement that creates the table. Run it once, when you set up your database. */
  readonly createTable: string;
  /** Parameter: subject. */
  readonly insert: string;
  /**
   * A statement with the parameters subject and sequence. It updates the row, and so locks it, only if the
   * sequence is newer.
   */
  readonly claim: string;
  /** Parameters: sequence, subject. */
  readonly advance: string;
  /** The savepoint around `apply`, so that a failure rolls back everything that it wrote. */
  readonly savepoint: string;
  readonly rollback: string;
  readonly release: string;
}

const savepoints = {
  savepoint: "savepoint tollgate_apply_once",
  rollback: "rollback to savepoint tollgate_apply_once",
  release: "release savepoint tollgate_apply_once",
};
// Every claim changes the column `claims`, because MySQL counts only rows whose values change.
const createTable = (text: string): string =>
  `create table if not exists tollgate_applied (subject ${text} primary key, ` +
  "sequence bigint not null, claims bigint not null default 0)";
const claim = "update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?";
const advance = "update tollgate_applied set sequence = ? where subject = ?";

/** Stores the newest applied change of each record. All libraries use the same statements. */
export const applyOnceSql: Readonly<Record<Dialect, Statements>> = {
  postgresql: {
    createTable: createTable("text"),
    insert:
      "insert into tollgate_applied (subject, sequence) values ($1, -1) on conflict (subject) do nothing",
    claim: "update tollgate_applied set claims = claims + 1 where subject = $1 and sequence < $2",
    advance: "update tollgate_applied set sequence = $1 where subject = $2",
    ...savepoints,
  },
  mysql: {
    createTable: createTable("varchar(160) character set ascii collate ascii_bin"),
    // `insert ignore` would take a shared lock on the row, and two transactions that then update the row
    // would deadlock.
    insert:
      "insert into tollgate_applied (subject, sequence) values (?, -1) on duplicate key update sequence = sequence",
    claim,
    advance,
    ...savepoints,
  },
  sqlite: {
    createTable: createTable("text"),
    insert: "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)",
    claim,
    advance,
    ...savepoints,
  },
};

/** Your database connection, in a transaction that you began and will commit. */
export interface Applying {
  readonly dialect: Dialect;
  /**
   * Runs a statement and returns the number of changed rows. With mysql2 use `query`, because `execute` does
   * not support savepoints.
   */
  execute(sql: string, parameters: readonly (string | number)[]): Promise<number> | number;
}

/**
 * Runs `apply` in the transaction of `database` only if the webhook is newer than the last applied change of
 * its record, because webhooks can arrive twice and out of order. Acknowledge the webhook whether or not it
 * was applied. An event of the feed has the same subject as its webhook, so whichever arrives second is
 * skipped.
 *
 * If `apply` throws, `applyOnce` throws the same error and rolls back everything that `apply` wrote, and the
 * mark that the change was applied. Whether you then commit or roll back the transaction, the next delivery
 * is applied.
 */
export async function applyOnce(
  database: Applying,
  { subject, sequence }: News,
  apply: () => Promise<void> | void,
): Promise<"applied" | "old news"> {
  const statements = applyOnceSql[database.dialect];
  await database.execute(statements.insert, [subject]);
  await database.execute(statements.savepoint, []);
  // Outside a transaction PostgreSQL rejects a savepoint, but MySQL silently drops it. In that case this
  // rollback to the savepoint fails.
  await database.execute(statements.rollback, []);
  if ((await database.execute(statements.claim, [subject, sequence])) === 0) {
    await database.execute(statements.release, []);
    return "old news";
  }
  try {
    await apply();
    // The mark is written last, so that a commit inside `apply` does not commit the mark as well.
    await database.execute(statements.advance, [sequence, subject]);
    await database.execute(statements.release, []);
  } catch (error) {
    await undo(database, statements);
    throw error;
  }
  return "applied";
}

/**
 * If the connection or the whole transaction is lost, there is nothing to undo. The first error is the one to
 * report.
 */
async function undo(database: Applying, { rollback, release }: Statements): Promise<void> {
  try {
    await database.execute(rollback, []);
    await database.execute(release, []);
  } catch {}
}
