package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.MalformedResponseException;
import io.tollgate.exception.SignatureProblem;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.model.NotifyType;
import io.tollgate.model.PaymentNotification;
import io.tollgate.model.UnknownNotification;
import io.tollgate.testing.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WebhooksTest {
  private static final String PATH = "/notify?shop=1";
  private static final String PAID = """
      {"notifyType":"PAYMENT_RESULT","result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success."},
       "paymentId":"p-1","paymentRequestId":"order-1001","paymentCreateTime":"2026-01-01T00:00:00+00:00",
       "sequence":2,"novel":[1]}
      """;

  private final FakeClock clock = new FakeClock();
  private final Webhooks webhooks = Shop.client(Shop.gateway()).clock(clock).build().webhooks();

  @Test
  void readsANotificationThatTheGatewaySigned() {
    var notification = webhooks.construct(signed(PAID));
    assertEquals("notifyPayment", notification.kind());
    assertEquals("notifyPayment p-1", notification.subject());
    assertEquals(2, notification.sequence());
    var payment = assertInstanceOf(PaymentNotification.class, notification.body());
    assertEquals(NotifyType.PAYMENT_RESULT, payment.notifyType());
    assertEquals(Map.of("novel", List.of(1L)), payment.unknownFields());
  }

  @Test
  void aReceiverNeedsNoPrivateKey() {
    var incoming = signed(PAID);
    var receiving = Tollgate.builder().clientId("SANDBOX_5YTEST").clock(clock);
    var trusted = receiving.gatewayPublicKeys(Map.of(1, Shop.GATEWAY_KEYS.publicKey())).buildWebhooks();
    assertEquals("notifyPayment p-1", trusted.construct(incoming).subject());
    var strangers = Webhooks.of("SANDBOX_5YTEST", Shop.KEYS.publicKey());
    var refused = assertThrows(SignatureVerificationException.class, () -> strangers.construct(incoming));
    assertEquals(SignatureProblem.MISMATCH, refused.reason());
    var missing = Tollgate.builder().clientId("SANDBOX_5YTEST").environmentVariables(name -> null);
    assertThrows(ConfigurationException.class, missing::buildWebhooks);
  }

  @Test
  void findsHeadersInAnyCaseAndFromAnyFramework() {
    var body = PAID.getBytes(StandardCharsets.UTF_8);
    var headers = new TreeMap<String, List<String>>();
    webhooks.sign(PATH, body, Shop.GATEWAY_KEYS.privateKey(), 1)
        .forEach((name, value) -> headers.put(name.toUpperCase(), List.of(value)));
    assertEquals("notifyPayment", webhooks.construct(Incoming.post(PATH, headers, body)).kind());
  }

  @Test
  void rejectsChangedWebhooks() {
    var incoming = signed(PAID);
    var other = PAID.replace("order-1001", "order-1002").getBytes(StandardCharsets.UTF_8);
    assertReason(SignatureProblem.MISMATCH, new Incoming("POST", PATH, incoming.headers(), other));
    assertReason(SignatureProblem.MISMATCH, new Incoming("POST", "/notify", incoming.headers(), incoming.body()));
    assertReason(SignatureProblem.MISSING_SIGNATURE, Incoming.post(PATH, name -> List.of(), PAID));
  }

  @Test
  void rejectsOldWebhooks() {
    var incoming = signed(PAID);
    clock.advance(Duration.ofSeconds(300));
    webhooks.construct(incoming);
    clock.advance(Duration.ofSeconds(1));
    assertReason(SignatureProblem.STALE, incoming);
    var patient = Shop.client(Shop.gateway()).clock(clock).webhookTolerance(Duration.ZERO).build().webhooks();
    assertEquals("notifyPayment", patient.construct(incoming).kind());
  }

  @Test
  void keepsUnknownWebhooks() {
    var notification = webhooks.construct(signed("{\"notifyType\":\"SOMETHING_NEW\",\"a\":1}"));
    assertEquals("unknown", notification.kind());
    assertEquals(Map.of("notifyType", "SOMETHING_NEW", "a", 1L),
        assertInstanceOf(UnknownNotification.class, notification.body()).fields());
    assertTrue(notification.subject().matches("unknown [0-9a-f]{64}"));
  }

  @Test
  void reportsASignedBodyThatIsNotAWebhook() {
    assertThrows(MalformedResponseException.class, () -> webhooks.construct(signed("[]")));
  }

  @Test
  void acknowledgesWithTheExactBody() {
    assertEquals("""
        {"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}""", webhooks.ack());
  }

  private Incoming signed(String json) {
    var headers = webhooks.sign(PATH, json.getBytes(StandardCharsets.UTF_8), Shop.GATEWAY_KEYS.privateKey(), 1);
    return Incoming.post(PATH, name -> headers.containsKey(name) ? List.of(headers.get(name)) : List.of(), json);
  }

  private void assertReason(SignatureProblem reason, Incoming incoming) {
    assertEquals(reason,
        assertThrows(SignatureVerificationException.class, () -> webhooks.construct(incoming)).reason());
  }
}
