package io.tollgate.internal.call;

import io.tollgate.Answer;
import io.tollgate.CallFacts;
import io.tollgate.CallOptions;
import io.tollgate.LogEntry;
import io.tollgate.exception.ConfigurationException;
import io.tollgate.exception.ConnectionException;
import io.tollgate.exception.GatewayException;
import io.tollgate.exception.MalformedResponseException;
import io.tollgate.internal.json.Fields;
import io.tollgate.internal.json.Json;
import io.tollgate.internal.json.JsonException;
import io.tollgate.internal.json.Redaction;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Serialises a request once; then signs, sends, verifies and reads, and does that again while it makes sense. */
public final class Caller {
  private static final Pattern OPERATION = Pattern.compile("[A-Za-z0-9]+(?:/[A-Za-z0-9]+)+");

  private static final int ANSWER_BYTES_MAX = 2 * 1024 * 1024;
  /** The one answer that carries a file. */
  private static final Map<String, Integer> ANSWER_BYTES_MAX_OF =
      Map.of("payments/downloadDisputeEvidence", 4 * 1024 * 1024);

  private final Settings settings;

  public Caller(Settings settings) {
    this.settings = settings;
  }

  public <Q, A extends Answer> A call(Operation<Q, A> operation, Q request, CallOptions options) {
    var prepared = prepare(operation, request, options);
    return await(start(operation, prepared, options), prepared.facts());
  }

  /** Cancelling the future gives the call up. What was sent may have had an effect. */
  public <Q, A extends Answer> CompletableFuture<A> callAsync(
      Operation<Q, A> operation, Q request, CallOptions options) {
    return start(operation, prepare(operation, request, options), options);
  }

  private <A extends Answer> CompletableFuture<A> start(
      Operation<?, A> operation, Prepared prepared, CallOptions options) {
    var watch = Watch.of(settings.observer(), prepared.facts(), settings.baseUrl(), settings.clock());
    var attempts = new Attempts(settings, prepared);
    var read = attempts.start().thenApply(end -> watch.over(() -> answerOf(operation, end, options)));
    read.whenComplete((answer, problem) -> {
      if (!read.isCancelled()) return;
      attempts.cancel();
      watch.end(null, problem);
    });
    return read;
  }

  private <Q> Prepared prepare(Operation<Q, ?> operation, Q request, CallOptions options) {
    var fields = operation.request().write(request);
    var path = operation.path();
    if (!OPERATION.matcher(path).matches()) {
      throw new ConfigurationException("An operation is called like payments/pay, and not like " + path + ".");
    }
    var headers = new LinkedHashMap<>(settings.headers());
    headers.putAll(RequestHeaders.checked(options.headers()));
    var timeout = options.timeout() == null ? settings.timeout() : options.timeout();
    if (timeout.isNegative() || timeout.isZero()) {
      throw new ConfigurationException("The timeout has to be more than 0.");
    }
    int maxRetries = options.maxRetries() == null ? settings.maxRetries() : options.maxRetries();
    var facts = new CallFacts(path, RequestId.in(fields, operation.idempotencyField()), null, 0);
    var body = jsonOf(fields);
    settings.log(new LogEntry.Request(facts.operation(), facts.requestId(), Redaction.redacted(fields)));
    var until = options.deadline() == null ? null : settings.clock().now().plus(options.deadline());
    int answerBytesMax = ANSWER_BYTES_MAX_OF.getOrDefault(path, ANSWER_BYTES_MAX);
    return new Prepared(settings.pathOf(path), body, headers, facts,
        timeout, operation.isRepeatable() ? maxRetries : 0, until, answerBytesMax, RequestId.idsIn(fields));
  }

  private static byte[] jsonOf(Map<String, Object> fields) {
    try {
      return Json.writeBytes(fields);
    } catch (JsonException problem) {
      throw new ConfigurationException("The request cannot be written: " + problem.getMessage());
    }
  }

  private <A extends Answer> A answerOf(Operation<?, A> operation, Attempts.End end, CallOptions options) {
    if (end.outcome().problem() != null) throw end.outcome().problem();
    var fields = end.outcome().answer();
    A answer;
    try {
      answer = operation.answer().read(new Fields(fields, end.facts()));
    } catch (JsonException problem) {
      var message = "The gateway's answer is not as the interface says: " + problem.getMessage();
      throw new MalformedResponseException(message, end.facts(), problem);
    }
    if (answer.isFailure() && options.throwOnFailure()) throw AnswerReader.failureOf(fields, end.facts());
    return answer;
  }

  /** Waits for the end of a call in the thread of the caller. */
  public static <T> T await(CompletableFuture<T> future, CallFacts facts) {
    try {
      return future.get();
    } catch (InterruptedException interrupted) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new ConnectionException(
          "The thread was interrupted before the answer came. Whether the call had an effect is unknown.",
          facts, interrupted);
    } catch (ExecutionException failed) {
      throw thrown(failed.getCause());
    }
  }

  /** What went wrong, with the trace of the thread that called, and not of the one that read the answer. */
  private static RuntimeException thrown(Throwable cause) {
    if (cause instanceof GatewayException problem) problem.fillInStackTrace();
    if (cause instanceof Error error) throw error;
    return cause instanceof RuntimeException problem ? problem : new IllegalStateException(cause);
  }

  /**
   * One call of one operation, and what is the same in all of its attempts.
   *
   * @param until by the clock: nothing is begun any more from then on; null if there is no such time
   * @param subject what is asked about: the request's own ids
   */
  record Prepared(
      String path,
      byte[] body,
      Map<String, String> headers,
      CallFacts facts,
      Duration timeout,
      int maxRetries,
      Instant until,
      int answerBytesMax,
      Map<String, String> subject) {}
}
