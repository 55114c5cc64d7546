package io.tollgate.internal.call;

import io.tollgate.Answer;
import io.tollgate.CallFacts;
import io.tollgate.Clock;
import io.tollgate.ObservedCall;
import io.tollgate.ObservedEnd;
import io.tollgate.Observer;
import io.tollgate.exception.GatewayException;
import io.tollgate.exception.ResultException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Reports the start and the end of one call. An observer that fails must not make a payment fail. */
final class Watch {
  private final Clock clock;
  private final Instant started;
  private final Consumer<ObservedEnd> tell;

  private Watch(Clock clock, Consumer<ObservedEnd> tell) {
    this.clock = clock;
    this.started = clock.now();
    this.tell = tell;
  }

  static Watch of(Observer observer, CallFacts facts, String baseUrl, Clock clock) {
    Consumer<ObservedEnd> tell = null;
    try {
      if (observer != null) tell = observer.begin(new ObservedCall(facts.operation(), facts.requestId(), baseUrl));
    } catch (RuntimeException problem) {
      // The error is ignored, because it cannot be reported anywhere.
    }
    return new Watch(clock, tell);
  }

  /** Reports the end of a call to the observer before the caller continues. */
  <A extends Answer> A over(Supplier<A> read) {
    A answer;
    try {
      answer = read.get();
    } catch (RuntimeException problem) {
      end(null, problem);
      throw problem;
    }
    end(answer, null);
    return answer;
  }

  void end(Answer answer, Throwable cause) {
    if (tell == null) return;
    try {
      var duration = Duration.between(started, clock.now());
      tell.accept(answer != null
          ? new ObservedEnd(answer.result().resultCode().text(), duration, answer.attempts(), answer.traceId(), null)
          : ended(cause, duration));
    } catch (RuntimeException failed) {
      // The error is ignored, because it cannot be reported anywhere.
    }
  }

  private static ObservedEnd ended(Throwable cause, Duration duration) {
    var outcome = cause instanceof ResultException refusal ? refusal.code() : cause.getClass().getSimpleName();
    return cause instanceof GatewayException known
        ? new ObservedEnd(outcome, duration, known.attempts(), known.traceId(), cause)
        : new ObservedEnd(outcome, duration, 0, null, cause);
  }
}
