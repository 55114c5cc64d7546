package io.tollgate.exception;

/** The client was put together wrongly, or called with something that cannot be sent. Nothing was sent. */
public class ConfigurationException extends GatewayException {
  private static final long serialVersionUID = 1L;

  public ConfigurationException(String message) {
    super(message, null);
  }
}
