package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tollgate.ApplyOnce.Outcome;
import io.tollgate.exception.ConfigurationException;
import io.tollgate.model.UnknownNotification;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ApplyOnceTest {
  private Connection connection;

  @BeforeEach
  void openDatabase() throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite::memory:");
    execute(Dialect.SQLITE.createTable());
    execute("create table changes (sequence bigint)");
    connection.setAutoCommit(false);
  }

  @AfterEach
  void closeDatabase() throws SQLException {
    connection.close();
  }

  @Test
  void appliesEachChangeOnceAndNeverAnOlderOne() throws SQLException {
    assertEquals(Outcome.APPLIED, tell("p-1", 0));
    assertEquals(Outcome.OLD_NEWS, tell("p-1", 0));
    assertEquals(Outcome.APPLIED, tell("p-1", 2));
    assertEquals(Outcome.OLD_NEWS, tell("p-1", 1));
    assertEquals(Outcome.APPLIED, tell("p-2", 1));
    assertEquals("0 2 1", applied());
  }

  @Test
  void countsARolledBackChangeAsNotApplied() throws SQLException {
    connection.commit();
    assertEquals(Outcome.APPLIED, tell("p-1", 1));
    connection.rollback();
    assertEquals(Outcome.APPLIED, tell("p-1", 1));
  }

  @Test
  void aCommitAfterAFailedChangeLosesNothing() throws SQLException {
    applyInVain("p-1", 3);
    // This shop does not roll back its transaction, so the next user of the connection commits what remains
    // in it.
    connection.commit();
    assertEquals("", applied());
    assertEquals(Outcome.APPLIED, tell("p-1", 3));
    assertEquals("3", applied());
  }

  @Test
  void aFailedChangeLeavesNothingInATransactionThatContinues() throws SQLException {
    tell("p-2", 1);
    applyInVain("p-1", 3);
    assertEquals(Outcome.APPLIED, tell("p-1", 3));
    connection.commit();
    assertEquals("1 3", applied());
  }

  @Test
  void earlierChangesStayWhenALaterChangeFails() throws SQLException {
    tell("p-1", 3);
    applyInVain("p-1", 5);
    connection.commit();
    assertEquals(Outcome.OLD_NEWS, tell("p-1", 3));
    assertEquals(Outcome.APPLIED, tell("p-1", 4));
  }

  @Test
  void aChangeThatCommitsTooEarlyAndFailsIsDeliveredAgain() throws SQLException {
    assertThrows(IllegalStateException.class, () ->
        ApplyOnce.applyOnce(connection, Dialect.SQLITE, notification("p-1", 1), () -> {
          connection.commit();
          throw new IllegalStateException("There is no such order.");
        }));
    connection.rollback();
    assertEquals(Outcome.APPLIED, tell("p-1", 1));
  }

  @Test
  void requiresATransaction() throws SQLException {
    connection.setAutoCommit(true);
    assertThrows(ConfigurationException.class, () -> tell("p-1", 1));
  }

  private Outcome tell(String record, long sequence) throws SQLException {
    return ApplyOnce.applyOnce(connection, Dialect.SQLITE, notification(record, sequence), () -> write(sequence));
  }

  /** An `apply` function that fails after it has written one of two rows. */
  private void applyInVain(String record, long sequence) {
    assertThrows(IllegalStateException.class, () ->
        ApplyOnce.applyOnce(connection, Dialect.SQLITE, notification(record, sequence), () -> {
          write(sequence);
          throw new IllegalStateException("There is no such order.");
        }));
  }

  private void write(long sequence) throws SQLException {
    execute("insert into changes values (" + sequence + ")");
  }

  private void execute(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String applied() throws SQLException {
    var found = new StringJoiner(" ");
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("select sequence from changes order by rowid")) {
      while (rows.next()) found.add(rows.getString(1));
    }
    return found.toString();
  }

  private static Notification notification(String record, long sequence) {
    var body = new UnknownNotification(Map.of());
    return new Notification("notifyPayment", body, "notifyPayment " + record, sequence, "", "");
  }
}
