package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The base of all exceptions of this library. All that it says is safe to log. */
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

  /** What is known of the call that failed. */
  public CallFacts call() {
    return facts;
  }

  /** {@code payments/pay}; null if no operation was called. */
  public String operation() {
    return call().operation();
  }

  /** Your own id of the request, such as its {@code paymentRequestId}: repeat the call with the same one. */
  public String requestId() {
    return call().requestId();
  }

  /** The gateway's name for the call: tell it to support. */
  public String traceId() {
    return call().traceId();
  }

  /** How often the request was sent. */
  public int attempts() {
    return call().attempts();
  }
}
