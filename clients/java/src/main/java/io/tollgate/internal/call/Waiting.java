package io.tollgate.internal.call;

import io.tollgate.CallFacts;
import io.tollgate.CallOptions;
import io.tollgate.Clock;
import io.tollgate.OpenText;
import io.tollgate.exception.ConnectionException;
import io.tollgate.exception.HttpStatusException;
import io.tollgate.exception.RateLimitException;
import io.tollgate.exception.TimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Polls until a status is final. */
public final class Waiting<A> {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Set<String> NOT_FINAL = Set.of("PROCESSING", "PENDING");

  private final String what;
  private final Function<CallOptions, CompletableFuture<A>> inquire;
  private final Function<A, ? extends OpenText> statusOf;
  private final Clock clock;
  private final Duration timeout;
  private final Instant until;
  private final CompletableFuture<A> end = new CompletableFuture<>();

  public Waiting(
      String what,
      Function<CallOptions, CompletableFuture<A>> inquire,
      Function<A, ? extends OpenText> statusOf,
      Clock clock,
      Duration timeout) {
    this.what = what;
    this.inquire = inquire;
    this.statusOf = statusOf;
    this.clock = clock;
    this.timeout = timeout;
    this.until = clock.now().plus(timeout);
  }

  public CompletableFuture<A> start() {
    ask(FIRST_PAUSE);
    return end;
  }

  private void ask(Duration pause) {
    if (end.isDone()) return;
    try {
      var left = Duration.between(clock.now(), until);
      var options = CallOptions.DEFAULT.withDeadline(left.isNegative() ? Duration.ZERO : left);
      inquire.apply(options).whenComplete((answer, problem) -> settleSafely(answer, problem, pause));
    } catch (RuntimeException | Error problem) {
      end.completeExceptionally(problem);
    }
  }

  private void settleSafely(A answer, Throwable problem, Duration pause) {
    try {
      settle(answer, problem, pause);
    } catch (RuntimeException | Error bug) {
      end.completeExceptionally(bug);
    }
  }

  private void settle(A answer, Throwable problem, Duration pause) {
    var cause = problem instanceof CompletionException ? problem.getCause() : problem;
    if (cause != null && !isPassing(cause)) {
      end.completeExceptionally(cause);
      return;
    }
    var status = answer == null ? "no answer" : textOf(statusOf.apply(answer));
    if (answer != null && !NOT_FINAL.contains(status)) {
      end.complete(answer);
    } else if (clock.now().plus(pause).isAfter(until)) {
      var message = "The " + what + " is not final after " + timeout.toMillis() + " ms: " + status + ".";
      end.completeExceptionally(new TimeoutException(message, CallFacts.NONE, cause));
    } else {
      clock.sleep(pause).whenComplete((nothing, stopped) -> {
        if (stopped == null) ask(next(pause));
        else end.completeExceptionally(stopped);
      });
    }
  }

  private static String textOf(OpenText status) {
    return status == null ? "PROCESSING" : status.text();
  }

  private static Duration next(Duration pause) {
    var longer = pause.multipliedBy(3).dividedBy(2);
    return longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
  }

  /** Polling continues after a temporary fault. */
  public static boolean isPassing(Throwable problem) {
    return problem instanceof ConnectionException
        || problem instanceof TimeoutException
        || problem instanceof RateLimitException
        || problem instanceof HttpStatusException http && (http.status() == 429 || http.status() >= 500);
  }
}
