import type { Notification } from "./webhooks.ts";

export type Dialect = "postgresql" | "mysql" | "sqlite";

interface Statements {
  /** Run once, when you set up your database. */
  readonly createTable: string;
  /** Parameter: subject. */
  readonly insert: string;
  /** Parameters: sequence, subject, sequence. Changes a row only if the notification is news. */
  readonly advance: string;
}

const createTable = (text: string): string =>
  `create table if not exists tollgate_applied (subject ${text} primary key, sequence bigint not null)`;
const advance = "update tollgate_applied set sequence = ? where subject = ? and sequence < ?";

/** The newest change of each record that was applied. The same three statements are in every library. */
export const applyOnceSql: Readonly<Record<Dialect, Statements>> = {
  postgresql: {
    createTable: createTable("text"),
    insert:
      "insert into tollgate_applied (subject, sequence) values ($1, -1) on conflict (subject) do nothing",
    advance: "update tollgate_applied set sequence = $1 where subject = $2 and sequence < $3",
  },
  mysql: {
    createTable: createTable("varchar(160) character set ascii collate ascii_bin"),
    // Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
    insert:
      "insert into tollgate_applied (subject, sequence) values (?, -1) on duplicate key update sequence = sequence",
    advance,
  },
  sqlite: {
    createTable: createTable("text"),
    insert: "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)",
    advance,
  },
};

/** Your database, inside of a transaction that you began and will commit. */
export interface Applying {
  readonly dialect: Dialect;
  /** Runs a statement, and says how many rows it changed. */
  execute(sql: string, parameters: readonly (string | number)[]): Promise<number> | number;
}

/**
 * Runs `apply` only if the notification tells something newer than what was applied before, in the transaction of
 * `database`: notifications may come twice, and may overtake each other. Acknowledge both outcomes.
 */
export async function applyOnce(
  database: Applying,
  { subject, sequence }: Pick<Notification, "subject" | "sequence">,
  apply: () => Promise<void> | void,
): Promise<"applied" | "old news"> {
  const statements = applyOnceSql[database.dialect];
  await database.execute(statements.insert, [subject]);
  const changed = await database.execute(statements.advance, [sequence, subject, sequence]);
  if (changed === 0) return "old news";
  await apply();
  return "applied";
}
