package io.tollgate.internal.till;

import io.tollgate.ByCodeOptions;
import io.tollgate.Clock;
import io.tollgate.CodeResult;
import io.tollgate.OpenCode;
import io.tollgate.PaymentsArea;
import io.tollgate.TillResult;
import io.tollgate.TillState;
import io.tollgate.exception.ConfigurationException;
import io.tollgate.internal.signing.WireTime;
import io.tollgate.model.InquiryPaymentResponse;
import io.tollgate.model.PayRequest;
import io.tollgate.model.PayResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One payment at a point of sale: inquires if there is no response, cancels if the outcome stays unknown, and
 * returns the outcome.
 */
public final class Till {
  /** The lifetime of an order code or entry code, if the response does not state one. */
  private static final Duration USUAL_LIFE = Duration.ofMinutes(3);

  private final Clock clock;
  private final ByCodeOptions options;
  private final TillLine line;
  private final Ends ends;
  private TillState state;

  public Till(PaymentsArea payments, Clock clock, String paymentRequestId, ByCodeOptions options) {
    if (paymentRequestId == null || paymentRequestId.isEmpty()) {
      throw new ConfigurationException("The paymentRequestId is missing.");
    }
    this.clock = clock;
    this.options = options;
    this.line = new TillLine(payments, clock, paymentRequestId, options);
    this.ends = new Ends(paymentRequestId, line::paymentId);
  }

  public CompletableFuture<TillResult> pay(PayRequest request) {
    say(TillState.ASKING);
    return watched(line.pay(request).thenCompose(heard -> {
      if (heard.isSuccess()) return done(ends.paid(heard.answer()));
      if (heard.isFailure()) return done(ends.declined(heard.code()));
      say("PAYMENT_IN_PROCESS".equals(heard.code()) ? TillState.ASKING : TillState.CHECKING);
      return settle(options.inquireAfter().iterator());
    }));
  }

  /**
   * Sends the same request until there is a code. If there is no code, it makes sure that no payment stays
   * open.
   */
  public CompletableFuture<CodeResult> open(PayRequest request, Function<PayResponse, OpenCode> openedBy) {
    say(TillState.ASKING);
    return watched(open(request, openedBy, atOnceAndAfter(options.resendAfter())));
  }

  /** Inquires at once, and then after the usual pauses. */
  public CompletableFuture<TillResult> finish() {
    return watched(finishNow());
  }

  public CompletableFuture<TillResult> finish(OpenCode code) {
    var until = WireTime.parse(code.endsAt());
    if (until == null) throw new ConfigurationException("endsAt is not a time: " + code.endsAt() + ".");
    say(TillState.ASKING);
    return watched(settle(pausesUntil(until)));
  }

  /**
   * Computes the expiry from the remaining lifetime of the code, because the gateway's clock may differ from
   * the local clock (clock skew).
   */
  public String endsAt(PayResponse answer, String end) {
    var now = clock.now();
    var ending = end == null ? null : WireTime.parse(end);
    var created = answer.paymentCreateTime() == null ? null : WireTime.parse(answer.paymentCreateTime());
    var life = ending == null ? USUAL_LIFE : Duration.between(created == null ? now : created, ending);
    return WireTime.write(now.plus(life.isNegative() ? Duration.ZERO : life));
  }

  public String paymentId() {
    return line.paymentId();
  }

  /** Cancelling the future stops the work. A request that was sent may have taken effect. */
  private <R> CompletableFuture<R> watched(CompletableFuture<R> end) {
    end.whenComplete((result, problem) -> {
      if (end.isCancelled()) line.abandon();
    });
    return end;
  }

