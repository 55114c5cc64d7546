import io.tollgate.ByCodeOptions;
import io.tollgate.Money;
import io.tollgate.TillResult;
import io.tollgate.Tollgate;
import io.tollgate.model.InStorePaymentScenario;
import io.tollgate.model.Merchant;
import io.tollgate.model.Order;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentFactor;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.ProductCode;
import io.tollgate.model.Store;
import io.tollgate.model.StoreEnv;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

class AtTheTill {
  public static void main(String[] parameters) {
    var client = Tollgate.fromEnvironment();
    var options = ByCodeOptions.DEFAULT.withOnState(state -> System.out.println("… " + state));

    // Store the id before the call. After a crash of the point of sale, finishByCode continues with it.
    var result = client.payments().payByCode(request(System.getenv("PAYMENT_CODE")), options);
    if (result instanceof TillResult.Paid paid) {
      System.out.println("Paid at the till: " + paid.paymentId());
    } else if (result instanceof TillResult.Declined declined) {
      System.out.println("Not paid: " + declined.resultCode() + ". " + declined.advice());
    } else if (result instanceof TillResult.Cancelled cancelled) {
      System.out.println("Cancelled. " + (Boolean.TRUE.equals(cancelled.moneyBack()) ? "The money is returned." : ""));
    } else {
      System.out.println("Keep the goods, and finish " + result.paymentRequestId() + " later.");
    }
  }

  /** @param paymentCode the code that the scanner read from the buyer's phone */
  static PayRequest request(String paymentCode) {
    var price = Money.of("EUR", "4.20");
    var now = OffsetDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssxxx"));
    return PayRequest.builder()
        .productCode(ProductCode.IN_STORE_PAYMENT)
        .paymentRequestId(Tollgate.newRequestId("till-1"))
        .paymentFactor(
            PaymentFactor.builder().inStorePaymentScenario(InStorePaymentScenario.PAYMENT_CODE).build())
        .order(Order.builder()
            .referenceOrderId("receipt-77")
            .orderDescription("One coffee")
            .orderAmount(price)
            .merchant(Merchant.builder()
                .referenceMerchantId("m-1")
                .merchantName("Coffee Lab")
                .merchantMCC("5814")
                .store(Store.builder()
                    .referenceStoreId("store-1")
                    .storeName("Coffee Lab, Harbour")
                    .storeMCC("5814")
                    .build())
                .build())
            .env(StoreEnv.builder().storeTerminalId("till-1").storeTerminalRequestTime(now).build())
            .build())
        .paymentAmount(price)
        .paymentMethod(
            PaymentMethod.builder().paymentMethodType("CONNECT_WALLET").paymentMethodId(paymentCode).build())
        .paymentNotifyUrl("https://shop.example/notify")
        .build();
  }
}
