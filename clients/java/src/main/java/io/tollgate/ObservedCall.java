package io.tollgate;

/** A call that starts. */
public final class ObservedCall {
  private final String operation;
  private final String requestId;
  private final String baseUrl;

  /** Creates the object for tests of an {@link Observer}. */
  public ObservedCall(String operation, String requestId, String baseUrl) {
    this.operation = operation;
    this.requestId = requestId;
    this.baseUrl = baseUrl;
  }

  /** {@code payments/pay}. */
  public String operation() {
    return operation;
  }

  /** Your own id of the request, such as its {@code paymentRequestId}; null if it has none. */
  public String requestId() {
    return requestId;
  }

  /** The gateway's base URL, without the path. */
  public String baseUrl() {
    return baseUrl;
  }
}
