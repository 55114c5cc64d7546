package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The base class of all exceptions of this library. Messages are safe to log. */
public class GatewayException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final CallFacts facts;

  public GatewayException(String message, CallFacts facts, Throwable cause) {
    super(message, cause);
    this.facts = facts == null ? CallFacts.NONE : facts;
  }

  public GatewayException(String message, CallFacts facts) {
    this(message, facts, null);
  }

  /** The facts about the failed call. */
  public CallFacts call() {
    return facts;
  }

  /** {@code payments/pay}; null if no operation was called. */
  public String operation() {
    return call().operation();
  }

  /** Your own id of the request, such as its {@code paymentRequestId}. Retry with the same id. */
  public String requestId() {
    return call().requestId();
  }

  /** The gateway's id of the request. Give it to support. */
  public String traceId() {
    return call().traceId();
  }

  /** The number of times the request was sent. */
  public int attempts() {
    return call().attempts();
  }
}
