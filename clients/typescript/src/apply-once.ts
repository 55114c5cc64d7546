import type { News } from "./notification.ts";

/** Whose SQL a database speaks. */
export type Dialect = "postgresql" | "mysql" | "sqlite";

/** What `applyOnce` runs. */
export interface Statements {
  /** Run once, when you set up your database. */
  readonly createTable: string;
  /** Parameter: subject. */
  readonly insert: string;
  /** Parameters: subject, sequence. Changes the row, and so locks it, only if the notification is news. */
  readonly claim: string;
  /** Parameters: sequence, subject. */
  readonly advance: string;
  /** Around what is done with the notification, so that a failure leaves nothing of it. */
  readonly savepoint: string;
  readonly rollback: string;
  readonly release: string;
}

const savepoints = {
  savepoint: "savepoint tollgate_apply_once",
  rollback: "rollback to savepoint tollgate_apply_once",
  release: "release savepoint tollgate_apply_once",
};
// MySQL counts only rows in which something is different afterwards: that is what `claims` is for.
const createTable = (text: string): string =>
  `create table if not exists tollgate_applied (subject ${text} primary key, ` +
  "sequence bigint not null, claims bigint not null default 0)";
const claim = "update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?";
const advance = "update tollgate_applied set sequence = ? where subject = ?";

/** The newest change of each record that was applied. The same statements are in every library. */
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
    // Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
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

/** Your database, inside of a transaction that you began and will commit. */
export interface Applying {
  readonly dialect: Dialect;
  /** Runs a statement, and says how many rows it changed. With mysql2, `query`: `execute` knows no savepoints. */
  execute(sql: string, parameters: readonly (string | number)[]): Promise<number> | number;
}

/**
 * Runs `apply` only if the notification tells something newer than what was applied before, in the transaction of
 * `database`: notifications may come twice, and may overtake each other. Acknowledge both outcomes. An event of the feed
 * has the subject of its notification, so whichever of them comes second is old news.
 *
 * When `apply` throws, so does this, and nothing of it is left in the transaction, neither what it had written by then
 * nor the mark that it was applied: whatever you do with the transaction afterwards, the next delivery is news again.
 */
export async function applyOnce(
  database: Applying,
  { subject, sequence }: News,
  apply: () => Promise<void> | void,
): Promise<"applied" | "old news"> {
  const statements = applyOnceSql[database.dialect];
  await database.execute(statements.insert, [subject]);
  await database.execute(statements.savepoint, []);
  // Outside of a transaction PostgreSQL refuses a savepoint, but MySQL forgets it without a word: then this fails.
  await database.execute(statements.rollback, []);
  if ((await database.execute(statements.claim, [subject, sequence])) === 0) {
    await database.execute(statements.release, []);
    return "old news";
  }
  try {
    await apply();
    // Last, so that what commits too early in the middle of `apply` does not commit the mark as well.
    await database.execute(statements.advance, [sequence, subject]);
    await database.execute(statements.release, []);
  } catch (error) {
    await undo(database, statements);
    throw error;
  }
  return "applied";
}

/** When the connection or the whole transaction is lost there is nothing to undo: the first error is the one to tell. */
async function undo(database: Applying, { rollback, release }: Statements): Promise<void> {
  try {
    await database.execute(rollback, []);
    await database.execute(release, []);
  } catch {}
}
