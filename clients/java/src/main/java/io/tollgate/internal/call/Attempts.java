package io.tollgate.internal.call;

import io.tollgate.CallFacts;
import io.tollgate.LogEntry;
import io.tollgate.TransportRequest;
import io.tollgate.TransportResponse;
import io.tollgate.exception.ConnectionException;
import io.tollgate.exception.GatewayException;
import io.tollgate.exception.TimeoutException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** The attempts of one call: the same body every time, with a new signature. */
final class Attempts {
  record End(Outcome outcome, CallFacts facts) {}

  private final Settings settings;
  private final Caller.Prepared prepared;
  private final AnswerReader reader;
  private final CompletableFuture<End> end = new CompletableFuture<>();
  private volatile CompletableFuture<?> underWay;
  private volatile Duration attemptTimeout;

  Attempts(Settings settings, Caller.Prepared prepared) {
    this.settings = settings;
    this.prepared = prepared;
    this.reader = new AnswerReader(settings, prepared);
  }

  CompletableFuture<End> start() {
    attempt(1);
    return end;
  }

  void cancel() {
    end.cancel(false);
    var current = underWay;
    if (current != null) current.cancel(true);
  }

  private void attempt(int number) {
    if (end.isDone()) return;
    var facts = prepared.facts().withAttempts(number);
    var startedAt = settings.clock().now();
    try {
      send().whenComplete((response, problem) -> {
        // The call continues in another thread: Java uses one thread for all timeouts, and neither the
        // library nor its caller may block it.
        if (problem instanceof java.util.concurrent.TimeoutException) {
          CompletableFuture.runAsync(() -> settle(number, facts, startedAt, null, problem));
        } else {
          settle(number, facts, startedAt, response, problem);
        }
      });
    } catch (RuntimeException | Error problem) {
      end.completeExceptionally(problem);
    }
  }

  private CompletableFuture<TransportResponse> send() {
    var headers = RequestHeaders.signed(settings, prepared.headers(), prepared.path(), prepared.body());
    var url = URI.create(settings.baseUrl() + prepared.path());
    var timeout = timeLeft();
    attemptTimeout = timeout;
    var request =
        new TransportRequest("POST", url, headers, prepared.body(), timeout, prepared.answerBytesMax());
    var sent = settings.transport().send(request);
    underWay = sent;
    if (end.isDone()) sent.cancel(true);
    // This timeout covers the whole response, because Java's own timeout covers only the headers of a
    // response.
    var limited = sent.copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    return limited.whenComplete((response, problem) -> {
      if (problem instanceof java.util.concurrent.TimeoutException) sent.cancel(true);
    });
  }

  /** Returns the time limit of one attempt. It is never longer than the time left for all attempts. */
  private Duration timeLeft() {
    if (prepared.until() == null) return prepared.timeout();
    var left = Duration.between(settings.clock().now(), prepared.until());
    if (left.compareTo(prepared.timeout()) > 0) return prepared.timeout();
    return left.toMillis() < 1 ? Duration.ofMillis(1) : left;
  }

  private boolean isTooLate(Duration delay) {
    return prepared.until() != null && !settings.clock().now().plus(delay).isBefore(prepared.until());
  }

  private void settle(int number, CallFacts facts, Instant startedAt, TransportResponse response, Throwable problem) {
    try {
      var outcome = problem == null ? reader.read(response, facts) : Outcome.problem(faultOf(problem, facts), true);
      var duration = Duration.between(startedAt, settings.clock().now());
      settings.log(new LogEntry.Response(
          facts.operation(), facts.requestId(), outcome.traceId(), number, duration, outcome.name()));
      repeatOrEnd(number, facts, outcome);
    } catch (RuntimeException | Error bug) {
      end.completeExceptionally(bug);
    }
  }

  private void repeatOrEnd(int number, CallFacts facts, Outcome outcome) {
    boolean mayRepeat = outcome.isRetryable() && number <= prepared.maxRetries();
    var delay = mayRepeat ? RetryDelay.before(number - 1, outcome.retryAfter(), settings.random()) : null;
    if (delay == null || isTooLate(delay)) {
      end.complete(new End(outcome, facts.withTraceId(outcome.traceId())));
      return;
    }
    settings.log(new LogEntry.Retry(facts.operation(), facts.requestId(), number + 1, delay, outcome.name()));
    var pause = settings.clock().sleep(delay);
    underWay = pause;
    pause.whenComplete((nothing, problem) -> {
      if (problem == null) attempt(number + 1);
      else end.completeExceptionally(problem);
    });
  }

  private GatewayException faultOf(Throwable problem, CallFacts facts) {
    var cause = problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    if (cause instanceof java.util.concurrent.TimeoutException || cause instanceof HttpTimeoutException) {
      var message = "The gateway did not answer within " + attemptTimeout.toMillis() + " ms.";
      return new TimeoutException(message, facts, cause);
    }
    return new ConnectionException("The gateway could not be reached, or the connection broke.", facts, cause);
  }
}
