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

/** Payments, and waiting for them. */
public final class Payments extends PaymentsArea {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Clock clock;

  Payments(Caller caller, Clock clock) {
    super(caller);
    this.clock = clock;
  }

  /** Asks about a payment for up to a minute, see {@link #waitForFinal(InquiryPaymentRequest, Duration)}. */
  public InquiryPaymentResponse waitForFinal(InquiryPaymentRequest payment) {
    return waitForFinal(payment, TIMEOUT);
  }

  /**
   * Asks about a payment until it is SUCCESS, FAIL or CANCELLED. When the time is over, the payment goes on all the
   * same.
   *
   * @throws io.tollgate.exception.TimeoutException if it takes longer
   */
  public InquiryPaymentResponse waitForFinal(InquiryPaymentRequest payment, Duration timeout) {
    return Caller.await(waitForFinalAsync(payment, timeout), CallFacts.NONE);
  }

  /** As {@link #waitForFinal}, without waiting in this thread. */
  public CompletableFuture<InquiryPaymentResponse> waitForFinalAsync(InquiryPaymentRequest payment, Duration timeout) {
    Function<CallOptions, CompletableFuture<InquiryPaymentResponse>> inquire =
        options -> inquiryPaymentAsync(payment, options);
    return new Waiting<>("payment", inquire, InquiryPaymentResponse::paymentStatus, clock, timeout).start();
  }

  /** Asks about a refund for up to a minute. */
  public InquiryRefundResponse waitForFinalRefund(InquiryRefundRequest refund) {
    return waitForFinalRefund(refund, TIMEOUT);
  }

  /** Asks about a refund until it is SUCCESS or FAIL. */
  public InquiryRefundResponse waitForFinalRefund(InquiryRefundRequest refund, Duration timeout) {
    return Caller.await(waitForFinalRefundAsync(refund, timeout), CallFacts.NONE);
  }

  /** As {@link #waitForFinalRefund}, without waiting in this thread. */
  public CompletableFuture<InquiryRefundResponse> waitForFinalRefundAsync(
      InquiryRefundRequest refund, Duration timeout) {
    Function<CallOptions, CompletableFuture<InquiryRefundResponse>> inquire =
        options -> inquiryRefundAsync(refund, options);
    return new Waiting<>("refund", inquire, InquiryRefundResponse::refundStatus, clock, timeout).start();
  }

  /** As {@link #payByCode(PayRequest, ByCodeOptions)}, as tills do it. */
  public TillResult payByCode(PayRequest request) {
    return payByCode(request, ByCodeOptions.DEFAULT);
  }

  /**
   * Takes a payment with the code that the buyer shows ({@code PaymentCode}). Asks when there is no answer, cancels when
   * nobody tells, and says how it ended. Once the request is sent it throws nothing: the id is in every result. If the
   * thread is interrupted, that is {@link TillResult.Unknown}.
   *
   * @throws io.tollgate.exception.ConfigurationException before anything is sent
   */
  public TillResult payByCode(PayRequest request, ByCodeOptions options) {
    return untilInterrupted(payByCodeAsync(request, options), unknown -> unknown, request.paymentRequestId());
  }

  /**
   * As {@link #payByCode}, without waiting in this thread. Cancelling the future leaves the payment as it is: complete
   * {@code stop} of the options to have it called off.
   */
  public CompletableFuture<TillResult> payByCodeAsync(PayRequest request, ByCodeOptions options) {
    return tillFor(request, "payByCode", InStorePaymentScenario.PAYMENT_CODE, options).pay(request);
  }

  /** As {@link #showOrderCode(PayRequest, ByCodeOptions)}, as tills do it. */
  public CodeResult showOrderCode(PayRequest request) {
    return showOrderCode(request, ByCodeOptions.DEFAULT);
  }

  /**
   * Gets a code for the buyer to scan ({@code OrderCode}): a {@link ShownOrderCode}, to be shown and then waited for with
   * {@code finishByCode}; or the {@link TillResult} why there is none.
   */
  public CodeResult showOrderCode(PayRequest request, ByCodeOptions options) {
    return untilInterrupted(showOrderCodeAsync(request, options), unknown -> unknown, request.paymentRequestId());
  }

