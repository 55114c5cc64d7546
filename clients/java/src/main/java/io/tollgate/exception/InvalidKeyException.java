package io.tollgate.exception;

/** An unusable key. The message says why, and which key to provide instead. */
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
