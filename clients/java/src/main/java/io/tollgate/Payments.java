package io.tollgate;

import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.ConnectionException;
import io.tollgate.internal.call.Caller;
import io.tollgate.internal.call.Waiting;
import io.tollgate.internal.till.Till;
import io.tollgate.model.DisplayType;
import io.tollgate.model.InStorePaymentScenario;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.model.InquiryPaymentResponse;
import io.tollgate.model.InquiryRefundRequest;
import io.tollgate.model.InquiryRefundResponse;
import io.tollgate.model.PayRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The operations of payments, and polling for a final status. */
public final class Payments extends PaymentsArea {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Clock clock;

  Payments(Caller caller, Clock clock) {
    super(caller);
    this.clock = clock;
  }

  /** Polls a payment for up to one minute, see {@link #waitForFinal(InquiryPaymentRequest, Duration)}. */
  public InquiryPaymentResponse waitForFinal(InquiryPaymentRequest payment) {
    return waitForFinal(payment, TIMEOUT);
  }

  /**
   * Polls a payment until it is SUCCESS, FAIL or CANCELLED. When the time is over, the payment itself
   * continues.
   *
   * @throws io.tollgate.exception.TimeoutException if it takes longer
   */
  public InquiryPaymentResponse waitForFinal(InquiryPaymentRequest payment, Duration timeout) {
    return Caller.await(waitForFinalAsync(payment, timeout), CallFacts.NONE);
  }

  /** Like {@link #waitForFinal}, without blocking this thread. */
  public CompletableFuture<InquiryPaymentResponse> waitForFinalAsync(InquiryPaymentRequest payment, Duration timeout) {
    Function<CallOptions, CompletableFuture<InquiryPaymentResponse>> inquire =
        options -> inquiryPaymentAsync(payment, options);
    return new Waiting<>("payment", inquire, InquiryPaymentResponse::paymentStatus, clock, timeout).start();
  }

  /** Polls a refund for up to one minute. */
  public InquiryRefundResponse waitForFinalRefund(InquiryRefundRequest refund) {
    return waitForFinalRefund(refund, TIMEOUT);
  }

  /** Polls a refund until it is SUCCESS or FAIL. */
  public InquiryRefundResponse waitForFinalRefund(InquiryRefundRequest refund, Duration timeout) {
    return Caller.await(waitForFinalRefundAsync(refund, timeout), CallFacts.NONE);
  }

  /** Like {@link #waitForFinalRefund}, without blocking this thread. */
  public CompletableFuture<InquiryRefundResponse> waitForFinalRefundAsync(
      InquiryRefundRequest refund, Duration timeout) {
    Function<CallOptions, CompletableFuture<InquiryRefundResponse>> inquire =
        options -> inquiryRefundAsync(refund, options);
    return new Waiting<>("refund", inquire, InquiryRefundResponse::refundStatus, clock, timeout).start();
  }

  /** Like {@link #payByCode(PayRequest, ByCodeOptions)}, with default options. */
  public TillResult payByCode(PayRequest request) {
    return payByCode(request, ByCodeOptions.DEFAULT);
  }

  /**
   * Takes a payment with the code that the buyer shows ({@code PaymentCode}). If there is no response, it
   * inquires; if the outcome stays unknown, it cancels. It returns the final outcome. After the request is
   * sent, it does not throw: every result has the payment's id. If the thread is interrupted, the result is
   * {@link TillResult.Unknown}.
   *
   * @throws io.tollgate.exception.ConfigurationException before the request is sent
   */
  public TillResult payByCode(PayRequest request, ByCodeOptions options) {
    return untilInterrupted(payByCodeAsync(request, options), unknown -> unknown, request.paymentRequestId());
  }

  /**
   * Like {@link #payByCode}, without blocking this thread. Cancelling the future does not cancel the payment:
   * complete
   * {@code stop} of the options for that.
   */
  public CompletableFuture<TillResult> payByCodeAsync(PayRequest request, ByCodeOptions options) {
    return tillFor(request, "payByCode", InStorePaymentScenario.PAYMENT_CODE, options).pay(request);
  }

  /** Like {@link #showOrderCode(PayRequest, ByCodeOptions)}, with default options. */
  public CodeResult showOrderCode(PayRequest request) {
    return showOrderCode(request, ByCodeOptions.DEFAULT);
  }

  /**
   * Gets a code for the buyer to scan ({@code OrderCode}). The result is a {@link ShownOrderCode}: show it,
   * and wait with
   * {@code finishByCode}. If there is no code, the result is a {@link TillResult} with the reason.
   */
  public CodeResult showOrderCode(PayRequest request, ByCodeOptions options) {
    return untilInterrupted(showOrderCodeAsync(request, options), unknown -> unknown, request.paymentRequestId());
  }

