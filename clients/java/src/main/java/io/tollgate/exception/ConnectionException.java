package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The gateway could not be reached, or the connection broke. Whether the request took effect is unknown. */
public final class ConnectionException extends GatewayException {
  private static final long serialVersionUID = 1L;

  public ConnectionException(String message, CallFacts facts, Throwable cause) {
    super(message, facts, cause);
  }
}
