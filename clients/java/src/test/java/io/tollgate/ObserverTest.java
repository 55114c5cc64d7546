package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.NotFoundException;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.testing.Reply;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ObserverTest {
  @Test
  void receivesStartAndEnd() {
    var told = new CopyOnWriteArrayList<String>();
    var gateway =
        Shop.gateway(Reply.reset(), Reply.result("SUCCESS", "S"), Reply.result("ORDER_NOT_EXIST", "F"));
    var client = Shop.client(gateway).observer(call -> {
      told.add(call.operation() + " " + call.requestId());
      return end -> told.add(end.outcome() + " " + end.attempts() + " " + (end.problem() == null));
    }).build();
    client.payments().inquiryPayment(inquiry("o-1"));
    assertThrows(NotFoundException.class, () -> client.payments().inquiryPayment(inquiry("o-2")));
    assertEquals(
        List.of("payments/inquiryPayment o-1", "SUCCESS 2 true",
            "payments/inquiryPayment o-2", "ORDER_NOT_EXIST 1 false"),
        told);
  }

  @Test
  void doesNotMakeAPaymentFailWhenItThrows() {
    Observer atOnce = call -> {
      throw new IllegalStateException("The collector is away.");
    };
    Observer later = call -> end -> {
      throw new IllegalStateException("The collector is away.");
    };
    for (var observer : List.of(atOnce, later)) {
      var client = Shop.client(Shop.gateway(Reply.result("SUCCESS", "S"))).observer(observer).build();
      assertTrue(client.payments().inquiryPayment(inquiry("o-1")).isSuccess());
    }
  }

  @Test
  void reportsAnUnknownLogLevel() {
    var builder = Shop.client(Shop.gateway())
        .environmentVariables(name -> name.equals("TOLLGATE_LOG") ? "loud" : null);
    assertEquals("TOLLGATE_LOG must be debug, info or warn, not loud.",
        assertThrows(ConfigurationException.class, builder::build).getMessage());
  }

  private static InquiryPaymentRequest inquiry(String id) {
    return InquiryPaymentRequest.builder().paymentRequestId(id).build();
  }
}
