package io.tollgate.life;

import static io.tollgate.life.Steps.check;
import static io.tollgate.life.Steps.step;
import static io.tollgate.life.Steps.thrownBy;

import io.tollgate.CallOptions;
import io.tollgate.EventsOptions;
import io.tollgate.Money;
import io.tollgate.Tollgate;
import io.tollgate.exception.ConnectionException;
import io.tollgate.exception.DeclinedException;
import io.tollgate.exception.GatewayException;
import io.tollgate.exception.HttpStatusException;
import io.tollgate.exception.IdempotencyConflictException;
import io.tollgate.exception.NotFoundException;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.exception.TimeoutException;
import io.tollgate.model.AcceptDisputeRequest;
import io.tollgate.model.ApplyTokenRequest;
import io.tollgate.model.AuthorizationConsultRequest;
import io.tollgate.model.AuthorizationConsultRequestEnv;
import io.tollgate.model.ChangeEndpointsRequest;
import io.tollgate.model.DisputeNotification;
import io.tollgate.model.GrantType;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.model.InquiryRefundRequest;
import io.tollgate.model.NotificationKind;
import io.tollgate.model.NotifyUrl;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PaymentMethod;
import io.tollgate.model.PaymentNotification;
import io.tollgate.model.PaymentStatus;
import io.tollgate.model.ProductCode;
import io.tollgate.model.RefundNotification;
import io.tollgate.model.RefundRequest;
import io.tollgate.model.RefundStatus;
import io.tollgate.model.RevokeRequest;
import io.tollgate.model.Scope;
import io.tollgate.model.TerminalType;
import io.tollgate.model.Transaction;
import io.tollgate.model.TransactionType;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The payment lifecycle with the Java library, against a real gateway, and through the fault proxy. */
public final class Life {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Map<String, Class<? extends GatewayException>> EXPECTED = Map.of(
      "reset", ConnectionException.class,
      "hang", TimeoutException.class,
      "status-500", HttpStatusException.class,
      "truncate", ConnectionException.class);

  private final Surroundings surroundings = new Surroundings();
  private final Shop shop = new Shop(surroundings);
  private final Tollgate client = surroundings.client(System.getenv("BASE_URL")).build();
  private final Tollgate shaky =
      surroundings.client(System.getenv("PROXY_URL")).timeout(Duration.ofSeconds(2)).build();
  private final PayRequest request = shop.payRequest();
  private String paymentId;

  private Life() {}

  public static void main(String[] parameters) {
    var life = new Life();
    life.online();
    life.refusals();
    life.others();
    life.faults();
    System.exit(Steps.hasFailed() ? 1 : 0);
  }

  private void online() {
    step("pay", () -> {
      var answer = client.payments().pay(request);
      check(answer.isPending() && answer.normalUrl() != null, answer);
      paymentId = answer.paymentId();
    });
    step("approve", () -> {
      surroundings.control("payments/" + paymentId + "/approve", Map.of());
      var paid = client.payments().waitForFinal(byId(paymentId), PATIENCE);
      check(paid.paymentStatus().equals(PaymentStatus.SUCCESS), paid);
    });
    step("notification", () -> {
      var told = surroundings.hear(client, paymentId, "notifyPayment");
      check(told.body() instanceof PaymentNotification payment
          && payment.paymentRequestId().equals(request.paymentRequestId()), told);
      check(told.subject().equals("notifyPayment " + paymentId), told);
    });
    step("refund-part", this::refundPart);
    step("refund-notification", () -> {
      var told = surroundings.hear(client, paymentId, "notifyRefund");
      check(told.body() instanceof RefundNotification refund
          && refund.refundStatus().equals(RefundStatus.SUCCESS), told);
    });
    step("inquiry", () -> {
      var answer = client.payments().inquiryPayment(byRequest(request));
      check(answer.paymentStatus().equals(PaymentStatus.SUCCESS), answer);
      var types = answer.transactions().stream().map(Transaction::transactionType).toList();
      check(types.equals(List.of(TransactionType.REFUND)), answer);
    });
    step("feed", this::feed);
  }

  private void feed() throws Exception {
    var awaited = "notifyPayment " + paymentId;
    int count = 0;
    for (var event : client.tollgate().events(EventsOptions.DEFAULT.withFollow(true))) {
      if (!event.subject().equals(awaited)) continue;
      count += 1;
      if (count == 2) return;
      var other = client.payments().pay(shop.payRequest()).paymentId();
      surroundings.control("payments/" + other + "/approve", Map.of());
      awaited = "notifyPayment " + other;
    }
  }

  private void refundPart() {
    var amount = Money.of("EUR", "2.50");
    var refundRequestId = Tollgate.newRequestId("refund");
    var refund = client.payments().refund(RefundRequest.builder()
        .refundRequestId(refundRequestId)
        .paymentId(paymentId)
        .refundAmount(amount)
        .refundNotifyUrl(surroundings.mailbox() + "/notify")
        .build());
    check(refund.isSuccess() || refund.isPending(), refund);
    var inquiry = InquiryRefundRequest.builder().refundRequestId(refundRequestId).build();
    var end = client.payments().waitForFinalRefund(inquiry, PATIENCE);
    check(end.refundStatus().equals(RefundStatus.SUCCESS), end);
    check(Money.from(end.refundAmount()).equals(amount), end);
  }

