package io.tollgate;

import java.io.Serializable;

/**
 * The facts about a call. All of them are safe to log.
 *
 * @param operation such as {@code payments/pay}
 * @param requestId your own id of the request, such as its {@code paymentRequestId}; retry with the same id
 * @param traceId the gateway's id of the request; give it to support
 * @param attempts the number of times the request was sent
 */
public record CallFacts(String operation, String requestId, String traceId, int attempts)
    implements Serializable {
  /** The facts of an object for which there was no API request: all of them are empty. */
  public static final CallFacts NONE = new CallFacts(null, null, null, 0);

  public CallFacts withTraceId(String traceId) {
    return new CallFacts(operation, requestId, traceId, attempts);
  }

  public CallFacts withAttempts(int attempts) {
    return new CallFacts(operation, requestId, traceId, attempts);
  }
}
