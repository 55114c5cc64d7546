package io.tollgate.exception;

import io.tollgate.CallFacts;

/** Nobody can say that the message is the gateway's. Conclude nothing from it. */
public final class SignatureVerificationException extends GatewayException {
  private static final long serialVersionUID = 1L;
  private final SignatureProblem reason;

  public SignatureVerificationException(SignatureProblem reason, CallFacts facts) {
    super("The message cannot be trusted: " + reason.likelyCause() + " (" + reason + ")", facts);
    this.reason = reason;
  }

  public SignatureProblem reason() {
    return reason;
  }
}
