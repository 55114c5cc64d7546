package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tollgate.exception.NotFoundException;
import io.tollgate.exception.TimeoutException;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.model.PaymentStatus;
import io.tollgate.testing.FakeClock;
import io.tollgate.testing.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitForFinalTest {
  private static final InquiryPaymentRequest PAYMENT = InquiryPaymentRequest.builder().paymentId("p-1").build();

  private final FakeClock clock = new FakeClock();

  @Test
  void pollsUntilThePaymentIsFinal() {
    var payments = paymentsOf(status("PROCESSING"), status("PENDING"), status("SUCCESS"));
    assertEquals(PaymentStatus.SUCCESS, payments.waitForFinal(PAYMENT).paymentStatus());
    assertEquals(List.of(Duration.ofMillis(500), Duration.ofMillis(750)), clock.slept());
  }

  @Test
  void continuesAfterTemporaryFaults() {
    var busy = Reply.of("busy").withStatus(503);
    var payments = paymentsOf(Reply.reset(), Reply.reset(), Reply.reset(), busy, busy, busy, status("FAIL"));
    assertEquals(PaymentStatus.FAIL, payments.waitForFinal(PAYMENT).paymentStatus());
  }

  @Test
  void stopsAtARejection() {
    var payments = paymentsOf(Reply.result("ORDER_NOT_EXIST", "F"));
    assertThrows(NotFoundException.class, () -> payments.waitForFinal(PAYMENT));
  }

  @Test
  void reportsTheStatusOnTimeout() {
    var payments = paymentsOf(status("PROCESSING"), status("PROCESSING"));
    var problem = assertThrows(TimeoutException.class, () -> payments.waitForFinal(PAYMENT, Duration.ofSeconds(1)));
    assertEquals("The payment is not final after 1000 ms: PROCESSING.", problem.getMessage());
  }

  private Payments paymentsOf(Reply... replies) {
    return Shop.client(Shop.gateway(replies)).clock(clock).build().payments();
  }

  private static Reply status(String status) {
    return Reply.of("""
        {"result":{"resultCode":"SUCCESS","resultStatus":"S"},"paymentStatus":"%s"}""".formatted(status));
  }
}
