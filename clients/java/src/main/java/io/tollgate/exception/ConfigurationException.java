package io.tollgate.exception;

/** The client's configuration is invalid, or a request cannot be sent. No request was sent. */
public class ConfigurationException extends GatewayException {
  private static final long serialVersionUID = 1L;

  public ConfigurationException(String message) {
    super(message, null);
  }
}
