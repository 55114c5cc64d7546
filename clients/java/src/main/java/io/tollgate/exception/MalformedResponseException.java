package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The message is signed by the gateway, but it is not a valid response of the API. */
public final class MalformedResponseException extends GatewayException {
  private static final long serialVersionUID = 1L;

  public MalformedResponseException(String message, CallFacts facts, Throwable cause) {
    super(message, facts, cause);
  }
}
