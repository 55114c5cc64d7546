package io.tollgate;

import io.tollgate.model.Result;

/** A response with a valid signature. */
public interface Answer {
  Result result();

  /**
   * The facts about the API request; null if the response was not read from an API request, for example in a
   * test.
   */
  CallFacts call();

  /** {@code S}: success. */
  default boolean isSuccess() {
    return hasStatus("S");
  }

  /** {@code U}: the outcome is unknown. Wait for the webhook, or inquire. */
  default boolean isPending() {
    return hasStatus("U");
  }

  /**
   * {@code F}: final failure. It can be true only with {@link CallOptions#withThrowOnFailure throwOnFailure}
   * false.
   */
  default boolean isFailure() {
    return hasStatus("F");
  }

  /** The gateway's id of the request. Give it to support. */
  default String traceId() {
    return call() == null ? null : call().traceId();
  }

  /** The number of times the request was sent. */
  default int attempts() {
    return call() == null ? 0 : call().attempts();
  }

  private boolean hasStatus(String status) {
    return result() != null && result().resultStatus() != null && result().resultStatus().text().equals(status);
  }
}
