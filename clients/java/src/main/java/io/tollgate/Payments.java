package io.tollgate;

import io.tollgate.internal.call.Caller;
import io.tollgate.internal.call.Waiting;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.model.InquiryPaymentResponse;
import io.tollgate.model.InquiryRefundRequest;
import io.tollgate.model.InquiryRefundResponse;
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
}
