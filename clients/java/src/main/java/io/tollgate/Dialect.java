package io.tollgate;

/** The SQL of {@link ApplyOnce}. The same statements are in every library of the gateway. */
public enum Dialect {
  POSTGRESQL(
      "text",
      "insert into tollgate_applied (subject, sequence) values (?, -1) on conflict (subject) do nothing"),
  MYSQL(
      "varchar(160) character set ascii collate ascii_bin",
      // Not `insert ignore`: that locks the row for reading, and two who then want to write it wait for each other.
      "insert into tollgate_applied (subject, sequence) values (?, -1)"
          + " on duplicate key update sequence = sequence"),
  SQLITE(
      "text",
      "insert or ignore into tollgate_applied (subject, sequence) values (?, -1)");

  private final String createTable;
  private final String insert;

  Dialect(String text, String insert) {
    // MySQL counts only rows in which something is different afterwards: that is what `claims` is for.
    this.createTable = "create table if not exists tollgate_applied (subject " + text + " primary key,"
        + " sequence bigint not null, claims bigint not null default 0)";
    this.insert = insert;
  }

  /** Run it once, when you set up your database. */
  public String createTable() {
    return createTable;
  }

  /** Parameter: subject. */
  public String insert() {
    return insert;
  }

  /** Parameters: subject, sequence. Changes the row, and so locks it, only if the notification is news. */
  public String claim() {
    return "update tollgate_applied set claims = claims + 1 where subject = ? and sequence < ?";
  }

  /** Parameters: sequence, subject. */
  public String advance() {
    return "update tollgate_applied set sequence = ? where subject = ?";
  }

  /** Before what is done with the notification. */
  public String savepoint() {
    return "savepoint tollgate_apply_once";
  }

  /** So that a failure leaves nothing of it. */
  public String rollback() {
    return "rollback to savepoint tollgate_apply_once";
  }

  /** When it is done, or undone. */
  public String release() {
    return "release savepoint tollgate_apply_once";
  }
}
