package io.tollgate.internal.call;

import io.tollgate.exception.GatewayException;
import java.time.Duration;
import java.util.Map;

/**
 * The outcome of one attempt, and whether a retry is allowed. Has either a response or an exception.
 *
 * @param name the result code, or the name of the exception
 */
record Outcome(
    Map<String, Object> answer,
    GatewayException problem,
    String name,
    String traceId,
    boolean isRetryable,
    Duration retryAfter) {

  static Outcome answer(Map<String, Object> answer, String code, String traceId, boolean isRetryable) {
    return new Outcome(answer, null, code, traceId, isRetryable, null);
  }

  static Outcome problem(GatewayException problem, boolean isRetryable) {
    return new Outcome(null, problem, problem.getClass().getSimpleName(), problem.traceId(), isRetryable, null);
  }

  Outcome withRetryAfter(Duration retryAfter) {
    return new Outcome(answer, problem, name, traceId, isRetryable, retryAfter);
  }
}
