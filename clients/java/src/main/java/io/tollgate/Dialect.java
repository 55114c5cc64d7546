package io.tollgate;

/** The SQL of {@link ApplyOnce}. The same three statements are in every library of the gateway. */
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
    this.createTable =
        "create table if not exists tollgate_applied (subject " + text + " primary key, sequence bigint not null)";
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

  /** Parameters: sequence, subject, sequence. Changes a row only if the notification is news. */
  public String advance() {
    return "update tollgate_applied set sequence = ? where subject = ? and sequence < ?";
  }
}
