package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.Money;
import io.tollgate.Tollgate;
import io.tollgate.model.Env;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.model.Order;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.PaymentStatus;
import io.tollgate.model.ProductCode;
import io.tollgate.model.TerminalType;
import io.tollgate.testing.StartedTollgate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests with a complete gateway, as a shop would write them. {@code npm run test:clients -- packages} shows
 * how to start it.
 */
@ExtendWith(TollgateExtension.class)
@EnabledIfEnvironmentVariable(named = "TOLLGATE_COMMAND", matches = ".+")
class StartedTollgateTest {
  @Test
  void theBuyerPays(StartedTollgate tollgate) {
    var paymentId = pay(tollgate);
    tollgate.approve(paymentId);
    assertEquals(PaymentStatus.SUCCESS, statusOf(tollgate, paymentId));
  }

  @Test
  void theBuyerRefuses(StartedTollgate tollgate) {
    var paymentId = pay(tollgate);
    tollgate.decline(paymentId);
    assertEquals(PaymentStatus.FAIL, statusOf(tollgate, paymentId));
    var problem = assertThrows(IllegalStateException.class, () -> tollgate.approve("none"));
    assertTrue(problem.getMessage().startsWith("The sandbox provider could not approve payment none"));
  }

  @Test
  void reportsACommandThatDoesNotStartWithAFix() {
    var problem = assertThrows(
        IllegalStateException.class, () -> StartedTollgate.start("echo Never heard of >&2; exit 3;"));
    assertTrue(problem.getMessage().startsWith("Tollgate ended with 3 before it was ready."));
    assertTrue(problem.getMessage().endsWith("can set another command.\nNever heard of"));
  }

  private static PaymentStatus statusOf(StartedTollgate tollgate, String paymentId) {
    var inquiry = InquiryPaymentRequest.builder().paymentId(paymentId).build();
    return tollgate.client().payments().waitForFinal(inquiry).paymentStatus();
  }

  private static String pay(StartedTollgate tollgate) {
    var price = Money.of("EUR", "12.50");
    return tollgate.client().payments().pay(PayRequest.builder()
        .productCode(ProductCode.CASHIER_PAYMENT)
        .paymentRequestId(Tollgate.newRequestId("test"))
        .order(Order.builder()
            .referenceOrderId("order-1")
            .orderDescription("Two coffees")
            .orderAmount(price)
            .build())
        .paymentAmount(price)
        .paymentMethod(PaymentMethod.builder().paymentMethodType("GCASH").build())
        .paymentRedirectUrl("https://shop.example/thanks")
        .env(Env.builder().terminalType(TerminalType.WEB).build())
        .build())
        .paymentId();
  }
}
