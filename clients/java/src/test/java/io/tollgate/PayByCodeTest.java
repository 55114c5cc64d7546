package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.ConnectionException;
import io.tollgate.model.InStorePaymentScenario;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentFactor;
import io.tollgate.testing.FakeClock;
import io.tollgate.testing.FakeGateway;
import io.tollgate.testing.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Tests of payments at a point of sale that are specific to this language. clients/conformance/by-code.json
 * tests the steps after each response in all languages.
 */
class PayByCodeTest {
  private static final Reply PENDING = Reply.result("PAYMENT_IN_PROCESS", "U");
  private static final Reply CANCEL = Reply.of("""
      {"result":{"resultCode":"SUCCESS","resultStatus":"S"},"cancelTime":"2026-11-15T09:31:00+00:00"}""");

  private final FakeClock clock = new FakeClock();
  private FakeGateway gateway;

  @Test
  void usesTheDefaultPauses() {
    var replies = Stream.of(List.of(PENDING), Collections.nCopies(9, status("PROCESSING")), resets(6));
    var result = paymentsOf(replies.flatMap(List::stream).toArray(Reply[]::new)).payByCode(scanned());
    assertInstanceOf(TillResult.Unknown.class, result);
    assertEquals(seconds(2, 3, 3, 5, 5, 5, 5, 5, 5, 2, 3, 3, 5, 5), clock.slept());
  }

  @Test
  void anUnknownResultHasTheIdAndTheCause() {
    var result = paymentsOf(resets(16).toArray(Reply[]::new)).payByCode(scanned());
    var unknown = assertInstanceOf(TillResult.Unknown.class, result);
    assertEquals("order-1001", unknown.paymentRequestId());
    assertInstanceOf(ConnectionException.class, unknown.cause());
    assertTrue(unknown.advice().contains("finishByCode"));
  }

  @Test
  void anErrorInATransportKeepsTheId() {
    Transport broken = request -> {
      throw new IllegalStateException("A bug.");
    };
    var payments = Shop.client(broken).clock(clock).build().payments();
    assertEquals("order-1001", payments.payByCode(scanned()).paymentRequestId());
  }

  @Test
  void aStopDuringAPauseCancelsThePayment() {
    var stop = new CompletableFuture<Void>();
    var impatient = new Clock() {
      @Override
      public Instant now() {
        return clock.now();
      }

      @Override
      public CompletableFuture<Void> sleep(Duration duration) {
        stop.complete(null);
        return new CompletableFuture<>();
      }
    };
    gateway = Shop.gateway(PENDING, CANCEL, status("CANCELLED"));
    var payments = Shop.client(gateway).clock(impatient).build().payments();
    var result = payments.payByCode(scanned(), ByCodeOptions.DEFAULT.withStop(stop));
    assertEquals(false, assertInstanceOf(TillResult.Cancelled.class, result).moneyBack());
    assertEquals(List.of("pay", "cancel", "inquiryPayment"), calls());
  }

  @Test
  void aStopDuringTheRequestCancelsThePayment() {
    var stop = new CompletableFuture<Void>();
    gateway = Shop.gateway(CANCEL, status("CANCELLED"));
    Transport hanging = request -> {
      if (!request.url().getPath().endsWith("/pay")) return gateway.send(request);
      stop.complete(null);
      return new CompletableFuture<>();
    };
    var payments = Shop.client(hanging).clock(clock).build().payments();
    var result = payments.payByCode(scanned(), ByCodeOptions.DEFAULT.withStop(stop));
    assertInstanceOf(TillResult.Cancelled.class, result);
  }

  @Test
  void anInterruptionGivesAnUnknownResult() {
    Transport hanging = request -> new CompletableFuture<>();
    var payments = Shop.client(hanging).clock(clock).build().payments();
    Thread.currentThread().interrupt();
    var result = payments.payByCode(scanned());
    assertTrue(Thread.interrupted());
    assertEquals("order-1001", assertInstanceOf(TillResult.Unknown.class, result).paymentRequestId());
  }

  @Test
  void sendsNothingMoreWhenTheFutureIsCancelled() {
    var paused = new CompletableFuture<Void>();
    var standing = new Clock() {
      @Override
      public Instant now() {
        return clock.now();
      }

      @Override
      public CompletableFuture<Void> sleep(Duration duration) {
        return paused;
      }
    };
    gateway = Shop.gateway(PENDING, status("SUCCESS"));
    var payments = Shop.client(gateway).clock(standing).build().payments();
    payments.payByCodeAsync(scanned(), ByCodeOptions.DEFAULT).cancel(true);
    paused.complete(null);
    assertEquals(List.of("pay"), calls());
  }