  /** As {@link #showOrderCode}, without waiting in this thread. */
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

  /** As {@link #openEntryCode(PayRequest, ByCodeOptions)}, as tills do it. */
  public CodeResult openEntryCode(PayRequest request) {
    return openEntryCode(request, ByCodeOptions.DEFAULT);
  }

  /**
   * Gets the page to send the buyer to ({@code EntryCode}): an {@link OpenedEntryCode}, to be waited for with {@code
   * finishByCode}; or the {@link TillResult} why there is none.
   */
  public CodeResult openEntryCode(PayRequest request, ByCodeOptions options) {
    return untilInterrupted(openEntryCodeAsync(request, options), unknown -> unknown, request.paymentRequestId());
  }

  /** As {@link #openEntryCode}, without waiting in this thread. */
  public CompletableFuture<CodeResult> openEntryCodeAsync(PayRequest request, ByCodeOptions options) {
    var till = tillFor(request, "openEntryCode", InStorePaymentScenario.ENTRY_CODE, options);
    return till.open(request, answer -> {
      var form = answer.redirectActionForm();
      if (form == null || form.redirectUrl() == null) return null;
      var endsAt = till.endsAt(answer, request.paymentExpiryTime());
      return new OpenedEntryCode(request.paymentRequestId(), till.paymentId(), endsAt, form.redirectUrl());
    });
  }

  /** As {@link #finishByCode(String, ByCodeOptions)}, as tills do it. */
  public TillResult finishByCode(String paymentRequestId) {
    return finishByCode(paymentRequestId, ByCodeOptions.DEFAULT);
  }

  /**
   * Brings a payment to its end, as after {@link TillResult.Unknown} or when the till has crashed: asks at once and as
   * often as {@code payByCode} does, and then cancels.
   */
  public TillResult finishByCode(String paymentRequestId, ByCodeOptions options) {
    return untilInterrupted(finishByCodeAsync(paymentRequestId, options), unknown -> unknown, paymentRequestId);
  }

  /** As {@link #finishByCode(String, ByCodeOptions)}, without waiting in this thread. */
  public CompletableFuture<TillResult> finishByCodeAsync(String paymentRequestId, ByCodeOptions options) {
    return new Till(this, clock, paymentRequestId, options).finish();
  }

  /** As {@link #finishByCode(OpenCode, ByCodeOptions)}, as tills do it. */
  public TillResult finishByCode(OpenCode code) {
    return finishByCode(code, ByCodeOptions.DEFAULT);
  }

  /** Asks about a code that a buyer can pay with until that ends, and then cancels. */
  public TillResult finishByCode(OpenCode code, ByCodeOptions options) {
    return untilInterrupted(finishByCodeAsync(code, options), unknown -> unknown, code.paymentRequestId());
  }

  /** As {@link #finishByCode(OpenCode, ByCodeOptions)}, without waiting in this thread. */
  public CompletableFuture<TillResult> finishByCodeAsync(OpenCode code, ByCodeOptions options) {
    return new Till(this, clock, code.paymentRequestId(), options).finish(code);
  }

  /** {@code S} means something else for each kind of code, so none may be taken for another. */
  private Till tillFor(PayRequest request, String call, InStorePaymentScenario scenario, ByCodeOptions options) {
    var factor = request.paymentFactor();
    var said = factor == null ? null : factor.inStorePaymentScenario();
    if (!scenario.equals(said)) {
      throw new ConfigurationException(call + " is for payments whose paymentFactor.inStorePaymentScenario is "
          + scenario + ", and not " + (said == null ? "absent" : said) + ".");
    }
    return new Till(this, clock, request.paymentRequestId(), options);
  }

  /** The thread has to go on, and nobody knows what became of the payment: that is a result, too. */
  private static <R extends CodeResult> R untilInterrupted(
      CompletableFuture<R> end, Function<TillResult.Unknown, R> interrupted, String paymentRequestId) {
    try {
      return Caller.await(end, new CallFacts("payments/pay", paymentRequestId, null, 0));
    } catch (ConnectionException problem) {
      // Only an interruption is thrown: the till takes what happens on the line for no answer.
      return interrupted.apply(new TillResult.Unknown(paymentRequestId, null, null, problem));
    }
  }
}
