package io.tollgate.exception;

import io.tollgate.CallFacts;

/** The message may not be from the gateway. The outcome of the request is unknown. */
public final class SignatureVerificationException extends GatewayException {
  private static final long serialVersionUID = 1L;
  private final SignatureProblem reason;

  public SignatureVerificationException(SignatureProblem reason, CallFacts facts) {
    super("The message failed verification: " + reason.likelyCause() + " (" + reason + ")", facts);
    this.reason = reason;
  }

  public SignatureProblem reason() {
    return reason;
  }
}