  @Test
  void continuesWhenADisplayThrows() {
    var heard = new ArrayList<TillState>();
    var options = ByCodeOptions.DEFAULT.withOnState(state -> {
      heard.add(state);
      throw new IllegalStateException("The display is dark.");
    });
    assertInstanceOf(
        TillResult.Paid.class, paymentsOf(Reply.reset(), status("SUCCESS")).payByCode(scanned(), options));
    assertEquals(List.of(TillState.ASKING, TillState.CHECKING), heard);
  }

  @Test
  void doesNotSendARequestOfAnotherKind() {
    var payments = paymentsOf();
    var wrong = List.<Executable>of(
        () -> payments.payByCode(scanned(InStorePaymentScenario.ORDER_CODE)),
        () -> payments.showOrderCode(scanned(InStorePaymentScenario.ENTRY_CODE)),
        () -> payments.openEntryCode(scanned()),
        () -> payments.payByCode(Shop.order()),
        () -> payments.payByCode(scanned().toBuilder().paymentRequestId("").build()),
        () -> payments.payByCode(scanned(), ByCodeOptions.DEFAULT.withInquireAfter(seconds(-1))),
        () -> payments.payByCode(scanned(), ByCodeOptions.DEFAULT.withTimeout(Duration.ZERO)),
        () -> payments.finishByCode(""),
        () -> payments.finishByCode(new ShownOrderCode("1", null, "soon", "text")));
    wrong.forEach(each -> assertThrows(ConfigurationException.class, each));
    assertEquals(List.of(), calls());
  }

  @Test
  void cancelsAnExpiredCode() {
    var shown = Reply.of("""
        {"result":{"resultCode":"SUCCESS","resultStatus":"S"},"paymentCreateTime":"2020-01-01T00:00:00+00:00",
        "orderCodeForm":{"expireTime":"2020-01-01T00:00:20+00:00","paymentMethodType":"GCASH","codeDetails":[
        {"codeValueType":"QRCODE","displayType":"TEXT","codeValue":"https://wallet.example/1"}]}}""");
    var asked = Collections.nCopies(6, status("PROCESSING"));
    var replies = Stream.of(List.of(shown), asked, List.of(CANCEL, status("CANCELLED")));
    var payments = paymentsOf(replies.flatMap(List::stream).toArray(Reply[]::new));
    var result = payments.showOrderCode(scanned(InStorePaymentScenario.ORDER_CODE));
    var code = assertInstanceOf(ShownOrderCode.class, result);
    assertEquals("2026-01-01T00:00:20+00:00", code.endsAt());
    assertEquals("https://wallet.example/1", code.codeText());
    assertFalse(code.toString().contains("wallet.example"));
    assertInstanceOf(TillResult.Cancelled.class, payments.finishByCode(code));
    assertEquals(seconds(2, 3, 3, 5, 5, 2), clock.slept());
  }

  @Test
  void aCodeWithoutExpiryIsValidForThreeMinutes() {
    var opened = Reply.of("""
        {"result":{"resultCode":"SUCCESS","resultStatus":"S"},"redirectActionForm":
        {"method":"GET","redirectUrl":"https://wallet.example/p","actionFormType":"RedirectActionForm"}}""");
    var result = paymentsOf(opened).openEntryCode(scanned(InStorePaymentScenario.ENTRY_CODE));
    assertEquals("2026-01-01T00:03:00+00:00", assertInstanceOf(OpenedEntryCode.class, result).endsAt());
  }

  private Payments paymentsOf(Reply... replies) {
    gateway = Shop.gateway(replies);
    return Shop.client(gateway).clock(clock).build().payments();
  }

  private List<String> calls() {
    return gateway.requests().stream()
        .map(request -> request.url().getPath())
        .map(path -> path.substring(path.lastIndexOf('/') + 1))
        .toList();
  }

  private static PayRequest scanned() {
    return scanned(InStorePaymentScenario.PAYMENT_CODE);
  }

  private static PayRequest scanned(InStorePaymentScenario scenario) {
    var factor = PaymentFactor.builder().inStorePaymentScenario(scenario).build();
    return Shop.order().toBuilder().paymentFactor(factor).build();
  }

  private static List<Reply> resets(int count) {
    return Collections.nCopies(count, Reply.reset());
  }

  private static List<Duration> seconds(long... seconds) {
    return LongStream.of(seconds).mapToObj(Duration::ofSeconds).toList();
  }

  private static Reply status(String status) {
    return Reply.of("""
        {"result":{"resultCode":"SUCCESS","resultStatus":"S"},"paymentStatus":"%s"}""".formatted(status));
  }
}
