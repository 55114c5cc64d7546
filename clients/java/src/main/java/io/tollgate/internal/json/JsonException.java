package io.tollgate.internal.json;

/** The text is not JSON, or not what was expected of it. The message says where. */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public JsonException(String message) {
    super(message);
  }
}