  private void refusals() {
    step("repeat", () -> {
      var again = client.payments().pay(request);
      check(again.isSuccess() && again.paymentId().equals(paymentId), again);
    });
    step("conflict", () -> {
      var price = Money.of("EUR", "13");
      var other = request.toBuilder()
          .order(request.order().toBuilder().orderAmount(price).build())
          .paymentAmount(price)
          .build();
      thrownBy(IdempotencyConflictException.class, () -> client.payments().pay(other));
    });
    step("declined", () -> {
      var poor = shop.inStore(Map.of("declines", "USER_BALANCE_NOT_ENOUGH"));
      var refusal = thrownBy(DeclinedException.class, () -> client.payments().pay(poor));
      check(refusal.code().equals("USER_BALANCE_NOT_ENOUGH"), refusal);
      check(refusal.requestId().equals(poor.paymentRequestId()), refusal);
    });
    step("not-found", () ->
        thrownBy(NotFoundException.class, () -> client.payments().inquiryPayment(byId("20260101000000"))));
  }

  private void others() {
    step("in-store", () -> {
      var scanned = shop.inStore(Map.of());
      var answer = client.payments().pay(scanned);
      check(answer.isSuccess()
          || client.payments().waitForFinal(byRequest(scanned)).paymentStatus().equals(PaymentStatus.SUCCESS), answer);
    });
    step("authorization", this::authorize);
    step("dispute", this::dispute);
  }

  private void authorize() throws Exception {
    var state = Tollgate.newRequestId("state");
    client.authorizations().consult(AuthorizationConsultRequest.builder()
        .customerBelongsTo("GCASH")
        .authRedirectUrl("https://shop.example/linked")
        .scopes(Scope.AGREEMENT_PAY)
        .authState(state)
        .env(AuthorizationConsultRequestEnv.builder().terminalType(TerminalType.WEB).build())
        .build());
    var agreed = surroundings.control("authorizations/" + state + "/agree", Map.of());
    var token = client.authorizations().applyToken(ApplyTokenRequest.builder()
        .grantType(GrantType.AUTHORIZATION_CODE)
        .customerBelongsTo("GCASH")
        .authCode(codeIn((String) agreed.get("redirectUrl")))
        .build()).accessToken();
    var paid = client.payments().pay(shop.payRequest().toBuilder()
        .productCode(ProductCode.AGREEMENT_PAYMENT)
        .paymentMethod(PaymentMethod.builder().paymentMethodType("GCASH").paymentMethodId(token).build())
        .build());
    check(paid.isSuccess(), paid);
    var revoked = client.authorizations().revoke(RevokeRequest.builder().accessToken(token).build());
    check(revoked.isSuccess(), revoked);
  }

  private static String codeIn(String redirectUrl) {
    var code = Pattern.compile("[?&]authCode=([^&]+)").matcher(redirectUrl);
    check(code.find(), redirectUrl);
    return URLDecoder.decode(code.group(1), StandardCharsets.UTF_8);
  }

  private void dispute() throws Exception {
    var id = client.payments().pay(shop.payRequest()).paymentId();
    surroundings.control("payments/" + id + "/approve", Map.of());
    client.payments().waitForFinal(byId(id), PATIENCE);
    client.tollgate().changeEndpoints(ChangeEndpointsRequest.builder()
        .notifyUrls(NotifyUrl.builder()
            .notificationKind(NotificationKind.NOTIFY_DISPUTE)
            .url(surroundings.mailbox() + "/notify")
            .build())
        .build());
    surroundings.control("payments/" + id + "/dispute", Map.of());
    var told = surroundings.hear(client, id, "notifyDispute");
    check(told.body() instanceof DisputeNotification, told);
    var disputeId = ((DisputeNotification) told.body()).disputeId();
    var accepted = client.payments().acceptDispute(AcceptDisputeRequest.builder().disputeId(disputeId).build());
    check(accepted.isSuccess(), accepted);
  }

  private void faults() {
    for (var kind : List.of("reset", "hang", "status-500", "truncate")) {
      step("fault-" + kind, () -> {
        var once = shop.payRequest();
        surroundings.spoil(kind);
        var answer = shaky.payments().pay(once);
        check(answer.attempts() == 2, answer.attempts());
        paidOnce(once, answer.paymentId());
      });
    }
    step("fault-tamper", () -> {
      var once = shop.payRequest();
      surroundings.spoil("tamper");
      thrownBy(SignatureVerificationException.class, () -> shaky.payments().pay(once));
      paidOnce(once, shaky.payments().pay(once).paymentId());
    });
    for (var kind : List.of("reset", "hang", "status-500", "truncate")) {
      step("fault-" + kind + "-no-retries", () -> {
        var once = shop.payRequest();
        surroundings.spoil(kind);
        var noRetries = CallOptions.DEFAULT.withMaxRetries(0);
        thrownBy(EXPECTED.get(kind), () -> shaky.payments().pay(once, noRetries));
        paidOnce(once, shaky.payments().pay(once).paymentId());
      });
    }
  }

  /** Checks that there is one payment, and one order at the provider, however often the request was sent. */
  private void paidOnce(PayRequest sent, String id) throws Exception {
    check(id != null && id.equals(client.payments().inquiryPayment(byRequest(sent)).paymentId()), id);
    var orders = (List<?>) surroundings.ordersOf(id).get("orders");
    check(orders.size() <= 1, orders);
  }

  private static InquiryPaymentRequest byId(String paymentId) {
    return InquiryPaymentRequest.builder().paymentId(paymentId).build();
  }

  private static InquiryPaymentRequest byRequest(PayRequest sent) {
    return InquiryPaymentRequest.builder().paymentRequestId(sent.paymentRequestId()).build();
  }
}
