import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tollgate.ApplyOnce;
import io.tollgate.Dialect;
import io.tollgate.Incoming;
import io.tollgate.Notification;
import io.tollgate.Webhooks;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.model.PaymentNotification;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

class Notify {
  // To receive webhooks, you need only a client id and the gateway's public key, and no private key.
  private static final Webhooks WEBHOOKS = Webhooks.fromEnvironment();

  public static void main(String[] parameters) throws Exception {
    try (var database = connect()) {
      // Add the first of these tables to your migrations.
      update(database, Dialect.SQLITE.createTable());
      update(database, "create table if not exists orders (payment_request_id text primary key, status text)");
      database.commit();
    }
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/notify", exchange -> answer(exchange, () -> receive(exchange)));
    server.createContext("/orders", exchange -> answer(exchange, () -> order(exchange)));
    server.start();
  }

  private static String receive(HttpExchange exchange) throws IOException, SQLException {
    // The raw bytes: the signature covers them, and not JSON that was parsed and written again.
    var body = exchange.getRequestBody().readAllBytes();
    var path = exchange.getRequestURI().toString();
    var notification = WEBHOOKS.construct(Incoming.post(path, exchange.getRequestHeaders(), body));
    try (var database = connect()) {
      apply(database, notification);
    }
    return WEBHOOKS.ack();
  }

  /** A webhook can arrive twice, and webhooks can arrive out of order. */
  private static void apply(Connection database, Notification notification) throws SQLException {
    try {
      ApplyOnce.applyOnce(database, Dialect.SQLITE, notification, () -> settle(database, notification));
      database.commit();
    } catch (SQLException | RuntimeException problem) {
      database.rollback();
      throw problem;
    }
  }

  /** Updates your order from a webhook about a payment. Webhooks report failures, too. */
  private static void settle(Connection database, Notification notification) throws SQLException {
    if (!(notification.body() instanceof PaymentNotification payment)) return;
    // The payment is pending, or its money is only held: it is not paid yet.
    if (!payment.isPaid() && !payment.isFailed()) return;
    var sql = "update orders set status = ? where payment_request_id = ?";
    int changed = update(database, sql, payment.isPaid() ? "PAID" : "FAILED", payment.paymentRequestId());
    // If the order does not exist yet, fail: the gateway sends the webhook again, and the order may exist by
    // then.
    if (changed == 0) throw new IllegalStateException("There is no order " + payment.paymentRequestId() + " yet.");
  }

  private interface Work {
    String run() throws IOException, SQLException;
  }

  private static void answer(HttpExchange exchange, Work work) throws IOException {
    try (exchange) {
      int status = 200;
      var body = "";
      try {
        body = work.run();
      } catch (SignatureVerificationException problem) {
        status = 401;
      } catch (IOException | SQLException | RuntimeException problem) {
        // Any response but the acknowledgement makes the gateway send the webhook again.
        problem.printStackTrace();
        status = 500;
      }
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(status, body.isEmpty() ? -1 : body.length());
      if (!body.isEmpty()) exchange.getResponseBody().write(body.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Another route of the shop, unrelated to the gateway. */
  private static String order(HttpExchange exchange) throws IOException, SQLException {
    var json = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    var id = json.replaceAll("(?s).*\"paymentRequestId\"\\s*:\\s*\"([\\w-]+)\".*", "$1");
    try (var database = connect()) {
      update(database, "insert or ignore into orders values (?, 'WAITING')", id);
      database.commit();
      try (var select = database.prepareStatement("select status from orders where payment_request_id = ?")) {
        select.setString(1, id);
        return "{\"paymentRequestId\":\"" + id + "\",\"status\":\"" + select.executeQuery().getString(1) + "\"}";
      }
    }
  }

  private static Connection connect() throws SQLException {
    var file = System.getenv().getOrDefault("DATABASE_FILE", "shop.sqlite");
    var database = DriverManager.getConnection("jdbc:sqlite:" + file);
    database.setAutoCommit(false);
    return database;
  }

  private static int update(Connection database, String sql, String... values) throws SQLException {
    try (var statement = database.prepareStatement(sql)) {
      for (int place = 0; place < values.length; place += 1) statement.setString(place + 1, values[place]);
      return statement.executeUpdate();
    }
  }
}