  /** Like {@link #showOrderCode}, without blocking this thread. */
  public CompletableFuture<CodeResult> showOrderCodeAsync(PayRequest request, ByCodeOptions options) {
    var till = tillFor(request, "showOrderCode", InStorePaymentScenario.ORDER_CODE, options);
    return till.open(request, answer -> {
      var form = answer.orderCodeForm();
      if (form == null || form.codeDetails() == null || form.codeDetails().isEmpty()) return null;
      var codes = form.codeDetails();
      var code = codes.stream().filter(each -> DisplayType.TEXT.equals(each.displayType())).findFirst();
      var text = code.orElse(codes.get(0)).codeValue();
      var endsAt = till.endsAt(answer, form.expireTime());
      return new ShownOrderCode(request.paymentRequestId(), till.paymentId(), endsAt, text);
    });
  }

  /** Like {@link #openEntryCode(PayRequest, ByCodeOptions)}, with default options. */
  public CodeResult openEntryCode(PayRequest request) {
    return openEntryCode(request, ByCodeOptions.DEFAULT);
  }

  /**
   * Gets a page for the buyer to open ({@code EntryCode}). The result is an {@link OpenedEntryCode}: send the
   * buyer there, and wait with {@code finishByCode}. If there is no page, the result is a {@link TillResult}
   * with the reason.
   */
  public CodeResult openEntryCode(PayRequest request, ByCodeOptions options) {
    return untilInterrupted(openEntryCodeAsync(request, options), unknown -> unknown, request.paymentRequestId());
  }

  /** Like {@link #openEntryCode}, without blocking this thread. */
  public CompletableFuture<CodeResult> openEntryCodeAsync(PayRequest request, ByCodeOptions options) {
    var till = tillFor(request, "openEntryCode", InStorePaymentScenario.ENTRY_CODE, options);
    return till.open(request, answer -> {
      var form = answer.redirectActionForm();
      if (form == null || form.redirectUrl() == null) return null;
      var endsAt = till.endsAt(answer, request.paymentExpiryTime());
      return new OpenedEntryCode(request.paymentRequestId(), till.paymentId(), endsAt, form.redirectUrl());
    });
  }

  /** Like {@link #finishByCode(String, ByCodeOptions)}, with default options. */
  public TillResult finishByCode(String paymentRequestId) {
    return finishByCode(paymentRequestId, ByCodeOptions.DEFAULT);
  }

  /**
   * Brings a payment to a final outcome, for example after {@link TillResult.Unknown} or after a crash:
   * inquires at once and as often as {@code payByCode} does, and then cancels.
   */
  public TillResult finishByCode(String paymentRequestId, ByCodeOptions options) {
    return untilInterrupted(finishByCodeAsync(paymentRequestId, options), unknown -> unknown, paymentRequestId);
  }

  /** Like {@link #finishByCode(String, ByCodeOptions)}, without blocking this thread. */
  public CompletableFuture<TillResult> finishByCodeAsync(String paymentRequestId, ByCodeOptions options) {
    return new Till(this, clock, paymentRequestId, options).finish();
  }

  /** Like {@link #finishByCode(OpenCode, ByCodeOptions)}, with default options. */
  public TillResult finishByCode(OpenCode code) {
    return finishByCode(code, ByCodeOptions.DEFAULT);
  }

  /** Inquires about an open code until it expires, and then cancels. */
  public TillResult finishByCode(OpenCode code, ByCodeOptions options) {
    return untilInterrupted(finishByCodeAsync(code, options), unknown -> unknown, code.paymentRequestId());
  }

  /** Like {@link #finishByCode(OpenCode, ByCodeOptions)}, without blocking this thread. */
  public CompletableFuture<TillResult> finishByCodeAsync(OpenCode code, ByCodeOptions options) {
    return new Till(this, clock, code.paymentRequestId(), options).finish(code);
  }

  /**
   * Checks the kind of the request: for each kind of code, {@code S} has a different meaning, so a request of
   * another kind is rejected.
   */
  private Till tillFor(PayRequest request, String call, InStorePaymentScenario scenario, ByCodeOptions options) {
    var factor = request.paymentFactor();
    var said = factor == null ? null : factor.inStorePaymentScenario();
    if (!scenario.equals(said)) {
      throw new ConfigurationException(call + " requires a payment whose paymentFactor.inStorePaymentScenario is "
          + scenario + ", and not " + (said == null ? "absent" : said) + ".");
    }
    return new Till(this, clock, request.paymentRequestId(), options);
  }

  /** An interrupted thread must continue although the outcome is unknown, so the result is Unknown. */
  private static <R extends CodeResult> R untilInterrupted(
      CompletableFuture<R> end, Function<TillResult.Unknown, R> interrupted, String paymentRequestId) {
    try {
      return Caller.await(end, new CallFacts("payments/pay", paymentRequestId, null, 0));
    } catch (ConnectionException problem) {
      // A network error cannot arrive here, because the point of sale treats it as a missing response. So the
      // thread was interrupted.
      return interrupted.apply(new TillResult.Unknown(paymentRequestId, null, null, problem));
    }
  }
}
