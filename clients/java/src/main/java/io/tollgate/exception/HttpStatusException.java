package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The response has an HTTP status other than 200, so it is not a result from the gateway. */
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

  /** The beginning of the response body. It is not signed. */
  public String body() {
    return body;
  }
}
