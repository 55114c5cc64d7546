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
   * Runs {@code apply} only if the notification tells something newer than what was applied before.
   *
   * @param connection inside of a transaction that you began and will commit: what {@code apply} writes belongs into
   *     the same
   */
  public static <E extends Exception> Outcome applyOnce(
      Connection connection, Dialect dialect, Notification notification, Action<E> apply) throws SQLException, E {
    if (connection.getAutoCommit()) {
      throw new ConfigurationException("Begin a transaction first: call setAutoCommit(false) on the connection.");
    }
    try (var insert = connection.prepareStatement(dialect.insert())) {
      insert.setString(1, notification.subject());
      insert.executeUpdate();
    }
    if (!isNews(connection, dialect, notification)) return Outcome.OLD_NEWS;
    apply.run();
    return Outcome.APPLIED;
  }

  private static boolean isNews(Connection connection, Dialect dialect, Notification notification) throws SQLException {
    try (var advance = connection.prepareStatement(dialect.advance())) {
      advance.setLong(1, notification.sequence());
      advance.setString(2, notification.subject());
      advance.setLong(3, notification.sequence());
      return advance.executeUpdate() > 0;
    }
  }
}
