import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tollgate.ApplyOnce;
import io.tollgate.Dialect;
import io.tollgate.Incoming;
import io.tollgate.Notification;
import io.tollgate.Tollgate;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.model.PaymentNotification;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

class Notify {
  private static final Tollgate CLIENT = Tollgate.builder().environment("sandbox").build();

  public static void main(String[] parameters) throws Exception {
    var database = DriverManager.getConnection("jdbc:sqlite::memory:");
    database.createStatement().execute(Dialect.SQLITE.createTable());
    database.setAutoCommit(false);

    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/notify", exchange -> receive(exchange, database));
    server.start();
  }

  private static void receive(HttpExchange exchange, Connection database) throws IOException {
    try (exchange) {
      // The raw bytes: a signature covers those, and not JSON that was parsed and written again.
      var body = exchange.getRequestBody().readAllBytes();
      var path = exchange.getRequestURI().toString();
      apply(CLIENT.webhooks().construct(Incoming.post(path, exchange.getRequestHeaders(), body)), database);
      var ack = CLIENT.webhooks().ack().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(200, ack.length);
      exchange.getResponseBody().write(ack);
    } catch (SignatureVerificationException problem) {
      exchange.sendResponseHeaders(401, -1);
    } catch (SQLException problem) {
      // Anything but the acknowledgement makes the gateway come again.
      exchange.sendResponseHeaders(500, -1);
    }
  }

  /** Notifications come twice now and then, and may overtake each other. */
  private static void apply(Notification notification, Connection database) throws SQLException {
    ApplyOnce.applyOnce(database, Dialect.SQLITE, notification, () -> {
      if (notification.body() instanceof PaymentNotification payment) {
        System.out.println("told " + payment.result().resultCode());
      }
    });
    database.commit();
  }
}
