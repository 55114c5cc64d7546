import io.tollgate.Money;
import io.tollgate.Tollgate;
import io.tollgate.exception.DeclinedException;
import io.tollgate.exception.GatewayException;
import io.tollgate.model.Env;
import io.tollgate.model.Order;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.ProductCode;
import io.tollgate.model.TerminalType;

class Pay {
  public static void main(String[] parameters) {
    // Client id, keys and base URL come from TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY,
    // TOLLGATE_GATEWAY_PUBLIC_KEY and TOLLGATE_BASE_URL. Create one client and reuse it.
    var client = Tollgate.builder().environment("sandbox").build();

    // Store this id with the order before the call. A retry must use the same id.
    var paymentRequestId = Tollgate.newRequestId("order-1001");
    var price = Money.of("EUR", "12.50");

    try {
      var payment = client.payments().pay(PayRequest.builder()
          .productCode(ProductCode.CASHIER_PAYMENT)
          .paymentRequestId(paymentRequestId)
          .order(Order.builder()
              .referenceOrderId("order-1001")
              .orderDescription("Two coffees")
              .orderAmount(price)
              .build())
          .paymentAmount(price)
          .paymentMethod(PaymentMethod.builder().paymentMethodType("GCASH").build())
          .paymentRedirectUrl("https://shop.example/thanks")
          // Without this URL you get no webhook; see Notify.java.
          .paymentNotifyUrl("https://shop.example/notify?shop=1")
          .env(Env.builder().terminalType(TerminalType.WEB).build())
          .build());
      // Usually `isPending` is true: the buyer pays at `normalUrl`, and a webhook reports the outcome.
      if (payment.isPending()) System.out.println("Send the buyer to " + payment.normalUrl());
      System.out.println("payment " + payment.paymentId());
    } catch (DeclinedException problem) {
      System.out.println("Offer another method: " + problem.code());
      throw problem;
    } catch (GatewayException problem) {
      System.out.println(problem.getMessage() + " " + problem.requestId() + " " + problem.traceId());
      throw problem;
    }
  }
}