  private CompletableFuture<CodeResult> open(
      PayRequest request, Function<PayResponse, OpenCode> openedBy, Iterator<Duration> pauses) {
    if (!pauses.hasNext()) return cancel().thenApply(Function.identity());
    return line.rest(pauses.next()).thenCompose(rested -> line.pay(request)).thenCompose(heard -> {
      if (heard.isFailure()) return done(ends.declined(heard.code()));
      if (!heard.isSuccess()) return open(request, openedBy, pauses);
      var opened = openedBy.apply(heard.answer());
      // A response without a code means that the payment was paid before, or that it is final.
      return opened == null ? finishNow().thenApply(Function.identity()) : done(opened);
    });
  }

  private CompletableFuture<TillResult> finishNow() {
    say(TillState.CHECKING);
    return settle(atOnceAndAfter(options.inquireAfter()));
  }

  private static Iterator<Duration> atOnceAndAfter(List<Duration> pauses) {
    return Stream.concat(Stream.of(Duration.ZERO), pauses.stream()).iterator();
  }

  /**
   * Repeats the last pause until the code expires. One more inquiry follows, because the buyer may have paid
   * at the last moment.
   */
  private Iterator<Duration> pausesUntil(Instant until) {
    var usual = options.inquireAfter().iterator();
    return new Iterator<>() {
      private Duration pause = Duration.ofSeconds(5);
      private boolean isFirst = true;

      @Override
      public boolean hasNext() {
        return isFirst || clock.now().isBefore(until);
      }

      @Override
      public Duration next() {
        isFirst = false;
        if (usual.hasNext()) pause = usual.next();
        var left = Duration.between(clock.now(), until);
        if (left.isNegative()) return Duration.ZERO;
        return left.compareTo(pause) < 0 ? left : pause;
      }
    };
  }

  /** Inquires after each pause. If the outcome is still unknown, cancels the payment. */
  private CompletableFuture<TillResult> settle(Iterator<Duration> pauses) {
    if (!pauses.hasNext()) return cancel();
    return line.rest(pauses.next()).thenCompose(rested -> {
      if (line.isStopped()) return cancel();
      return line.inquire().thenCompose(asked -> goOn(asked, pauses));
    });
  }

  private CompletableFuture<TillResult> goOn(Heard<InquiryPaymentResponse> asked, Iterator<Duration> pauses) {
    var end = ends.of(asked);
    if (end != null) return done(end);
    // A payment that the gateway does not know may still be in transit. After any other rejection, more
    // inquiries are useless.
    if (asked.isFailure() && !asked.code().equals("ORDER_NOT_EXIST")) return cancel();
    say(Ends.isBuyersTurn(asked) ? TillState.ASKING : TillState.CHECKING);
    return settle(pauses);
  }

  private CompletableFuture<TillResult> cancel() {
    say(TillState.CANCELLING);
    return cancel(atOnceAndAfter(options.cancelAfter()), Heard.nothing(), false);
  }

  private CompletableFuture<TillResult> cancel(Iterator<Duration> pauses, Heard<?> last, boolean isInDoubt) {
    if (!pauses.hasNext()) return done(ends.unknown(last));
    return line.restAnyway(pauses.next()).thenCompose(rested -> line.cancel()).thenCompose(heard -> {
      if (heard.isSuccess()) {
        var time = heard.answer().cancelTime();
        return line.inquireAnyway().thenApply(asked -> ends.cancelled(time, asked.isSuccess() ? asked.answer() : null));
      }
      if (!heard.isFailure()) return cancel(pauses, heard, true);
      return line.inquireAnyway().thenCompose(asked -> {
        var end = ends.of(asked);
        // After a cancel without a response, `paid` is not final, because the cancel may still take effect.
        boolean counts = end != null && !(isInDoubt && end instanceof TillResult.Paid);
        return counts ? done(end) : cancel(pauses, heard, isInDoubt);
      });
    });
  }

  private void say(TillState next) {
    if (next == state) return;
    state = next;
    try {
      if (options.onState() != null) options.onState().accept(next);
    } catch (RuntimeException problem) {
      // An error in `onState` must not make a payment fail.
    }
  }

  private static <R> CompletableFuture<R> done(R result) {
    return CompletableFuture.completedFuture(result);
  }
}
