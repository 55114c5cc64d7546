package io.tollgate;

import io.tollgate.model.Order;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.ProductCode;
import io.tollgate.testing.FakeClock;
import io.tollgate.testing.FakeGateway;
import io.tollgate.testing.Reply;
import io.tollgate.testing.TestKeys;

/** A merchant for tests. */
final class Shop {
  static final TestKeys KEYS = TestKeys.generate();
  static final TestKeys GATEWAY_KEYS = TestKeys.generate();

  private Shop() {}

  static TollgateBuilder client(Transport transport) {
    return Tollgate.builder()
        .environmentVariables(name -> null)
        .clientId("SANDBOX_5YTEST")
        .privateKey(KEYS.privateKey())
        .gatewayPublicKey(GATEWAY_KEYS.publicKey())
        .baseUrl("https://gateway.example")
        .transport(transport)
        .clock(new FakeClock());
  }

  static FakeGateway gateway(Reply... replies) {
    return new FakeGateway(GATEWAY_KEYS, replies);
  }

  static PayRequest order() {
    var price = Money.of("EUR", "12.50");
    return PayRequest.builder()
        .productCode(ProductCode.CASHIER_PAYMENT)
        .paymentRequestId("order-1001")
        .order(Order.builder().referenceOrderId("1001").orderDescription("Two coffees").orderAmount(price).build())
        .paymentAmount(price)
        .paymentMethod(PaymentMethod.builder().paymentMethodType("GCASH").build())
        .build();
  }
}
