package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;

/** Applies each webhook once and in order: webhooks can arrive twice and out of order. */
public final class ApplyOnce {
  /** Whether the webhook was applied. Acknowledge the webhook whether or not it was applied. */
  public enum Outcome { APPLIED, OLD_NEWS }

  /** The action for a webhook that was not applied before. */
  @FunctionalInterface
  public interface Action<E extends Exception> {
    void run() throws E;
  }

  private ApplyOnce() {}

  /**
   * Runs {@code apply} only if the webhook is newer than the last applied change of its record. An event of
   * the feed has the same subject as its webhook, so whichever arrives second is skipped.
   *
   * <p>If {@code apply} throws, this method throws the same exception and rolls back everything that {@code
   * apply} wrote, and the mark that the change was applied. Whether you then commit or roll back the
   * transaction, the next delivery is applied.
   *
   * @param connection in a transaction that you began and will commit; {@code apply} must write in the same
   *     transaction
   */
  public static <E extends Exception> Outcome applyOnce(
      Connection connection, Dialect dialect, Told told, Action<E> apply) throws SQLException, E {
    if (connection.getAutoCommit()) {
      throw new ConfigurationException("Begin a transaction first: call setAutoCommit(false) on the connection.");
    }
    update(connection, dialect.insert(), told.subject());
    execute(connection, dialect.savepoint());
    // Outside a transaction MySQL silently drops a savepoint. In that case this rollback to the savepoint
    // fails.
    execute(connection, dialect.rollback());
    if (update(connection, dialect.claim(), told.subject(), told.sequence()) == 0) {
      execute(connection, dialect.release());
      return Outcome.OLD_NEWS;
    }
    try {
      apply.run();
      // The mark is written last, so that a commit inside `apply` does not commit the mark as well.
      update(connection, dialect.advance(), told.sequence(), told.subject());
      execute(connection, dialect.release());
    } catch (Throwable problem) {
      undo(connection, dialect, problem);
      throw problem;
    }
    return Outcome.APPLIED;
  }

  /**
   * If the connection or the whole transaction is lost, there is nothing to undo. The first exception is the
   * one to report.
   */
  private static void undo(Connection connection, Dialect dialect, Throwable problem) {
    try {
      execute(connection, dialect.rollback());
      execute(connection, dialect.release());
    } catch (SQLException another) {
      problem.addSuppressed(another);
    }
  }

  private static int update(Connection connection, String sql, Object... values) throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (int place = 0; place < values.length; place += 1) statement.setObject(place + 1, values[place]);
      return statement.executeUpdate();
    }
  }

  /**
   * Savepoints are set with SQL, and not with {@code Connection.setSavepoint}: in some drivers the release of
   * a savepoint does nothing.
   */
  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
