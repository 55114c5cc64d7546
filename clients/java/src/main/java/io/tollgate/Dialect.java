package io.tollgate;

/** The SQL of {@link ApplyOnce}. All libraries use the same statements. */
public enum Dialect {
  POSTGRESQL(
      "text",
      "insert into tollgate_applied (subject, sequence) values (?, -1) on conflict (subject) do nothing"),
  MYSQL(
      "varchar(160) character set ascii collate ascii_bin",
      // `insert ignore` would take a shared lock on the row, and two transactions that then update the row
      // would deadlock.
      "insert into tollgate_applied (subject, sequence) values (?, -1)"
          + " on duplicate key update sequence = sequence"),
  SQLITE(
      "text",
      "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)");

  private final String createTable;
  private final String insert;

  Dialect(String text, String insert) {
    // Every claim changes the column `claims`, because MySQL counts only rows whose values change.
    this.createTable = "create table if not exists tollgate_applied (subject " + text + " primary key,"
        + " sequence bigint not null, claims bigint not null default 0)";
    this.insert = insert;
  }

  /** Returns the statement that creates the table. Run it once, when you set up your database. */
  public String createTable() {
    return createTable;
  }

  /** Parameter: subject. */
  public String insert() {
    return insert;
  }

  /**
   * A statement with the parameters subject and sequence. It updates the row, and so locks it, only if the
   * sequence is newer.
   */
  public String claim() {
    return "update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?";
  }

  /** Parameters: sequence, subject. */
  public String advance() {
    return "update tollgate_applied set sequence = ? where subject = ?";
  }

  /** Sets the savepoint before {@code apply} runs. */
  public String savepoint() {
    return "savepoint tollgate_apply_once";
  }

  /** Rolls back everything that {@code apply} wrote. */
  public String rollback() {
    return "rollback to savepoint tollgate_apply_once";
  }

  /** Releases the savepoint after success or rollback. */
  public String release() {
    return "release savepoint tollgate_apply_once";
  }
}
