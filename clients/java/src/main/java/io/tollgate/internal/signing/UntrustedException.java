package io.tollgate.internal.signing;

import io.tollgate.exception.SignatureProblem;

/**
 * A message failed verification. Used only inside the library: callers get an exception that says what to do.
 */
public final class UntrustedException extends Exception {
  private static final long serialVersionUID = 1L;
  private final SignatureProblem reason;

  UntrustedException(SignatureProblem reason) {
    super(reason.name(), null, false, false);
    this.reason = reason;
  }

  public SignatureProblem reason() {
    return reason;
  }
}
