package io.tollgate.internal.json;

/** The text is not JSON, or not of the expected type. The message has the position. */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public JsonException(String message) {
    super(message);
  }
}
