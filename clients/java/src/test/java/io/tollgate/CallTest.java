package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.ConnectionException;
import io.tollgate.exception.DeclinedException;
import io.tollgate.exception.MalformedResponseException;
import io.tollgate.exception.RateLimitException;
import io.tollgate.exception.TimeoutException;
import io.tollgate.model.ChangeEndpointsRequest;
import io.tollgate.testing.FakeClock;
import io.tollgate.testing.Reply;
import io.tollgate.testing.RequestVerifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CallTest {
  private static final Reply PAID = Reply.of(
      "{\"result\":{\"resultCode\":\"SUCCESS\",\"resultStatus\":\"S\",\"resultMessage\":\"\"},\"paymentId\":\"p-1\"}");

  @Test
  void signsRequestsWithTheMerchantsKey() {
    var gateway = Shop.gateway(PAID.withHeader("request-id", "trace-1"));
    var answer = Shop.client(gateway).build().payments().pay(Shop.order());

    assertEquals("p-1", answer.paymentId());
    assertTrue(answer.isSuccess());
    assertEquals("trace-1", answer.traceId());
    var sent = gateway.requests().get(0);
    assertEquals("https://gateway.example/ams/sandbox/api/v1/payments/pay", sent.url().toString());
    var body = RequestVerifier.verifyRequest(sent, Shop.KEYS.publicKey());
    assertEquals("order-1001", body.get("paymentRequestId"));
    assertEquals(Map.of("currency", "EUR", "value", "1250"), body.get("paymentAmount"));
    assertFalse(body.containsKey("metadata"));
  }

  @Test
  void repeatsTheSameBodyUnderANewTimeAndSignature() {
    var gateway = Shop.gateway(Reply.reset(), Reply.result("UNKNOWN_EXCEPTION", "U"), PAID);
    var answer = Shop.client(gateway).build().payments().pay(Shop.order());

    assertEquals(3, answer.attempts());
    var first = gateway.requests().get(0);
    for (var later : gateway.requests().subList(1, 3)) {
      assertArrayEquals(first.body(), later.body());
      assertNotEquals(first.headers().get("request-time"), later.headers().get("request-time"));
      assertNotEquals(first.headers().get("signature"), later.headers().get("signature"));
    }
  }

  @Test
  void respectsRetryAfter() {
    var clock = new FakeClock();
    var gateway = Shop.gateway(Reply.of("busy").withStatus(429).withHeader("retry-after", "7"), PAID);
    Shop.client(gateway).clock(clock).build().payments().pay(Shop.order());
    assertEquals(List.of(Duration.ofSeconds(7)), clock.slept());
  }

  @Test
  void stopsWhenRetryAfterIsMoreThanAMinute() {
    var gateway = Shop.gateway(Reply.result("REQUEST_TRAFFIC_EXCEED_LIMIT", "U").withHeader("retry-after", "61"));
    var client = Shop.client(gateway).build();
    var problem = assertThrows(RateLimitException.class, () -> client.payments().pay(Shop.order()));
    assertEquals(1, problem.attempts());
  }

  @Test
  void doesNotRetryANonRepeatableRequest() {
    var gateway = Shop.gateway(Reply.reset());
    var client = Shop.client(gateway).build();
    var request = ChangeEndpointsRequest.builder().build();
    assertThrows(ConnectionException.class, () -> client.tollgate().changeEndpoints(request));
  }

  @Test
  void returnsAnUnknownOutcomeAsAValue() {
    var gateway = Shop.gateway(Reply.result("PAYMENT_IN_PROCESS", "U"));
    var answer = Shop.client(gateway).build().payments().pay(Shop.order());
    assertTrue(answer.isPending());
    assertEquals(1, answer.attempts());
  }

  @Test
  void throwsARejectionWithAdviceAndTheCallersStackTrace() {
    var client = Shop.client(Shop.gateway(Reply.result("USER_BALANCE_NOT_ENOUGH", "F"))).build();
    var problem = assertThrows(DeclinedException.class, () -> client.payments().pay(Shop.order()));
    assertEquals("USER_BALANCE_NOT_ENOUGH", problem.code());
    assertEquals("order-1001", problem.requestId());
    assertEquals("payments/pay", problem.operation());
    assertTrue(problem.getMessage().endsWith(problem.advice()) && !problem.advice().isEmpty());
    var frames = Arrays.stream(problem.getStackTrace()).map(StackTraceElement::getClassName).toList();
    assertTrue(frames.contains(CallTest.class.getName()), frames.toString());
  }

  @Test
  void returnsARejectionIfConfigured() {
    var client = Shop.client(Shop.gateway(Reply.result("USER_BALANCE_NOT_ENOUGH", "F"))).build();
    var answer = client.payments().pay(Shop.order(), CallOptions.DEFAULT.withThrowOnFailure(false));
    assertTrue(answer.isFailure());
  }

  @Test
  void reportsAResponseFieldOfAWrongType() {
    var odd = PAID.json().replace("\"p-1\"", "17");
    var client = Shop.client(Shop.gateway(Reply.of(odd))).build();
    var problem = assertThrows(MalformedResponseException.class, () -> client.payments().pay(Shop.order()));
    assertTrue(problem.getMessage().contains("`paymentId` must be text"), problem.getMessage());
  }

  @Test
  void failsTheFutureInsteadOfThrowing() {
    var client = Shop.client(Shop.gateway(Reply.result("USER_BALANCE_NOT_ENOUGH", "F"))).build();
    var future = client.payments().payAsync(Shop.order());
    var problem = assertThrows(ExecutionException.class, future::get);
    assertInstanceOf(DeclinedException.class, problem.getCause());
  }

  @Test
  void abortsTheRequestWhenTheFutureIsCancelled() {
    var sent = new CompletableFuture<TransportResponse>();
    var future = Shop.client(request -> sent).build().payments().payAsync(Shop.order());
    future.cancel(true);
    assertTrue(sent.isCancelled());
  }

  @Test
  void abortsTheRequestOnTimeout() {
    var sent = new CompletableFuture<TransportResponse>();
    var client = Shop.client(request -> sent).timeout(Duration.ofMillis(50)).maxRetries(0).build();
    assertTimeoutPreemptively(Duration.ofSeconds(5), () ->
        assertThrows(TimeoutException.class, () -> client.payments().pay(Shop.order())));
    assertTrue(sent.isCancelled());
  }

  @Test
  void keepsTheInterruptOfAThread() {
    var client = Shop.client(request -> new CompletableFuture<>()).build();
    Thread.currentThread().interrupt();
    var problem = assertThrows(ConnectionException.class, () -> client.payments().pay(Shop.order()));
    assertTrue(Thread.interrupted());
    assertEquals("order-1001", problem.requestId());
  }

  @Test
  void logsWithoutSecrets() {
    var entries = new ArrayList<LogEntry>();
    var order = Shop.order();
    var code = order.paymentMethod().toBuilder().paymentMethodId("281012020262467128").build();
    var gateway = Shop.gateway(Reply.reset(), PAID);
    Shop.client(gateway).logger(entries::add).build().payments().pay(order.toBuilder().paymentMethod(code).build());

    var kinds = entries.stream().map(entry -> entry.getClass().getSimpleName()).toList();
    assertEquals(List.of("Request", "Response", "Retry", "Response"), kinds);
    assertFalse(entries.toString().contains("281012020262467128"), entries.toString());
    assertTrue(entries.toString().contains("[hidden]"));
  }

  @Test
  void doesNotFailWhenTheLoggerThrows() {
    Logger broken = entry -> {
      throw new IllegalStateException("The disk is full.");
    };
    assertTrue(Shop.client(Shop.gateway(PAID)).logger(broken).build().payments().pay(Shop.order()).isSuccess());
  }

  @Test
  void callsOperationsThatItDoesNotKnow() {
    var gateway = Shop.gateway(Reply.of(PAID.json()));
    var answer = Shop.client(gateway).build().request("vouchers/issue", Map.of("voucherId", "v-1"));
    assertEquals("p-1", answer.fields().get("paymentId"));
    assertEquals("/ams/sandbox/api/v1/vouchers/issue", gateway.requests().get(0).url().getPath());
    var client = Shop.client(gateway).build();
    assertThrows(ConfigurationException.class, () -> client.request("../secrets", Map.of()));
  }
}
