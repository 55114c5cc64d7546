package spring;

import io.tollgate.ApplyOnce;
import io.tollgate.Dialect;
import io.tollgate.Incoming;
import io.tollgate.Notification;
import io.tollgate.Tollgate;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.model.PaymentNotification;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class NotifySpring {
  public static void main(String[] parameters) {
    SpringApplication.run(NotifySpring.class, parameters);
  }

  @Bean
  Tollgate tollgate() {
    return Tollgate.builder().environment("sandbox").build();
  }

  @RestController
  static class NotifyController {
    private final Tollgate client;
    private final Orders orders;

    NotifyController(Tollgate client, Orders orders) {
      this.client = client;
      this.orders = orders;
    }

    /** {@code byte[]} is necessary: the signature covers the raw bytes. */
    @PostMapping(path = "/notify", produces = MediaType.APPLICATION_JSON_VALUE)
    String receive(HttpServletRequest request, @RequestHeader HttpHeaders headers, @RequestBody byte[] body) {
      var query = request.getQueryString();
      var path = request.getRequestURI() + (query == null ? "" : "?" + query);
      orders.apply(client.webhooks().construct(Incoming.post(path, headers::getOrEmpty, body)));
      return client.webhooks().ack();
    }

    /** Spring returns HTTP 500 for any other exception, and the gateway sends the webhook again. */
    @ExceptionHandler(SignatureVerificationException.class)
    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    void refuse() {}

    /** Another route of the shop, unrelated to the gateway. */
    @PostMapping("/orders")
    Map<String, String> order(@RequestBody Map<String, String> order) {
      var id = order.get("paymentRequestId");
      return Map.of("paymentRequestId", id, "status", orders.statusOf(id));
    }
  }

  @Service
  static class Orders {
    private final JdbcTemplate database;

    Orders(JdbcTemplate database) {
      this.database = database;
      // Add the first of these tables to your migrations.
      database.execute(Dialect.POSTGRESQL.createTable());
      database.execute("create table if not exists orders (payment_request_id text primary key, status text)");
    }

    /**
     * A webhook can arrive twice, and webhooks can arrive out of order. An exception here rolls back the
     * transaction.
     */
    @Transactional
    public void apply(Notification notification) {
      database.execute((ConnectionCallback<ApplyOnce.Outcome>) connection ->
          ApplyOnce.applyOnce(connection, Dialect.POSTGRESQL, notification, () -> settle(notification)));
    }

    /** Updates your order from a webhook about a payment. Webhooks report failures, too. */
    private void settle(Notification notification) {
      if (!(notification.body() instanceof PaymentNotification payment)) return;
      // The payment is pending, or its money is only held: it is not paid yet.
      if (!payment.isPaid() && !payment.isFailed()) return;
      var sql = "update orders set status = ? where payment_request_id = ?";
      int changed = database.update(sql, payment.isPaid() ? "PAID" : "FAILED", payment.paymentRequestId());
      // If the order does not exist yet, fail: the gateway sends the webhook again, and the order may exist
      // by then.
      if (changed == 0) throw new IllegalStateException("There is no order " + payment.paymentRequestId() + " yet.");
    }

    @Transactional
    public String statusOf(String id) {
      database.update("insert into orders values (?, 'WAITING') on conflict do nothing", id);
      return database.queryForObject("select status from orders where payment_request_id = ?", String.class, id);
    }
  }
}
