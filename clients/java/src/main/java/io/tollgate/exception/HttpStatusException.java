package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The answer had another HTTP status than 200, so it is not the gateway's word about the call. */
public final class HttpStatusException extends GatewayException {
  private static final long serialVersionUID = 1L;
  private final int status;
  private final String body;

  public HttpStatusException(int status, String body, CallFacts facts) {
    super("The gateway answered with HTTP " + status + ".", facts);
    this.status = status;
    this.body = body;
  }

  public int status() {
    return status;
  }

  /** The beginning of what was answered. Nobody has signed it. */
  public String body() {
    return body;
  }
}
