package io.tollgate;

import io.tollgate.model.Result;

/** An answer whose signature holds. */
public interface Answer {
  Result result();

  /** The call that it answers; null if it was read from elsewhere. */
  CallFacts call();

  /** {@code S}: it happened. */
  default boolean isSuccess() {
    return hasStatus("S");
  }

  /** {@code U}: nobody knows yet. Wait for the notification, or inquire. */
  default boolean isPending() {
    return hasStatus("U");
  }

  /** {@code F}: it did not happen. Only with {@link CallOptions#withThrowOnFailure throwOnFailure} false. */
  default boolean isFailure() {
    return hasStatus("F");
  }

  /** The gateway's name for the call: tell it to support. */
  default String traceId() {
    return call() == null ? null : call().traceId();
  }

  /** How often the request was sent. */
  default int attempts() {
    return call() == null ? 0 : call().attempts();
  }

  private boolean hasStatus(String status) {
    return result() != null && result().resultStatus() != null && result().resultStatus().text().equals(status);
  }
}
