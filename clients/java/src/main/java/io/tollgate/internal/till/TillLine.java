package io.tollgate.internal.till;

import io.tollgate.Answer;
import io.tollgate.ByCodeOptions;
import io.tollgate.CallOptions;
import io.tollgate.Clock;
import io.tollgate.PaymentsArea;
import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.ResultException;
import io.tollgate.model.CancelRequest;
import io.tollgate.model.CancelResponse;
import io.tollgate.model.InquiryPaymentRequest;
import io.tollgate.model.InquiryPaymentResponse;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PayResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;

/** The calls and pauses of a point of sale, which its caller can stop. */
final class TillLine {
  private final PaymentsArea payments;
  private final Clock clock;
  private final String paymentRequestId;
  private final CallOptions callOptions;
  private final CompletableFuture<Void> stopped;
  private volatile String paymentId;
  private volatile boolean isAbandoned;

  TillLine(PaymentsArea payments, Clock clock, String paymentRequestId, ByCodeOptions options) {
    this.payments = payments;
    this.clock = clock;
    this.paymentRequestId = paymentRequestId;
    // The retries of calls are disabled, because this class does its own retries.
    this.callOptions =
        CallOptions.DEFAULT.withTimeout(options.timeout()).withMaxRetries(0).withThrowOnFailure(false);
    this.stopped = options.stop() == null
        ? new CompletableFuture<>()
        : options.stop().<Void>handle((value, problem) -> null).toCompletableFuture();
  }

  /** The ids that responses have returned so far. */
  String paymentId() {
    return paymentId;
  }

  boolean isStopped() {
    return stopped.isDone();
  }

  /** Stops all further requests, because the caller no longer waits for the result. */
  void abandon() {
    isAbandoned = true;
  }

  CompletableFuture<Void> rest(Duration pause) {
    if (pause.isZero() || isStopped()) return CompletableFuture.completedFuture(null);
    return CompletableFuture.anyOf(clock.sleep(pause), stopped).thenApply(nothing -> null);
  }

  /** Pauses, also after the caller's stop, because the payment must still be cancelled. */
  CompletableFuture<Void> restAnyway(Duration pause) {
    return pause.isZero() ? CompletableFuture.completedFuture(null) : clock.sleep(pause);
  }

  CompletableFuture<Heard<PayResponse>> pay(PayRequest request) {
    if (isStopped()) return CompletableFuture.completedFuture(Heard.nothing());
    return unlessStopped(() -> payments.payAsync(request, callOptions), PayResponse::paymentId);
  }

  CompletableFuture<Heard<InquiryPaymentResponse>> inquire() {
    return unlessStopped(this::inquiry, InquiryPaymentResponse::paymentId);
  }

  CompletableFuture<Heard<InquiryPaymentResponse>> inquireAnyway() {
    return hear(this::inquiry, InquiryPaymentResponse::paymentId);
  }

  CompletableFuture<Heard<CancelResponse>> cancel() {
    var request = CancelRequest.builder().paymentRequestId(paymentRequestId).build();
    return hear(() -> payments.cancelAsync(request, callOptions), CancelResponse::paymentId);
  }

  private CompletableFuture<InquiryPaymentResponse> inquiry() {
    var request = InquiryPaymentRequest.builder().paymentRequestId(paymentRequestId).build();
    return payments.inquiryPaymentAsync(request, callOptions);
  }

  private <A extends Answer> CompletableFuture<Heard<A>> unlessStopped(
      Supplier<CompletableFuture<A>> call, Function<A, String> paymentIdOf) {
    return hear(
        () -> {
          var sent = call.get();
          stopped.thenRun(() -> sent.cancel(true));
          return sent;
        },
        paymentIdOf);
  }

  /**
   * Converts errors to missing responses: no error after a request was sent may stop the point of sale from
   * finding the outcome.
   */
  private <A extends Answer> CompletableFuture<Heard<A>> hear(
      Supplier<CompletableFuture<A>> call, Function<A, String> paymentIdOf) {
    if (isAbandoned) return new CompletableFuture<>();
    try {
      return call.get().handle((answer, problem) -> {
        if (problem != null) return faulty(problem);
        if (paymentIdOf.apply(answer) != null) paymentId = paymentIdOf.apply(answer);
        return new Heard<>(answer, answer.result().resultCode().text(), null);
      });
    } catch (ConfigurationException problem) {
      throw problem;
    } catch (RuntimeException problem) {
      return CompletableFuture.completedFuture(faulty(problem));
    }
  }

  private static <A extends Answer> Heard<A> faulty(Throwable problem) {
    var cause = problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    if (cause instanceof ConfigurationException configuration) throw configuration;
    return new Heard<>(null, cause instanceof ResultException refusal ? refusal.code() : null, cause);
  }
}
