package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;

/** Applies every notification once and in order: they may come twice, and may overtake each other. */
public final class ApplyOnce {
  /** What became of a notification. Acknowledge both. */
  public enum Outcome { APPLIED, OLD_NEWS }

  /** What you do with a notification that is news. */
  @FunctionalInterface
  public interface Action<E extends Exception> {
    void run() throws E;
  }

  private ApplyOnce() {}

  /**
   * Runs {@code apply} only if the notification tells something newer than what was applied before. An event of the feed
   * has the subject of its notification, so whichever of the two comes second is old news.
   *
   * <p>When {@code apply} throws, so does this, and nothing of it is left in the transaction, neither what it had written
   * by then nor the mark that it was applied: whatever becomes of the transaction, the next delivery is news again.
   *
   * @param connection inside of a transaction that you began and will commit: what {@code apply} writes belongs into
   *     the same
   */
  public static <E extends Exception> Outcome applyOnce(
      Connection connection, Dialect dialect, Told told, Action<E> apply) throws SQLException, E {
    if (connection.getAutoCommit()) {
      throw new ConfigurationException("Begin a transaction first: call setAutoCommit(false) on the connection.");
    }
    update(connection, dialect.insert(), told.subject());
    execute(connection, dialect.savepoint());
    // Outside of a transaction MySQL forgets a savepoint without a word: then this fails.
    execute(connection, dialect.rollback());
    if (update(connection, dialect.claim(), told.subject(), told.sequence()) == 0) {
      execute(connection, dialect.release());
      return Outcome.OLD_NEWS;
    }
    try {
      apply.run();
      // Last, so that what commits too early in the middle of `apply` does not commit the mark as well.
      update(connection, dialect.advance(), told.sequence(), told.subject());
      execute(connection, dialect.release());
    } catch (Throwable problem) {
      undo(connection, dialect, problem);
      throw problem;
    }
    return Outcome.APPLIED;
  }

  /** When the connection or the whole transaction is lost there is nothing to undo: the first problem is the one to tell. */
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

  /** As text, and not through {@code Connection.setSavepoint}: some drivers do nothing when they are to release one. */
  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
