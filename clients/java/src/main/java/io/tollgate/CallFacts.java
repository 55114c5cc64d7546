package io.tollgate;

import java.io.Serializable;

/**
 * What is known of a call. All of it is safe to log.
 *
 * @param operation such as {@code payments/pay}
 * @param requestId your own id of the request, such as its {@code paymentRequestId}: repeat a call with the same one
 * @param traceId the gateway's name for the call: tell it to support
 * @param attempts how often the request was sent
 */
public record CallFacts(String operation, String requestId, String traceId, int attempts)
    implements Serializable {
  /** Nothing is known, because nothing was called. */
  public static final CallFacts NONE = new CallFacts(null, null, null, 0);

  public CallFacts withTraceId(String traceId) {
    return new CallFacts(operation, requestId, traceId, attempts);
  }

  public CallFacts withAttempts(int attempts) {
    return new CallFacts(operation, requestId, traceId, attempts);
  }
}
