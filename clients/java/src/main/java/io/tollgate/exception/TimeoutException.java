package io.tollgate.exception;

import io.tollgate.CallFacts;

/** There was no answer in time. Whether the call had an effect is unknown. */
public final class TimeoutException extends GatewayException {
  private static final long serialVersionUID = 1L;

  public TimeoutException(String message, CallFacts facts, Throwable cause) {
    super(message, facts, cause);
  }
}
