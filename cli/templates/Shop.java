import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tollgate.Incoming;
import io.tollgate.Money;
import io.tollgate.Notification;
import io.tollgate.Tollgate;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.model.Env;
import io.tollgate.model.Order;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.PaymentNotification;
import io.tollgate.model.ProductCode;
import io.tollgate.model.RefundNotification;
import io.tollgate.model.RefundRequest;
import io.tollgate.model.TerminalType;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A shop in one file: it starts a payment, receives the webhook, and refunds.
 *
 * <pre>
 *   npx --no tollgate dev                                    in one terminal: the gateway, and the settings
 *   javac -d classes -sourcepath tollgate-java Shop.java     in another
 *   java -cp classes Shop
 * </pre>
 */
public final class Shop {
  private static final int PORT = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
  private static final String SHOP_URL = "http://127.0.0.1:" + PORT;
  private static final CompletableFuture<String> PAID = new CompletableFuture<>();

  private final Tollgate client;

  private Shop(Tollgate client) {
    this.client = client;
  }

  public static void main(String[] words) throws IOException {
    var settings = readSettings();
    if (!settings.containsKey("TOLLGATE_CLIENT_ID")) {
      System.err.println("No settings found. Start the gateway in this folder first: npx --no tollgate dev");
      System.exit(1);
    }
    var shop = new Shop(Tollgate.builder().environmentVariables(settings::get).build());
    shop.listen();
    shop.sell();
  }

  private void listen() throws IOException {
    try {
      var server = HttpServer.create(new InetSocketAddress("127.0.0.1", PORT), 0);
      server.createContext("/notify", this::takeNotification);
      server.createContext("/", exchange -> answer(exchange, 200, "Thank you. See the terminal for the result.\n"));
      server.start();
    } catch (BindException taken) {
      System.err.println("Port " + PORT + " is in use. Choose another: PORT=3001 java -cp classes Shop");
      System.exit(1);
    }
  }

  /** Reads address, client id and keys, as {@code tollgate dev} writes them. Environment variables have precedence. */
  private static Map<String, String> readSettings() throws IOException {
    var settings = new HashMap<>(System.getenv());
    for (var file : List.of(Path.of(".env"), Path.of(".tollgate/.env"))) {
      for (var line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
        var parts = line.split("=", 2);
        if (parts[0].startsWith("TOLLGATE_") && parts.length == 2) settings.putIfAbsent(parts[0], parts[1]);
      }
    }
    return settings;
  }

  private void sell() {
    var price = Money.of("EUR", "12.50");
    var payment = client.payments().pay(PayRequest.builder()
        .productCode(ProductCode.CASHIER_PAYMENT)
        // Store this id with the order before you send the request: repeats with this id are the same payment.
        .paymentRequestId(Tollgate.newRequestId("order-1001"))
        .order(Order.builder()
            .referenceOrderId("order-1001")
            .orderDescription("Two coffees")
            .orderAmount(price)
            .build())
        .paymentAmount(price)
        .paymentMethod(PaymentMethod.builder().paymentMethodType("GCASH").build())
        .paymentRedirectUrl(SHOP_URL + "/thanks")
        .paymentNotifyUrl(SHOP_URL + "/notify")
        .env(Env.builder().terminalType(TerminalType.WEB).build())
        .build());
    System.out.println("Pay as the buyer at " + payment.normalUrl());
    System.out.println("or with: npx --no tollgate approve " + payment.paymentId());

    var refund = client.payments().refund(RefundRequest.builder()
        .paymentId(PAID.join())
        .refundRequestId(Tollgate.newRequestId("refund-1001"))
        .refundAmount(price)
        .refundNotifyUrl(SHOP_URL + "/notify")
        .build());
    System.out.println("refunded: " + refund.result().resultCode());
    System.out.println("Still listening. Ctrl-C stops it.");
  }

  /**
   * Verifies, applies and acknowledges a webhook. If the response is not the acknowledgement, the gateway sends
   * the webhook again.
   */
  private void takeNotification(HttpExchange exchange) throws IOException {
    // Read the raw bytes: the signature covers these bytes, and not JSON that was parsed and written again.
    var body = exchange.getRequestBody().readAllBytes();
    var path = exchange.getRequestURI().toString();
    try {
      apply(client.webhooks().construct(Incoming.post(path, exchange.getRequestHeaders(), body)));
      answer(exchange, 200, client.webhooks().ack());
    } catch (SignatureVerificationException problem) {
      System.err.println("refused: " + problem.getMessage());
      answer(exchange, 401, "");
    }
  }

  /** Update your order here, once and in a transaction: {@code ApplyOnce} of the library does this. */
  private static void apply(Notification notification) {
    if (notification.body() instanceof PaymentNotification payment) {
      var result = payment.result();
      System.out.println("verified notifyPayment: " + result.resultCode() + ", payment " + payment.paymentId());
      // Check `isPaid` and never resultStatus: a pending payment has the result status S as well.
      if (payment.isPaid()) PAID.complete(payment.paymentId());
    } else if (notification.body() instanceof RefundNotification refund) {
      System.out.println("verified notifyRefund: " + refund.refundStatus() + ", refund " + refund.refundId());
    } else {
      System.out.println("verified " + notification.kind());
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    try (exchange) {
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", body.startsWith("{") ? "application/json" : "text/plain");
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
