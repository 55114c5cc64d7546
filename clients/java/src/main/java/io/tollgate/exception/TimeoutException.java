package io.tollgate.exception;

import io.tollgate.CallFacts;

/** No response arrived in time. Whether the request took effect is unknown. */
public final class TimeoutException extends GatewayException {
  private static final long serialVersionUID = 1L;

  public TimeoutException(String message, CallFacts facts, Throwable cause) {
    super(message, facts, cause);
  }
}
