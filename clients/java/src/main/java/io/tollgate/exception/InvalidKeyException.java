package io.tollgate.exception;

/** A key cannot be used. The message says why, and what to give instead. */
public final class InvalidKeyException extends ConfigurationException {
  private static final long serialVersionUID = 1L;
  private final KeyProblem reason;

  public InvalidKeyException(KeyProblem reason, String message) {
    super(message);
    this.reason = reason;
  }

  public KeyProblem reason() {
    return reason;
  }
}
