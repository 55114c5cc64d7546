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

/**
 * Serialises a request once. Then signs, sends, verifies and reads, and retries if that is useful and safe.
 */
public final class Caller {
  private static final Pattern OPERATION = Pattern.compile("[A-Za-z0-9]+(?:/[A-Za-z0-9]+)+");

  private static final int ANSWER_BYTES_MAX = 2 * 1024 * 1024;
  /** Larger response size limits, for operations that return a file. */
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

  /** Cancelling the future aborts the call. A request that was sent may have taken effect. */
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
      throw new ConfigurationException("The operation must be a path such as payments/pay, not " + path + ".");
    }
    var headers = new LinkedHashMap<>(settings.headers());
    headers.putAll(RequestHeaders.checked(options.headers()));
    var timeout = options.timeout() == null ? settings.timeout() : options.timeout();
    if (timeout.isNegative() || timeout.isZero()) {
      throw new ConfigurationException("The timeout must be greater than 0.");
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
      var message = "The gateway's response is invalid: " + problem.getMessage();
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
          "The thread was interrupted before the response arrived. Whether the request took effect is unknown.",
          facts, interrupted);
    } catch (ExecutionException failed) {
      throw thrown(failed.getCause());
    }
  }

  /**
   * Returns the exception with the stack trace of the calling thread instead of the thread that read the
   * response.
   */
  private static RuntimeException thrown(Throwable cause) {
    if (cause instanceof GatewayException problem) problem.fillInStackTrace();
    if (cause instanceof Error error) throw error;
    return cause instanceof RuntimeException problem ? problem : new IllegalStateException(cause);
  }

  /**
   * One call of one operation: the parts that are equal in all of its attempts.
   *
   * @param until the deadline, as a time of the client's clock: no attempt starts after it; null for no
   *     deadline
   * @param subject the request's own ids
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
