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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ApplyOnceTest {
  private Connection connection;
  private int applied;

  @BeforeEach
  void openDatabase() throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite::memory:");
    connection.createStatement().execute(Dialect.SQLITE.createTable());
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
    assertEquals(3, applied);
  }

  @Test
  void forgetsWhatIsRolledBack() throws SQLException {
    connection.commit();
    assertEquals(Outcome.APPLIED, tell("p-1", 1));
    connection.rollback();
    assertEquals(Outcome.APPLIED, tell("p-1", 1));
  }

  @Test
  void passesOnWhatGoesWrongWithTheChange() {
    assertThrows(IllegalStateException.class, () ->
        ApplyOnce.applyOnce(connection, Dialect.SQLITE, notification("p-1", 1), () -> {
          throw new IllegalStateException("There is no such order.");
        }));
  }

  @Test
  void asksForATransaction() throws SQLException {
    connection.setAutoCommit(true);
    assertThrows(ConfigurationException.class, () -> tell("p-1", 1));
  }

  private Outcome tell(String record, long sequence) throws SQLException {
    return ApplyOnce.applyOnce(connection, Dialect.SQLITE, notification(record, sequence), () -> applied += 1);
  }

  private static Notification notification(String record, long sequence) {
    var body = new UnknownNotification(Map.of());
    return new Notification("notifyPayment", body, "notifyPayment " + record, sequence, "", "");
  }
}
